import Foundation
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Verdicts that are kept, and the time at which a policy counts.
@Suite(.timeLimit(.minutes(5)))
struct TrustEvaluatorTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let time: Mutex<Date>

        init(_ time: Date) { self.time = Mutex(time) }

        var now: Date { time.withLock { $0 } }

        func set(_ now: Date) { time.withLock { $0 = now } }
    }

    private let shop: TrustWorkshop
    private let stranger: PublicKeyPin

    init() throws {
        shop = try TrustWorkshop.shared()
        stranger = try PublicKeyPin("sha256/" + TestCertificates.shared().client.publicKeyPin)
    }

    private func evaluator(_ scene: TrustScene, _ policy: SecurityPolicy, _ clock: Clock) -> TrustEvaluator {
        var configuration = scene.configuration
        configuration.securityPolicy = policy
        return TrustEvaluator(configuration, now: { clock.now })
    }

    private func origin(_ scene: TrustScene) -> Origin {
        Origin(isSecure: true, endpoint: .host(scene.host, port: 443))
    }

    private func error(_ evaluator: TrustEvaluator, _ scene: TrustScene) async -> NetworkingError.Code? {
        await withCheckedContinuation { continuation in
            _ = evaluator.evaluate(
                scene.shown.map(\.der),
                of: origin(scene),
                identity: ServerIdentity(host: scene.host),
                anchors: scene.anchors
            ) { result in
                switch result {
                case .success: continuation.resume(returning: nil)
                case .failure(let error): continuation.resume(returning: error.code)
                }
            }
        }
    }

    @Test func `a verdict without pins that have expired does not count when the clock is set back`() async throws {
        let scene = try shop.scene()
        let end = shop.now.addingTimeInterval(60)
        let policy = SecurityPolicy.pinning(keys: [stranger], until: end)
        let clock = Clock(end.addingTimeInterval(10))
        let evaluator = evaluator(scene, policy, clock)
        for _ in 0..<2 { #expect(await error(evaluator, scene) == nil) }
        #expect(evaluator.evaluationCount == 1)
        clock.set(end)
        #expect(await error(evaluator, scene) == .certificateNotPinned)
        clock.set(end.addingTimeInterval(10))
        #expect(await error(evaluator, scene) == nil)
    }

    @Test func `a small chain that is good is decided before the call returns`() async throws {
        let scene = try shop.scene()
        let evaluator = evaluator(scene, .standard, Clock(shop.now))
        let accepted = Counter()
        _ = evaluator.evaluate(
            scene.shown.map(\.der),
            of: origin(scene),
            identity: ServerIdentity(host: scene.host),
            anchors: scene.anchors
        ) { result in
            if case .success = result { accepted.increment() }
        }
        #expect(accepted.value == 1)
        #expect(evaluator.evaluationCount == 1)
    }

    @Test func `a verdict with pins does not count when they have expired`() async throws {
        let scene = try shop.scene()
        let leaf = try PinnedCertificate(derRepresentation: Data(scene.shown[0].der))
        let end = shop.now.addingTimeInterval(60)
        let policy = SecurityPolicy.pinning(keys: [PublicKeyPin(leaf)], until: end)
        let clock = Clock(shop.now)
        let evaluator = evaluator(scene, policy, clock)
        for time in [shop.now, end, end.addingTimeInterval(1), end.addingTimeInterval(2)] {
            clock.set(time)
            #expect(await error(evaluator, scene) == nil)
        }
        #expect(evaluator.evaluationCount == 2)
    }

    @Test func `pins of a list that expire during the handshake leave those of the policy`() async throws {
        let scene = try shop.scene()
        let leaf = PublicKeyPin(try PinnedCertificate(derRepresentation: Data(scene.shown[0].der)))
        let end = Date(timeIntervalSince1970: shop.now.timeIntervalSince1970.rounded() + 60)
        let expires = end.formatted(.iso8601)
        let list = "{\"hosts\": {\"localhost\": {\"pins\": [\"\(leaf)\"], \"expires\": \"\(expires)\"}}}"
        var configuration = scene.configuration
        configuration.securityPolicy = .pinning(keys: [stranger])
        configuration.pinList = try PinList(Data(list.utf8))
        let clock = Clock(end.addingTimeInterval(-5))
        let evaluator = TrustEvaluator(configuration, now: { clock.now })
        // When the handshake begins, and when the certificates are there.
        #expect(try evaluator.policy(for: origin(scene)).acceptedKeys == [leaf])
        clock.set(end.addingTimeInterval(1))
        #expect(await error(evaluator, scene) == .certificateNotPinned)
        clock.set(end.addingTimeInterval(-5))
        #expect(await error(evaluator, scene) == nil)
    }

    @Test func `a host whose policy is gone when its certificates come is refused`() async throws {
        let scene = try shop.scene()
        var configuration = scene.configuration
        configuration.hostSecurityPolicies.isEveryHostRequired = true
        #expect(await error(TrustEvaluator(configuration), scene) == .invalidTrustConfiguration)
    }

    @Test func `with expired pins, a host without an identity is refused before the handshake`() async throws {
        var policy = SecurityPolicy.acceptingAnyCertificate
        policy.pinningMode = .publicKey
        policy.pinnedKeys = [stranger]
        let identity = try TestCertificates.shared().localhost
        for isExpired in [true, false] {
            policy.pinsExpire = isExpired ? .distantPast : nil
            policy.reportsOnly = !isExpired
            var configuration = SessionConfiguration(trusting: try TestCertificates.shared().authority)
            configuration.securityPolicy = policy
            try await FaultServer.run([.readRequest, .close], options: .init(tls: ServerTLS(identity))) { server in
                try await withSession(configuration) { session in
                    let error = try await networkingError {
                        _ = try await session.data(for: Request(to: "https://127.1:\(server.port)/"))
                    }
                    #expect(error.code == .invalidURL, "\(error)")
                }
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections[0].bytesReceived == 0)
            }
        }
    }
}
