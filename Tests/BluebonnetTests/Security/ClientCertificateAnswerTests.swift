import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOEmbedded
import Testing

@testable import Bluebonnet

/// What a session shows to servers that ask for a client certificate, where a hook decides.
@Suite(.timeLimit(.minutes(3)))
struct ClientCertificateAnswerTests {
    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]
    private static let versions = [ServerTLS.Version.tls12, .tls13]

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func asking(_ version: ServerTLS.Version, _ identity: TestIdentity? = nil) -> FaultServer.Options {
        FaultServer.Options(
            tls: ServerTLS(
                identity ?? certificates.localhost,
                clientAuthorities: [certificates.authority],
                minimumVersion: version,
                maximumVersion: version
            )
        )
    }

    private func identity(_ files: TestCertificateFiles) -> TLSSettings.Identity {
        TLSSettings.Identity(certificateFile: files.path("client.pem"), privateKeyFile: files.path("client.key"))
    }

    /// A configuration with a hook, and with what the hook has been asked.
    private func configuration(
        showing identity: TLSSettings.Identity? = nil,
        _ handler: @escaping ClientCertificateAnswer.Handler
    ) -> (SessionConfiguration, EventLog<ClientCertificateChallenge>) {
        let log = EventLog<ClientCertificateChallenge>()
        var configuration = SessionConfiguration(trusting: certificates.authority) { $0.identity = identity }
        configuration.hooks.sessionDidReceiveChallenge = { challenge in
            log.append(challenge)
            return await handler(challenge)
        }
        return (configuration, log)
    }

    /// Fails unless the request failed as one without a client certificate does.
    private func expectNoCertificate(_ error: NetworkingError, _ version: ServerTLS.Version) {
        // In TLS 1.3 the alert of the server may be lost in the reset that follows.
        #expect(error.code == .tlsFailed || version == .tls13 && error.code == .connectionLost, "\(error)")
    }

    @Test(arguments: versions)
    func `a hook chooses the client certificate, once for each connection`(version: ServerTLS.Version) async throws {
        try await certificates.withFiles { files in
            let identity = identity(files)
            let (configuration, challenges) = configuration { _ in .use(Credential(identity: identity)) }
            try await FaultServer.run(Self.ok, options: asking(version)) { server in
                try await withSession(configuration) { session in
                    for _ in 0..<2 {
                        let response = try await session.data(for: Request(to: server.baseURL))
                        #expect(response.value == Data("ok".utf8))
                    }
                    #expect(challenges.events == [ClientCertificateChallenge(host: "localhost", port: server.port)])
                }
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test(arguments: versions)
    func `the default handling shows the certificate of the settings, and a rejection none`(
        version: ServerTLS.Version
    ) async throws {
        try await certificates.withFiles { files in
            let identity = identity(files)
            let password = ChallengeDisposition.use(Credential(user: "u", password: "p"))
            for (disposition, isShown) in [
                (.performDefaultHandling, true), (.rejectProtectionSpace, false), (password, false),
            ] as [(ChallengeDisposition, Bool)] {
                let (configuration, challenges) = configuration(showing: identity) { _ in disposition }
                try await FaultServer.run(Self.ok, options: asking(version)) { server in
                    try await withSession(configuration) { session in
                        if isShown {
                            _ = try await session.data(for: Request(to: server.baseURL))
                        } else {
                            let error = try await networkingError {
                                try await session.data(for: Request(to: server.baseURL))
                            }
                            expectNoCertificate(error, version)
                            #expect(server.requests.isEmpty)
                        }
                        #expect(challenges.events.first?.proposedIdentity == identity)
                    }
                }
            }
        }
    }

    @Test(arguments: versions)
    func `a hook can end the connection, with an error of its own too`(version: ServerTLS.Version) async throws {
        struct Mine: Error {}
        let own = NetworkingError(.invalidRequest, "Mine.")
        let cases: [(ChallengeDisposition, NetworkingError.Code)] = [
            (.cancel, .authenticationCancelled), (.fail(Mine()), .authenticationFailed), (.fail(own), .invalidRequest),
        ]
        for (disposition, code) in cases {
            let (configuration, challenges) = configuration { _ in disposition }
            try await FaultServer.run(Self.ok, options: asking(version)) { server in
                try await withSession(configuration) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    #expect(error.code == code, "\(error)")
                    #expect((error.underlying is Mine) == (code == .authenticationFailed))
                    #expect(challenges.events.count == 1 && server.requests.isEmpty)
                }
            }
        }
    }

    @Test func `files that cannot be used are an error that names them`() async throws {
        try await certificates.withFiles { files in
            let (certificate, otherKey) = (files.path("client.pem"), files.path("localhost.key"))
            for (key, text) in [("missing", "missing"), (otherKey, "do not belong together")] {
                let identity = TLSSettings.Identity(certificateFile: certificate, privateKeyFile: key)
                let (configuration, _) = configuration { _ in .use(Credential(identity: identity)) }
                try await FaultServer.run(Self.ok, options: asking(.tls13)) { server in
                    try await withSession(configuration) { session in
                        let error = try await networkingError {
                            try await session.data(for: Request(to: server.baseURL))
                        }
                        #expect(error.code == .invalidTrustConfiguration && error.message.contains(text), "\(error)")
                    }
                }
            }
        }
    }

    @Test(arguments: versions)
    func `nobody is asked for a server that is not trusted, or that asks for nothing`(
        version: ServerTLS.Version
    ) async throws {
        let (configuration, challenges) = configuration { _ in .cancel }
        try await FaultServer.run(Self.ok, options: asking(version, certificates.untrusted)) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .certificateUntrusted)
            }
        }
        let quiet = ServerTLS(certificates.localhost, minimumVersion: version, maximumVersion: version)
        try await FaultServer.run(Self.ok, options: .init(tls: quiet)) { server in
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
        }
        #expect(challenges.events.isEmpty)
    }

    @Test(arguments: versions)
    func `a hook that does not answer ends with the time for the connection, or with the session`(
        version: ServerTLS.Version
    ) async throws {
        let ended = EventLog<Bool>()
        let (base, challenges) = configuration { _ in
            try? await Task.sleep(for: .seconds(3_600))
            ended.append(Task.isCancelled)
            return .cancel
        }
        try await FaultServer.run(Self.ok, options: asking(version)) { server in
            var configuration = base
            // Long enough for the handshake to ask, also on a busy machine.
            configuration.timeouts.connect = .seconds(2)
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .connectTimeout, "\(error)")
            }
            try await until("the first hook has ended") { ended.events == [true] }
            try await withSession(base) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await until("the second hook is asked") { challenges.events.count == 2 }
                session.invalidate(cancellingTasks: true)
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled || error.code == .sessionInvalidated, "\(error)")
            }
            try await until("the second hook has ended") { ended.events == [true, true] }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a question that is repeated gets no second answer while the connection is open`() async throws {
        let gate = Gate()
        let channel = NIOAsyncTestingChannel()
        let asked = EventLog<Int>()
        let (first, second) = try await channel.testingEventLoop.executeInContext {
            let answer = ClientCertificateAnswer(.init(host: "localhost"), channel: channel) { _ in
                asked.append(1)
                await gate.wait()
                return .rejectProtectionSpace
            }
            let promises = (0..<2).map { _ in
                channel.eventLoop.makePromise(of: ClientCertificateAnswer.Identity.self)
            }
            for promise in promises { answer.ask(promise) }
            return (promises[0].futureResult, promises[1].futureResult)
        }
        let ends = EventLog<String>()
        second.whenFailure { _ in ends.append("closed") }
        first.whenSuccess { _ in ends.append("answered") }
        gate.open()
        _ = try await first.get()
        try await channel.close()
        await #expect(throws: ChannelError.ioOnClosedChannel) { _ = try await second.get() }
        #expect(ends.events == ["answered", "closed"] && asked.events == [1])
    }

    @Test func `the description of a client certificate shows no password, and no request sends it`() async throws {
        let identity = TLSSettings.Identity(pkcs12File: "me.p12", password: "secret")
        let credential = Credential(identity: identity)
        #expect(credential.description == "a client certificate (task)" && credential.identity == identity)
        #expect(credential.user == nil && credential.password == nil && credential.token == nil)
        #expect(!"\(credential) \(String(reflecting: credential))".contains("secret"))
        let script: FaultServer.Script = .requests { _ in
            [.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n")]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError {
                    _ = try await api.get("a", options: [.credential(credential)], as: .data)
                }
                #expect(error.response?.status == .unauthorized)
                #expect(server.requests.allSatisfy { $0.value(of: "authorization") == nil })
            }
        }
    }
}
