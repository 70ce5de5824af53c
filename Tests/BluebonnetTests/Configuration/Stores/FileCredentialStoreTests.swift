import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Credentials in a file.
@Suite(.timeLimit(.minutes(5)))
struct FileCredentialStoreTests {
    private static let space = ProtectionSpace(host: "Example.com", port: 443, realm: "Räume")
    private static let other = ProtectionSpace(host: "example.com", port: 443, realm: "Räume", scheme: .digest)

    private static func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func `credentials are there for another store, in a file for the owner alone`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "credentials.json")
            let store = FileCredentialStore(file)
            #expect(try await store.credential(for: Self.space) == nil)
            try await store.set(Credential(user: "ada", password: "s:ecret\u{0}"), for: Self.space)
            try await store.set(Credential(token: "t0ken"), for: Self.other)
            #expect(try Self.mode(file) == 0o600)
            #expect(try names(in: folder) == ["credentials.json"])
            let again = FileCredentialStore(file)
            let ada = try await again.credential(for: Self.space)
            #expect(ada?.user == "ada" && ada?.password == "s:ecret\u{0}" && ada?.persistence == .permanent)
            #expect(try await again.credential(for: Self.other)?.token == "t0ken")
            #expect(try await again.credential(for: ProtectionSpace(host: "example.com", port: 444)) == nil)
            try await again.set(nil, for: Self.space)
            #expect(try await store.credential(for: Self.space) == nil)
            #expect(try await store.credential(for: Self.other)?.token == "t0ken")
        }
    }

    @Test(arguments: [
        "", "{}", "[1]", #"{"version":2,"credentials":[]}"#, #"{"version":1,"credentials":[{"token":"hunter2"}]}"#,
    ])
    func `a file that is not one of these is refused and left as it is`(text: String) async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "credentials.json")
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let store = FileCredentialStore(file)
            let error = try await networkingError { try await store.credential(for: Self.space) }
            #expect(error.code == .storeFailed && !error.message.contains("hunter2"))
            let second = try await networkingError { try await store.set(Credential(token: "t"), for: Self.space) }
            #expect(second.code == .storeFailed)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test func `a file that others can read is refused`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "credentials.json")
            let store = FileCredentialStore(file)
            try await store.set(Credential(token: "t"), for: Self.space)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
            let error = try await networkingError { try await store.credential(for: Self.space) }
            #expect(error.code == .storeFailed && error.message.contains("chmod 600"))
        }
    }

    @Test func `a session stores what a server accepted, and the next session finds it`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "credentials.json")
            try await LocalServer.run { server in
                var configuration = SessionConfiguration()
                configuration.credentialStore = FileCredentialStore(file)
                let asked = Counter()
                configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                    asked.increment()
                    if challenge.proposedCredential != nil { return .performDefaultHandling }
                    let password = challenge.previousFailureCount == 0 ? "wrong" : "secret"
                    return .use(Credential(user: "ada", password: password, persistence: .permanent))
                }
                try await withAPI(at: server.baseURL, configuration) { try await $0.get("basic-auth/ada/secret") }
                #expect(asked.value == 2)
                #expect(
                    !(try String(contentsOf: file, encoding: .utf8).contains(Data("wrong".utf8).base64EncodedString()))
                )
                try await withAPI(at: server.baseURL, configuration) { try await $0.get("basic-auth/ada/secret") }
                #expect(asked.value == 3)
                configuration.hooks = SessionHooks()
                try await withAPI(at: server.baseURL, configuration) { try await $0.get("basic-auth/ada/secret") }
            }
        }
    }

    @Test(arguments: [403, 429, 503])
    func `a credential is stored with the first successful request, and with no refusal`(status: Int) async throws {
        struct Recorder: CredentialStore {
            let log = EventLog<String?>()

            func credential(for space: ProtectionSpace) async throws -> Credential? { nil }

            func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
                log.append(credential?.password)
            }
        }
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "Authorization") != nil else {
                return [.respond(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])]
            }
            return [.respond(request.target == "/refused" ? status : 200)]
        }
        try await FaultServer.run(script) { server in
            let store = Recorder()
            var configuration = SessionConfiguration()
            configuration.credentialStore = store
            try await withSession(configuration) { session in
                for (path, stored) in [("/refused", []), ("/x", ["secret"]), ("/y", ["secret"])]
                    as [(String, [String?])]
                {
                    var request = try Request(to: server.baseURL + path)
                    request.credential = Credential(user: "ada", password: "secret", persistence: .permanent)
                    let response = try await session.data(for: request)
                    #expect(response.status.code == (path == "/refused" ? status : 200))
                    #expect(store.log.events == stored, "\(path)")
                }
            }
            // It is sent at once where the server did not ask again.
            #expect(server.requests.count == 4)
        }
    }

    @Test func `a store that fails fails the request that needs it`() async throws {
        struct Broken: CredentialStore {
            func credential(for space: ProtectionSpace) async throws -> Credential? {
                throw Unmet(description: "no disk")
            }
            func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
                throw Unmet(description: "no disk")
            }
        }
        try await LocalServer.run { server in
            var configuration = SessionConfiguration()
            configuration.credentialStore = Broken()
            try await withAPI(at: server.baseURL, configuration) { api in
                let error = try await networkingError { try await api.get("basic-auth/ada/secret") }
                #expect(error.code == .storeFailed && error.underlying is Unmet && error.response?.status.code == 401)
                var own = Credential(user: "ada", password: "secret", persistence: .permanent)
                own.schemes = [.basic]
                // The write fails, and the request does not.
                try await api.get("basic-auth/ada/secret", options: [.credential(own)])
            }
        }
    }

    @Test func `a netrc answers for its host`() async throws {
        try await LocalServer.run { server in
            for isPreemptive in [false, true] {
                var configuration = SessionConfiguration()
                configuration.netrc = try Netrc(parsing: "machine 127.0.0.1 login ada password secret")
                configuration.netrc?.isPreemptive = isPreemptive
                try await withAPI(at: server.baseURL, configuration) { api in
                    let hidden = try? await api.get("hidden-basic-auth/ada/secret", as: .json)
                    #expect((hidden != nil) == isPreemptive)
                    try await api.get("basic-auth/ada/secret")
                    try await api.get("digest-auth/auth/ada/secret/SHA-256")
                }
            }
        }
    }
}
