import Foundation
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// The policies of a session in real handshakes.
@Suite(.timeLimit(.minutes(5)))
struct SecurityPolicyTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func configuration(_ policy: SecurityPolicy) -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.securityPolicy = policy
        return configuration
    }

    private func pin(_ identity: TestIdentity) throws -> PublicKeyPin {
        try PublicKeyPin("sha256/" + identity.publicKeyPin)
    }

    /// Runs a server that closes each connection after a response.
    private func withServer(
        _ identity: TestIdentity? = nil,
        _ body: (FaultServer) async throws -> Void
    ) async throws {
        let tls = ServerTLS(identity ?? certificates.localhost)
        try await FaultServer.run(.requests { _ in [.respond(body: "ok"), .close] }, options: .init(tls: tls), body)
    }

    private func error(_ configuration: SessionConfiguration, _ server: FaultServer) async throws -> NetworkingError {
        try await withSession(configuration) { session in
            try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
        }
    }

    @Test func `a server with a pinned key receives the request, and another one no byte`() async throws {
        try await withServer { server in
            try await withSession(configuration(.pinning(keys: [try pin(certificates.intermediate)]))) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
            }
        }
        try await withServer { server in
            let error = try await error(configuration(.pinning(keys: [try pin(certificates.client)])), server)
            #expect(error.code == .certificateNotPinned && error.trustRefusal?.rule == .pin, "\(error)")
            #expect(error.number == -1202)
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0)
        }
    }

    @Test func `each host can have a policy, and every host can need one`() async throws {
        try await withServer { server in
            var configuration = configuration(.pinning(keys: [try pin(certificates.client)]))
            configuration.hostSecurityPolicies = ["localhost": .standard]
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
                let other = "https://127.0.0.1:\(server.port)/"
                let error = try await networkingError { _ = try await session.data(for: Request(to: other)) }
                #expect(error.code == .certificateNotPinned, "\(error)")
            }
            configuration.securityPolicy = .standard
            configuration.hostSecurityPolicies = ["example.com": .standard]
            configuration.hostSecurityPolicies.isEveryHostRequired = true
            let error = try await error(configuration, server)
            #expect(error.code == .invalidTrustConfiguration && error.trustRefusal?.rule == .hostPolicy, "\(error)")
        }
    }

    @Test func `a report comes for each connection, and a pin that only reports refuses nobody`() async throws {
        var policy = SecurityPolicy.pinning(keys: [try pin(certificates.client)])
        policy.reportsOnly = true
        let box = ReportBox()
        policy.report = { report in box.reports.withLock { $0.append(report) } }
        try await withServer { server in
            try await withSession(configuration(policy)) { session in
                for _ in 0..<2 { _ = try await session.data(for: Request(to: server.baseURL)) }
            }
            let reports = box.reports.withLock { $0 }
            #expect(reports.count == 2 && reports.allSatisfy { $0.isAccepted && $0.brokenRules == [.pin] })
            #expect(reports[0].refusal?.rule == .pin && reports[0].matchedPin == nil)
            #expect(reports[0].host == "localhost:\(server.port)")
            #expect(reports[0].presentedChain.count == 2 && reports[0].verifiedChain.count == 3)
        }
    }

    /// RFC 8446 §4.6.1: a client that resumes a session gets no certificates.
    @Test(.needs("openssl"), arguments: [ServerTLS.Version.tls12, .tls13])
    func `a server that resumes sessions is verified on each connection all the same`(
        version: ServerTLS.Version
    ) async throws {
        let tls = ServerTLS(certificates.localhost, minimumVersion: version, maximumVersion: version)
        let script = FaultServer.Script.requests { _ in [.respond(body: "ok"), .close] }
        let list = { (pin: String) in Data(#"{"hosts":{"localhost":{"pins":["sha256/\#(pin)"]}}}"#.utf8) }
        let pins = try PinList(list(certificates.localhost.publicKeyPin))
        let box = ReportBox()
        var policy = SecurityPolicy()
        policy.report = { report in box.reports.withLock { $0.append(report) } }
        var configuration = configuration(policy)
        configuration.pinList = pins
        try await FaultServer.run(script, options: .init(tls: tls)) { server in
            try await withDirectory { directory in
                // It does resume one with OpenSSL.
                let file = directory.appending(path: "session").path
                let status = try await OtherProgram.run("sh", ["-c", Self.resumption, "sh", "\(server.port)", file])
                #expect(status == 0 && server.requests.count == 2)
            }
            try await withSession(configuration) { session in
                for _ in 0..<2 {
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8) && !response.timings.isConnectionReused)
                }
                #expect(box.reports.withLock { $0.map(\.isAccepted) } == [true, true])
                try pins.load(list(certificates.client.publicKeyPin))
                let error = try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .certificateNotPinned, "\(error)")
                try await server.waitUntilClosed(connection: 4)
                #expect(server.connections.count == 5 && server.connections[4].bytesReceived == 0)
                #expect(box.reports.withLock { $0.count } == 3)
            }
        }
    }

    /// Two requests of `openssl s_client`: the second must resume the session of the first.
    private static let resumption = """
        ask() {
            printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' \\
                | openssl s_client -connect "127.0.0.1:$1" -ign_eof "$2" "$3" 2>/dev/null
        }
        ask "$1" -sess_out "$2" | grep '^New, ' >&2 && ask "$1" -sess_in "$2" | grep '^Reused, ' >&2
        """

    @Test func `a closure can decide, both ways, with the chains before it`() async throws {
        for (decision, isAccepted) in [
            (TrustDecision.accept, true), (.byPolicy, false), (.refuse("not today"), false),
        ] {
            var policy = SecurityPolicy()
            let box = ReportBox()
            policy.decision = { report in
                await Task.yield()
                box.reports.withLock { $0.append(report) }
                return decision
            }
            try await withServer(certificates.selfSigned) { server in
                try await withSession(configuration(policy)) { session in
                    let request = try Request(to: server.baseURL)
                    if isAccepted {
                        let response = try await session.data(for: request)
                        #expect(response.value == Data("ok".utf8))
                    } else {
                        let error = try await networkingError { _ = try await session.data(for: request) }
                        let isRefused = decision != .byPolicy
                        #expect(error.code == (isRefused ? .certificateRefused : .certificateUntrusted), "\(error)")
                        #expect(error.message.contains("not today") == isRefused, "\(error)")
                        try await server.waitUntilClosed(connection: 0)
                        #expect(server.connections[0].bytesReceived == 0)
                    }
                }
                #expect(box.reports.withLock { $0.map(\.refusal?.rule) } == [.selfSigned])
            }
        }
    }

    @Test func `a decision that does not come ends with the time for connecting`() async throws {
        var policy = SecurityPolicy()
        let wasCancelled = ReportBox()
        policy.decision = { report in
            try? await Task.sleep(for: .seconds(600))
            if Task.isCancelled { wasCancelled.reports.withLock { $0.append(report) } }
            return .accept
        }
        var configuration = configuration(policy)
        configuration.timeouts.connect = .milliseconds(300)
        try await withServer { server in
            let error = try await error(configuration, server)
            #expect(error.code == .connectTimeout, "\(error)")
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].bytesReceived == 0)
            while wasCancelled.reports.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    // MARK: Base URLs

    @Test func `a session with pins does not send relative paths to a base that is not https`() async throws {
        let script = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
        let configuration = configuration(.pinning(keys: [try pin(certificates.intermediate)]))
        try await FaultServer.run(script) { plain in
            try await withServer { server in
                try await withSession(configuration) { session in
                    let api = HTTPSessionManager(baseURL: plain.baseURL, session: session)
                    let error = try await networkingError { let _: String = try await api.get("path") }
                    #expect(error.code == .invalidTrustConfiguration, "\(error)")
                    let text: String = try await api.get(server.baseURL + "/")
                    #expect(text == "ok")
                    #expect(plain.connections.isEmpty)
                }
            }
        }
    }

    // MARK: Known chains

    @Test func `a chain is verified once, as long as it is valid`() async throws {
        let clock = ReportClock()
        let evaluator = TrustEvaluator(configuration(.standard), now: { clock.now })
        let identity = certificates.localhost
        let presented = [identity.certificateDER, certificates.intermediate.certificateDER]
        let anchors = TrustAnchors([certificates.authority.certificateDER])
        func evaluate(_ host: String, _ presented: [[UInt8]]) async -> NetworkingError.Code? {
            await withCheckedContinuation { continuation in
                _ = evaluator.evaluate(
                    presented,
                    of: Origin(isSecure: true, endpoint: .host(host, port: 443)),
                    identity: ServerIdentity(host: host),
                    anchors: anchors
                ) { result in
                    switch result {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error.code)
                    }
                }
            }
        }
        for _ in 0..<5 { #expect(await evaluate("localhost", presented) == nil) }
        #expect(evaluator.evaluationCount == 1)
        // Another host is another question, and refusals are not stored.
        #expect(await evaluate("127.0.0.1", presented) == nil)
        for _ in 0..<2 { #expect(await evaluate("example.com", presented) == .certificateHostMismatch) }
        #expect(evaluator.evaluationCount == 4)
        #expect(await evaluate("localhost", Array(presented.prefix(1))) == .certificateUntrusted)
        clock.advance(by: 200_000)
        #expect(await evaluate("localhost", presented) == .certificateExpired)
        #expect(evaluator.evaluationCount == 6)
    }
}

/// The reports that closures have received.
private final class ReportBox: Sendable {
    let reports = Mutex<[TrustReport]>([])
}

/// A clock that a test sets.
private final class ReportClock: Sendable {
    private let offset = Mutex(0.0)

    var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    func advance(by seconds: Double) { offset.withLock { $0 += seconds } }
}
