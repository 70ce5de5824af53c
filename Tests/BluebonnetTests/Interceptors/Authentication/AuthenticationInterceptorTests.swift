import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// Tokens that end and are refreshed, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    /// A server whose tokens are numbers: the present one is accepted, and ends after some uses.
    private final class Tokens: Sendable {
        private struct State {
            var current = 0
            var uses = 0
            var accepted: [String: Int] = [:]
            var refreshes = 0
        }

        private let state = Mutex(State())
        let usesPerToken: Int

        init(usesPerToken: Int = .max) {
            self.usesPerToken = usesPerToken
        }

        var refreshes: Int { state.withLock(\.refreshes) }
        /// How often each request was accepted.
        var accepted: [String: Int] { state.withLock(\.accepted) }

        func expire() { state.withLock { $0.current += 1 } }

        /// A new token, for the last one only: one that is used twice is a doubled refresh.
        func refresh(_ token: Int) -> Int? {
            state.withLock { state in
                state.refreshes += 1
                guard token == state.current || token == state.current - 1 else { return nil }
                if token == state.current { state.current += 1 }
                state.uses = 0
                return state.current
            }
        }

        var script: FaultServer.Script { script(refusingAfter: nil) }

        /// Accepts and refuses; the refusals wait at a gate.
        func script(refusingAfter gate: FaultGate?) -> FaultServer.Script {
            .requests { request in
                let isAccepted = self.state.withLock { state in
                    guard request.value(of: "Authorization") == "Bearer \(state.current)" else { return false }
                    guard state.uses < self.usesPerToken else {
                        state.current += 1
                        state.uses = 0
                        return false
                    }
                    state.uses += 1
                    state.accepted[request.target + request.bodyText, default: 0] += 1
                    return true
                }
                if isAccepted { return [.respond(200, body: request.bodyText)] }
                let refusal = FaultStep.respond(401, body: "refused")
                return gate.map { [.hold($0), refusal] } ?? [refusal]
            }
        }
    }

    private struct Source: Authenticator {
        var needsRefresh: @Sendable (Int) -> Bool = { _ in false }
        var applies: @Sendable (Request) -> Bool = { _ in true }
        let renew: @Sendable (Int) async throws -> Int

        func applies(to request: Request) -> Bool { applies(request) }

        func apply(_ token: Int, to request: inout Request) {
            request.headerFields[.authorization] = "Bearer \(token)"
        }

        func needsRefresh(_ token: Int) -> Bool { needsRefresh(token) }

        func refresh(_ token: Int) async throws -> Int { try await renew(token) }
    }

    private struct Failed: Error {}

    private static func configuration(
        _ interceptor: AuthenticationInterceptor<Source>,
        connections: Int = 6
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = [interceptor]
        configuration.maximumConnectionsPerHost = connections
        return configuration
    }

    @Test func `500 requests at once with tokens that end: each is accepted once, each token refreshed once`()
        async throws
    {
        let tokens = Tokens(usesPerToken: 60)
        let interceptor = AuthenticationInterceptor(
            Source { token in
                guard let new = tokens.refresh(token) else { throw Failed() }
                return new
            },
            token: 0,
            limit: nil
        )
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor, connections: 32)) { api in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<500 {
                        group.addTask {
                            let body = "\(number)"
                            let text: String = try await api.post("x", body: .text(body), as: .string)
                            #expect(text == body)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        #expect(tokens.accepted.count == 500 && tokens.accepted.values.allSatisfy { $0 == 1 })
        // A token is used 60 times and refused then: 500 requests need eight refreshes.
        #expect(tokens.refreshes == 8)
        #expect(interceptor.token == 8)
    }

    @Test func `requests that are refused together wait for one refresh`() async throws {
        let (tokens, gate, refusals, calls) = (Tokens(), Gate(), FaultGate(), Counter())
        tokens.expire()
        let interceptor = AuthenticationInterceptor(
            Source { token in
                calls.increment()
                await gate.wait()
                return tokens.refresh(token) ?? -1
            },
            token: 0
        )
        try await FaultServer.run(tokens.script(refusingAfter: refusals)) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor, connections: 30)) { api in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<30 { group.addTask { try await api.get("\(number)") } }
                    try await until("all are sent") { server.requests.count == 30 }
                    refusals.open()
                    try await until("the refresh has begun") { calls.value == 1 }
                    gate.open()
                    try await group.waitForAll()
                }
                #expect(server.requests.count == 60 && tokens.refreshes == 1)
            }
        }
    }

    @Test func `a refresh that fails fails all that were under way once, and the next request tries again`()
        async throws
    {
        let (tokens, refusals, calls) = (Tokens(), FaultGate(), Counter())
        tokens.expire()
        let interceptor = AuthenticationInterceptor(
            Source { token in
                guard calls.increment() > 1 else { throw Failed() }
                return tokens.refresh(token) ?? -1
            },
            token: 0
        )
        try await FaultServer.run(tokens.script(refusingAfter: refusals)) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor, connections: 20)) { api in
                await withTaskGroup(of: NetworkingError?.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            do throws(NetworkingError) { try await api.get("\(number)") } catch { return error }
                            return nil
                        }
                    }
                    try? await until("all are sent") { server.requests.count == 20 }
                    refusals.open()
                    for await error in group {
                        #expect(error?.code == .authenticationFailed && error?.underlying is Failed)
                        #expect(error?.response?.status.code == 401)
                    }
                }
                #expect(calls.value == 1)
                try await api.get("next")
                #expect(calls.value == 2)
            }
        }
    }

    @Test func `a cancelled request ends its wait, and the refresh goes on`() async throws {
        let (tokens, gate, begun, calls) = (Tokens(), Gate(), Counter(), Counter())
        tokens.expire()
        let source = Source(needsRefresh: { _ in begun.increment() == 0 }) { token in
            calls.increment()
            await gate.wait()
            try Task.checkCancellation()
            return tokens.refresh(token) ?? -1
        }
        let interceptor = AuthenticationInterceptor(source, token: 0)
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let first = Task { try await api.get("first") }
                try await until("the refresh has begun") { calls.value == 1 }
                let second = Task { try await api.get("second") }
                try await until("it has taken its token") { begun.value == 2 }
                first.cancel()
                let error = try await networkingError { try await first.value }
                #expect(error.code == .cancelled)
                gate.open()
                try await second.value
                #expect(tokens.refreshes == 1 && interceptor.token == 1)
            }
        }
    }

    @Test func `tokens that are refused again and again end with an error`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(401)] }) { server in
            let interceptor = AuthenticationInterceptor(
                Source { $0 + 1 },
                token: 0,
                limit: RefreshLimit(count: 3, interval: .seconds(600))
            )
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let error = try await networkingError { try await api.get("x") }
                #expect(error.code == .tooManyRefreshes && error.response?.status.code == 401)
                #expect(server.requests.count == 4)
            }
            let endless = AuthenticationInterceptor(Source { $0 + 1 }, token: 0, limit: nil)
            try await withAPI(at: server.baseURL, Self.configuration(endless)) { api in
                let error = try await networkingError { try await api.get("x") }
                #expect(error.code == .unacceptableStatusCode && server.requests.count == 24)
            }
        }
    }

    @Test func `a token that is too old is refreshed before it is sent`() async throws {
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(
            Source(needsRefresh: { $0 == 0 }) { tokens.refresh($0) ?? -1 },
            token: 0
        )
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                try await api.get("x")
                try await api.get("y")
            }
            #expect(server.requests.map { $0.value(of: "Authorization") } == ["Bearer 1", "Bearer 1"])
        }
    }

    @Test func `tokens that end as soon as they are issued are sent all the same`() async throws {
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(
            Source(needsRefresh: { _ in true }) { tokens.refresh($0) ?? -1 },
            token: 0,
            limit: RefreshLimit(count: 2, interval: .seconds(600))
        )
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                for number in 0..<5 { try await api.get("\(number)") }
            }
        }
        #expect(tokens.refreshes == 2)
    }

    @Test func `without a token nothing is sent, and a new one is used at once`() async throws {
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(Source { $0 })
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let error = try await networkingError { try await api.get("x") }
                #expect(error.code == .authenticationFailed && server.requests.isEmpty)
                interceptor.token = 0
                try await api.get("x")
            }
        }
    }

    @Test func `a token that is set during a refresh stays`() async throws {
        let (tokens, gate) = (Tokens(), Gate())
        for _ in 0..<7 { tokens.expire() }
        let interceptor = AuthenticationInterceptor(
            Source { _ in
                await gate.wait()
                return 3
            },
            token: 0
        )
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let task = Task { try await api.get("x") }
                try await until("it is refused") { server.requests.count == 1 }
                interceptor.token = 7
                gate.open()
                try await task.value
                #expect(interceptor.token == 7)
            }
        }
    }

    @Test func `requests that begin during a refresh are sent with the new token alone`() async throws {
        let (tokens, gate, begun, calls) = (Tokens(), Gate(), Counter(), Counter())
        tokens.expire()
        // It is asked after the token was taken.
        let source = Source(needsRefresh: { _ in begun.increment() == 0 }) { token in
            calls.increment()
            await gate.wait()
            return tokens.refresh(token) ?? -1
        }
        let interceptor = AuthenticationInterceptor(source, token: 0)
        try await FaultServer.run(tokens.script) { server in
            try await withSession(Self.configuration(interceptor)) { session in
                let first = Task { try await session.data(for: try Request(to: server.baseURL + "/first")) }
                try await until("the refresh has begun") { calls.value == 1 }
                let body = RequestBody.stream(Pieces(["once"]))
                let post = try Request(.post, to: server.baseURL + "/second", body: body)
                let second = Task { try await session.data(for: post) }
                try await until("it has taken its token") { begun.value == 2 }
                gate.open()
                #expect(try await first.value.status.code == 200)
                #expect(try await second.value.status.code == 200)
            }
            let sent = server.requests.filter { $0.target == "/second" }
            #expect(sent.map { $0.value(of: "Authorization") } == ["Bearer 1"])
        }
    }

    @Test func `a token that is set helps those who wait, though the refresh fails`() async throws {
        let (tokens, gate, calls) = (Tokens(), Gate(), Counter())
        for _ in 0..<7 { tokens.expire() }
        let source = Source { _ in
            calls.increment()
            await gate.wait()
            throw Failed()
        }
        let interceptor = AuthenticationInterceptor(source, token: 0)
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let task = Task { try await api.get("x") }
                try await until("the refresh has begun") { calls.value == 1 }
                interceptor.token = 7
                // While the refresh goes on.
                try await task.value
                gate.open()
                try await api.get("y")
                #expect(interceptor.token == 7 && calls.value == 1)
            }
        }
    }

    @Test func `a refresh waits for the end of one that is not needed any more`() async throws {
        let (tokens, gate, log) = (Tokens(), Gate(), EventLog<String>())
        for _ in 0..<8 { tokens.expire() }
        let source = Source { token in
            log.append("begins \(token)")
            if token == 0 { await gate.wait() }
            log.append("ends \(token)")
            return token == 7 ? 8 : -1
        }
        let interceptor = AuthenticationInterceptor(source, token: 0)
        try await FaultServer.run(tokens.script) { server in
            try await withAPI(at: server.baseURL, Self.configuration(interceptor)) { api in
                let task = Task { try await api.get("x") }
                try await until("the refresh has begun") { log.events.count == 1 }
                // It is refused, too.
                interceptor.token = 7
                try await until("it is sent") { server.requests.count == 2 }
                let count = try await settled { log.events.count }
                #expect(count == 1)
                gate.open()
                try await task.value
                #expect(log.events == ["begins 0", "ends 0", "begins 7", "ends 7"] && interceptor.token == 8)
            }
        }
    }

    @Test func `two interceptors may refresh through each other`() async throws {
        let tokens = Tokens()
        tokens.expire()
        try await FaultServer.run(tokens.script) { server in
            let apis = Mutex<[HTTPSessionManager]>([])
            func source(through index: Int) -> Source {
                Source { _ in
                    let api = apis.withLock { $0.indices.contains(index) ? $0[index] : nil }
                    // Refused without a token; nobody waits for a refresh of it.
                    _ = try? await api?.get("refresh/\(index)")
                    return 1
                }
            }
            let one = AuthenticationInterceptor(source(through: 1), token: 0)
            let other = AuthenticationInterceptor(source(through: 0), token: 0)
            try await withAPI(at: server.baseURL, Self.configuration(one)) { first in
                try await withAPI(at: server.baseURL, Self.configuration(other)) { second in
                    apis.withLock { $0 = [first, second] }
                    try await first.get("x")
                    apis.withLock { $0 = [] }
                }
            }
            #expect(one.token == 1 && other.token == 1)
            #expect(server.requests.filter { $0.target == "/refresh/0" }.map { $0.value(of: "Authorization") } == [nil])
        }
    }

    @Test func `a refusal by the host after https was required is one of the token`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.target == "/y" else { return [.respond(307, headers: [("Location", "/y")])] }
            return [.respond(request.value(of: "Authorization") == "Bearer 1" ? 200 : 401)]
        }
        let options = FaultServer.Options(tls: ServerTLS(try TestCertificates.shared().localhost))
        try await FaultServer.run(script, options: options) { server in
            let interceptor = AuthenticationInterceptor(Source { $0 + 1 }, token: 0)
            var configuration = SessionConfiguration(trusting: try TestCertificates.shared().authority)
            configuration.interceptors = [interceptor]
            let known = StrictTransportSecurity()
            known.add(.init("localhost"))
            configuration.strictTransportSecurity = known
            try await withSession(configuration) { session in
                let response = try await session.data(for: try Request(to: "http://localhost:\(server.port)/x"))
                #expect(response.status.code == 200 && interceptor.token == 1)
            }
        }
    }

    @Test func `a refresh may use the session of the interceptor`() async throws {
        let tokens = Tokens()
        tokens.expire()
        try await FaultServer.run(tokens.script) { server in
            let holder = Mutex<HTTPSessionManager?>(nil)
            let interceptor = AuthenticationInterceptor(
                Source { token in
                    let api = holder.withLock { $0 }
                    // Without a token it is refused, and nobody waits for another refresh.
                    _ = try? await api?.get("refresh")
                    return tokens.refresh(token) ?? -1
                },
                token: 0
            )
            try await withAPI(at: server.baseURL, Self.configuration(interceptor, connections: 1)) { api in
                holder.withLock { $0 = api }
                try await api.get("x")
                holder.withLock { $0 = nil }
                let refresh = server.requests.first { $0.target == "/refresh" }
                #expect(refresh != nil && refresh?.value(of: "Authorization") == nil)
            }
        }
    }

    @Test func `requests that are not for the token are sent as they are`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(401)] }) { server in
            let interceptor = AuthenticationInterceptor(
                Source(applies: { $0.url.path() != "/public" }) { _ in throw Failed() },
                token: 0
            )
            try await withSession(Self.configuration(interceptor)) { session in
                let response = try await session.data(for: try Request(to: server.baseURL + "/public"))
                #expect(response.status.code == 401)
                #expect(server.requests.first?.value(of: "Authorization") == nil)
            }
        }
    }

    @Test func `a body that can be sent once fails after the refresh`() async throws {
        let tokens = Tokens()
        tokens.expire()
        let interceptor = AuthenticationInterceptor(Source { tokens.refresh($0) ?? -1 }, token: 0)
        try await FaultServer.run(tokens.script) { server in
            try await withSession(Self.configuration(interceptor)) { session in
                let request = try Request(.post, to: server.baseURL + "/x", body: .stream(Pieces(["once"])))
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestBodyNotReplayable && interceptor.token == 1)
            }
        }
    }
}
