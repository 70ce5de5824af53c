import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// Decisions for several requests at once, and those that need requests themselves.
extension ChallengeTests {
    @Test func `many requests that are refused at once ask once`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let (asked, gate) = (Counter(), Gate())
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                asked.increment()
                await gate.wait()
                return .use(Self.ada)
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<40 { group.addTask { try await api.get("private/\(number)", as: .string) } }
                    try await until("six are refused") { server.requests.count >= 6 }
                    gate.open()
                    for try await text in group { #expect(text == "GET ") }
                }
            }
            #expect(asked.value == 1)
        }
    }

    @Test func `a handler that rejects is asked once, also where the netrc has a password`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let (asked, gate) = (Counter(), Gate())
            var configuration = SessionConfiguration()
            configuration.netrc = try Netrc(parsing: "machine 127.0.0.1 login ada password secret")
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                asked.increment()
                await gate.wait()
                return .rejectProtectionSpace
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                let tasks = (0..<6).map { number in
                    Task { try await networkingError { try await api.get("private/\(number)") } }
                }
                try await until("all are sent") { server.requests.count == 6 }
                _ = try await settled { server.requests.count }
                gate.open()
                for task in tasks { #expect(try await task.value.response?.status.code == 401) }
            }
            #expect(asked.value == 1)
        }
    }

    @Test func `when the one that asks is cancelled, another one asks`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let asked = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { task, _ in
                if asked.increment() == 1 {
                    // Waits until its task is stopped.
                    task.cancel()
                    try? await Task.sleep(for: .seconds(60))
                }
                return .use(Self.ada)
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                let results = await withTaskGroup(of: Result<Void, any Error>.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            do { return .success(try await api.get("private/\(number)")) } catch {
                                return .failure(error)
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let errors = results.compactMap {
                    if case .failure(let error) = $0 { error as? NetworkingError } else { nil }
                }
                #expect(errors.map(\.code) == [.cancelled])
                #expect(asked.value == 2)
            }
        }
    }

    @Test func `a handler may use the session and the space that it decides about`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let asked = Counter()
            let holder = Mutex<HTTPSessionManager?>(nil)
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                asked.increment()
                let api = holder.withLock { $0 }
                // Nobody can answer for this one; one with a credential of its own is served.
                let refused = try? await api?.get("private/who", as: .string)
                let text = try? await api?.get("private/who", options: [.credential(Self.ada)], as: .string)
                return refused == nil && text == "GET " ? .use(Self.ada) : .rejectProtectionSpace
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                holder.withLock { $0 = api }
                let text = try await api.get("private/a", as: .string)
                #expect(text == "GET " && asked.value == 1)
                holder.withLock { $0 = nil }
            }
        }
    }

    @Test func `a store may use the session that asks it`() async throws {
        final class Vault: CredentialStore {
            let api = Mutex<HTTPSessionManager?>(nil)

            func credential(for space: ProtectionSpace) async throws -> Credential? {
                let api = api.withLock { $0 }
                // It is refused, and not asked about.
                let text = try? await api?.get("private/vault", as: .string)
                return text == nil ? ChallengeTests.ada : nil
            }

            func set(_ credential: Credential?, for space: ProtectionSpace) async throws {}
        }
        try await FaultServer.run(Self.basic) { server in
            let vault = Vault()
            var configuration = SessionConfiguration()
            configuration.credentialStore = vault
            try await withAPI(at: server.baseURL, configuration) { api in
                vault.api.withLock { $0 = api }
                let text = try await api.get("private/a", as: .string)
                #expect(text == "GET ")
                vault.api.withLock { $0 = nil }
            }
        }
    }

    @Test func `a default of the netrc serves a task that waits for one that must not have it`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let target = server.baseURL + "/private/redirected"
            try await FaultServer.run(.requests { _ in [.respond(302, headers: [("Location", target)])] }) { other in
                let (gate, proposals) = (Gate(), EventLog<Bool>())
                var configuration = SessionConfiguration()
                configuration.netrc = try Netrc(parsing: "default login ada password secret")
                configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                    proposals.append(challenge.proposedCredential != nil)
                    await gate.wait()
                    return .performDefaultHandling
                }
                try await withAPI(at: server.baseURL, configuration) { api in
                    let redirected = Task { try await networkingError { try await api.get(other.baseURL + "/x") } }
                    try await until("the handler is asked") { proposals.events.count == 1 }
                    let direct = Task { try await api.get("private/direct", as: .string) }
                    // It waits for the other one's decision.
                    try await until("it is refused") { server.requests.count == 2 }
                    _ = try await settled { server.requests.count }
                    gate.open()
                    #expect(try await redirected.value.response?.status.code == 401)
                    #expect(try await direct.value == "GET ")
                    #expect(proposals.events == [false, true])
                }
            }
        }
    }

    @Test func `a credential for one task is not shared`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let asked = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                asked.increment()
                return .use(Credential(user: "ada", password: "secret", persistence: .task))
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<5 { group.addTask { try await api.get("private/\(number)") } }
                    try await group.waitForAll()
                }
                #expect(asked.value == 5)
            }
        }
    }
}
