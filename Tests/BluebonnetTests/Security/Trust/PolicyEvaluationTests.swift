import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Policies and their pins, as values.
@Suite(.timeLimit(.minutes(5)))
struct PolicyEvaluationTests {
    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    private func pinned(_ certificates: MintedCertificate...) throws -> Set<PinnedCertificate> {
        Set(try certificates.map { try PinnedCertificate(derRepresentation: Data($0.der)) })
    }

    private func key(_ certificate: MintedCertificate) throws -> PublicKeyPin {
        PublicKeyPin(try PinnedCertificate(derRepresentation: Data(certificate.der)))
    }

    /// The rule that refuses; nil where the server is accepted.
    private func refusal(_ policy: SecurityPolicy, _ scene: TrustScene, at now: Date? = nil) -> TrustRule? {
        let verdict = verdict(policy, scene, at: now)
        #expect(verdict.isRefused == (verdict.refusal != nil) || policy.reportsOnly)
        return verdict.isRefused ? verdict.refusal?.rule : nil
    }

    private func verdict(_ policy: SecurityPolicy, _ scene: TrustScene, at now: Date? = nil) -> TrustVerdict {
        PolicyEvaluation(
            policy,
            identity: ServerIdentity(host: scene.host),
            anchors: scene.anchors,
            now: now ?? shop.now
        ).verdict(scene.shown.map(\.der))
    }

    private func policy(
        _ mode: SecurityPolicy.PinningMode = .none,
        _ pins: Set<PinnedCertificate> = [],
        allowsInvalid: Bool = false,
        validatesName: Bool = true
    ) -> SecurityPolicy {
        var policy = SecurityPolicy.pinning(mode, pins)
        policy.allowsInvalidCertificates = allowsInvalid
        policy.validatesDomainName = validatesName
        return policy
    }

    private func selfSigned(_ change: TrustWorkshop.Change = { _ in }) throws -> TrustScene {
        TrustScene([try shop.leaf(by: nil, change)], trusting: [shop.root])
    }

    // MARK: Without pins

    @Test func `without pins a valid certificate for the host is accepted, and no other`() throws {
        #expect(refusal(policy(), try shop.scene()) == nil)
        #expect(refusal(policy(), try shop.scene { $0.setNames([.dns("example.com")]) }) == .host)
        #expect(refusal(policy(), try selfSigned()) == .selfSigned)
    }

    @Test func `without the check of names a valid certificate for any host is accepted`() throws {
        let policy = policy(validatesName: false)
        #expect(refusal(policy, try shop.scene { $0.setNames([.dns("example.com")]) }) == nil)
        #expect(refusal(policy, try selfSigned()) == .selfSigned)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.none, .publicKey, .certificate])
    func `invalid certificates with a name to be checked and without pins are always refused`(
        mode: SecurityPolicy.PinningMode
    ) throws {
        // AFNetworking: “In order to validate a domain name for self signed certificates, you MUST
        // use pinning.” It also refuses a server that is good.
        #expect(refusal(policy(mode, allowsInvalid: true), try shop.scene()) == .namesNeedPins)
        #expect(refusal(policy(mode, allowsInvalid: true), try selfSigned()) == .namesNeedPins)
    }

    @Test func `invalid certificates without a name to be checked are accepted`() throws {
        let policy = SecurityPolicy.acceptingAnyCertificate
        #expect(refusal(policy, try selfSigned { $0.setNames(nil) }) == nil)
        #expect(refusal(policy, try shop.scene { $0.expire() }) == nil)
        #expect(refusal(policy, try shop.scene { $0.breaksSignature = true }) == nil)
    }

    // MARK: Pinned certificates

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `without any pin every server is refused`(mode: SecurityPolicy.PinningMode) throws {
        #expect(refusal(policy(mode), try shop.scene()) == .pin)
        #expect(refusal(policy(mode, allowsInvalid: true, validatesName: false), try shop.scene()) == .pin)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `each certificate of a chain can be pinned`(mode: SecurityPolicy.PinningMode) throws {
        let scene = try shop.scene()
        for certificate in [scene.shown[0], shop.middle, shop.root] {
            #expect(refusal(policy(mode, try pinned(certificate)), scene) == nil)
        }
        #expect(refusal(policy(mode, try pinned(try shop.authority("Other", 9))), scene) == .pin)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `a pin does not help an invalid certificate`(mode: SecurityPolicy.PinningMode) throws {
        let expired = try shop.scene { $0.expire() }
        #expect(refusal(policy(mode, try pinned(shop.middle)), expired) == .notAfter)
        let selfSigned = try selfSigned()
        #expect(refusal(policy(mode, try pinned(selfSigned.shown[0])), selfSigned) == .selfSigned)
        let other = try shop.scene { $0.setNames([.dns("example.com")]) }
        #expect(refusal(policy(mode, try pinned(shop.middle)), other) == .host)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `where invalid certificates are accepted, a self-signed one is if it is pinned`(
        mode: SecurityPolicy.PinningMode
    ) throws {
        let scene = try selfSigned()
        #expect(refusal(policy(mode, try pinned(scene.shown[0]), allowsInvalid: true), scene) == nil)
        #expect(refusal(policy(mode, try pinned(shop.middle), allowsInvalid: true), scene) == .pin)
        let other = try selfSigned { $0.setNames([.dns("example.com")]) }
        #expect(refusal(policy(mode, try pinned(other.shown[0]), allowsInvalid: true), other) == .host)
        let unnamed = policy(mode, try pinned(other.shown[0]), allowsInvalid: true, validatesName: false)
        #expect(refusal(unnamed, other) == nil)
    }

    @Test func `a pinned certificate is trusted as the only authority, dates included`() throws {
        let unknown = try shop.authority("Unknown", 8)
        let scene = TrustScene([try shop.leaf(by: unknown), unknown], trusting: [shop.root])
        #expect(refusal(policy(.certificate, try pinned(unknown), allowsInvalid: true), scene) == nil)
        let expired = TrustScene([try shop.leaf(by: unknown) { $0.expire() }, unknown], trusting: [shop.root])
        #expect(refusal(policy(.certificate, try pinned(unknown), allowsInvalid: true), expired) == .notAfter)
        // The keys alone do not expire.
        #expect(refusal(policy(.publicKey, try pinned(unknown), allowsInvalid: true), expired) == nil)
    }

    @Test func `a pinned certificate that an attacker shows behind his own does not help him`() throws {
        let good = try shop.leaf(by: shop.middle)
        let forged = try shop.leaf(by: nil) { $0.key = shop.keys[9] }
        let scene = TrustScene([forged, good, shop.middle, shop.root], trusting: [shop.root])
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            for allowsInvalid in [true, false] {
                let policy = policy(
                    mode,
                    try pinned(good, shop.middle),
                    allowsInvalid: allowsInvalid,
                    validatesName: false
                )
                #expect(refusal(policy, scene) == (allowsInvalid ? .pin : .selfSigned))
            }
        }
    }

    // MARK: Pinned keys

    @Test func `a pinned key outlives its certificate`() throws {
        let pinning = SecurityPolicy.pinning(keys: [try key(try shop.leaf(by: shop.middle))])
        let renewed = try shop.scene { $0.notAfter.addTimeInterval(1000) }
        #expect(refusal(pinning, renewed) == nil)
        #expect(refusal(pinning, try shop.scene { $0.key = shop.keys[9] }) == .pin)
        #expect(refusal(policy(.certificate, try pinned(try shop.leaf(by: shop.middle))), renewed) == .pin)
    }

    @Test func `a pin may be on one of two paths`() throws {
        let other = try shop.authority("Other root", 8)
        let cross = try shop.middle.mint.made(by: other)
        let scene = TrustScene([try shop.leaf(by: shop.middle), shop.middle, cross], trusting: [shop.root, other])
        for certificate in [shop.root, other] {
            #expect(refusal(.pinning(keys: [try key(certificate)]), scene) == nil)
        }
    }

    @Test func `the report tells a backup pin from the others`() throws {
        let scene = try shop.scene()
        let (leaf, middle) = (try key(scene.shown[0]), try key(shop.middle))
        let first = verdict(.pinning(keys: [leaf], backups: [middle]), scene)
        #expect(!first.isRefused && first.pin == leaf && !first.isBackupPin)
        let second = verdict(.pinning(keys: [try key(try shop.authority("A", 9))], backups: [middle]), scene)
        #expect(!second.isRefused && second.pin == middle && second.isBackupPin)
    }

    @Test func `pins that have expired are not used, and nothing else is accepted for that`() throws {
        let end = shop.now.addingTimeInterval(60)
        var policy = SecurityPolicy.pinning(keys: [try key(try shop.authority("Old", 9))], until: end)
        let scene = try shop.scene()
        #expect(refusal(policy, scene) == .pin)
        #expect(refusal(policy, scene, at: end) == .pin)
        #expect(refusal(policy, scene, at: end.addingTimeInterval(1)) == nil)
        policy.allowsInvalidCertificates = true
        #expect(refusal(policy, try selfSigned(), at: end.addingTimeInterval(1)) == .selfSigned)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `pins that only report refuse nobody but for other reasons`(mode: SecurityPolicy.PinningMode) throws {
        var policy = policy(mode, try pinned(try shop.authority("Other", 9)), allowsInvalid: true)
        policy.reportsOnly = true
        let scene = verdict(policy, try shop.scene())
        #expect(!scene.isRefused && scene.refusal?.rule == .pin && scene.findings.map(\.rule) == [.pin])
        #expect(refusal(policy, try selfSigned()) == .selfSigned)
        #expect(refusal(policy, try shop.scene { $0.expire() }) == .notAfter)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate], [true, false])
    func `pins that are gone or only report leave valid certificates for the host`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool
    ) throws {
        let other = try shop.scene { $0.setNames([.dns("example.com")]) }
        let pins = try pinned(shop.middle)
        #expect(refusal(policy(mode, pins, allowsInvalid: allowsInvalid, validatesName: false), other) == nil)
        for isExpired in [true, false] {
            var policy = policy(mode, pins, allowsInvalid: allowsInvalid, validatesName: false)
            policy.pinsExpire = isExpired ? .distantPast : nil
            policy.reportsOnly = !isExpired
            #expect(refusal(policy, try shop.scene()) == nil)
            #expect(refusal(policy, other) == .host)
            #expect(refusal(policy, try shop.scene { $0.expire() }) == .notAfter)
            let nameless = PolicyEvaluation(policy, identity: nil, anchors: other.anchors, now: shop.now)
            #expect(nameless.verdict(other.shown.map(\.der)).refusal?.rule == .host)
        }
    }

    @Test(arguments: ["\"expires\": \"2020-01-01T00:00:00Z\"", "\"reportsOnly\": true"])
    func `a list of pins that expire or only report does not leave a policy that accepts everything`(
        member: String
    ) throws {
        let list = "{\"hosts\": {\"localhost\": {\"pins\": [\"\(try key(shop.middle))\"], \(member)}}}"
        var configuration = SessionConfiguration()
        configuration.securityPolicy = .acceptingAnyCertificate
        configuration.pinList = try PinList(Data(list.utf8))
        let policy = try #require(try configuration.policy(for: "localhost", at: shop.now))
        #expect(refusal(policy, try shop.scene()) == nil)
        #expect(refusal(policy, try shop.scene { $0.setNames([.dns("example.com")]) }) == .host)
        #expect(refusal(policy, try selfSigned()) == .selfSigned)
    }

    @Test func `a pin may be above an authority that is trusted itself`() throws {
        let leaf = try shop.leaf(by: shop.middle)
        for shown in [[leaf, shop.middle], [leaf]] {
            let scene = TrustScene(shown, trusting: [shop.middle, shop.root])
            for certificate in [leaf, shop.middle, shop.root] {
                #expect(refusal(.pinning(keys: [try key(certificate)]), scene) == nil)
            }
            #expect(refusal(.pinning(keys: [try key(try shop.authority("Other", 9))]), scene) == .pin)
        }
    }

    // MARK: Pinned keys and invalid certificates

    @Test func `who has a certificate below a pinned key cannot sign another one with it`() throws {
        let own = try shop.leaf(by: shop.middle) {
            $0.subject = try CertificateMint.name([([2, 5, 4, 3], "attacker")])
            $0.key = shop.keys[9]
            $0.setNames([.dns("attacker.example")])
        }
        let forged = try shop.leaf(by: own)
        for trusted in [[shop.root], [shop.middle], []] {
            let scene = TrustScene([forged, own, shop.middle], trusting: trusted)
            for validatesName in [true, false] {
                let policy = policy(
                    .publicKey,
                    try pinned(shop.middle),
                    allowsInvalid: true,
                    validatesName: validatesName
                )
                #expect(refusal(policy, scene) == .basicConstraints)
            }
        }
    }

    @Test func `what is between a server and a pinned key must be authorities that may sign for it`() throws {
        func refusal(
            most: UInt8? = nil,
            between change: TrustWorkshop.Change = { _ in },
            leaf changeLeaf: TrustWorkshop.Change = { _ in }
        ) throws -> TrustRule? {
            let top = try shop.authority("Top", 8) { mint in
                mint.key = try shop.key(.rsa2048)
                mint.expire()
                if let most { mint.replace(.authority(most: most)) }
            }
            let between = try shop.authority("Between", 7, by: top, change)
            let scene = TrustScene([try shop.leaf(by: between, changeLeaf), between, top], trusting: [shop.root])
            return self.refusal(policy(.publicKey, try pinned(top), allowsInvalid: true), scene)
        }
        #expect(try refusal() == nil)
        // What is wrong with the dates, and with the uses of the server's own certificate, does not
        // count.
        #expect(try refusal(between: { $0.expire() }, leaf: { $0.delay() }) == nil)
        #expect(try refusal(leaf: { $0.replace(try .purposes([2])) }) == nil)
        #expect(try refusal(most: 0) == .pathLength)
        #expect(try refusal(between: { $0.remove([2, 5, 29, 19]) }) == .basicConstraints)
        #expect(try refusal(between: { $0.replace(.keyUsage(0x02)) }) == .keyUsage)
        #expect(try refusal(between: { $0.extensions.append(try .purposes([2])) }) == .extendedKeyUsage)
        #expect(try refusal(between: { $0.version = nil }) == .version)
        #expect(try refusal(between: { $0.extensions.append(.unknown(isCritical: true)) }) == .criticalExtension)
        #expect(try refusal(between: { $0.hasSHA1 = true }) == .signatureHash)
        #expect(try refusal(leaf: { $0.key = try shop.key(.rsa1024) }) == .key)
        let constraints = CertificateMint.Extension.nameConstraints(permitted: [.dns("example.com")])
        #expect(try refusal(between: { $0.extensions.append(constraints) }) == .nameConstraints)
        #expect(try refusal(leaf: { $0.setNames([.dns("example.com")]) }) == .host)
    }

    @Test func `a pinned key does not help a certificate that was revoked`() throws {
        var scene = try shop.scene()
        let list = try RevocationListMint([[1]], by: shop.middle, at: shop.now).madePEM()
        scene.revocationLists = .pem(list)
        for certificate in [scene.shown[0], shop.middle, shop.root] {
            #expect(refusal(policy(.publicKey, try pinned(certificate), allowsInvalid: true), scene) == .revocation)
        }
        // Also where nobody is trusted but the pinned key.
        scene.trusted = []
        for certificate in [scene.shown[0], shop.middle] {
            let verdict = verdict(policy(.publicKey, try pinned(certificate), allowsInvalid: true), scene)
            #expect(verdict.refusal?.rule == .revocation && verdict.isRefused)
            #expect(verdict.findings.map(\.rule).contains(.revocation))
        }
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `a pinned certificate that the authority above it has revoked is refused`(
        mode: SecurityPolicy.PinningMode
    ) throws {
        let leaf = try shop.leaf(by: shop.middle)
        for trusted in [[shop.root], []] {
            var scene = TrustScene([leaf, shop.middle, shop.root], trusting: trusted)
            scene.revocationLists = .pem(try RevocationListMint([[1]], by: shop.middle, at: shop.now).madePEM())
            #expect(refusal(policy(mode, try pinned(leaf), allowsInvalid: true), scene) == .revocation)
            scene.revocationLists = .pem(try RevocationListMint([[1]], by: shop.root, at: shop.now).madePEM())
            #expect(refusal(policy(mode, try pinned(shop.middle), allowsInvalid: true), scene) == .revocation)
            // What is above the pinned one does not count.
            #expect(refusal(policy(mode, try pinned(leaf), allowsInvalid: true), scene) == nil)
        }
    }

    @Test func `of several paths, that with the pinned key counts where certificates may be invalid`() throws {
        let (first, second) = (try shop.authority("First", 3), try shop.authority("Second", 4))
        let top = try shop.authority("Top", 5)
        let middle = try shop.authority("Both", 6, by: first)
        let cross = try middle.mint.made(by: second)
        let crossed = try second.mint.made(by: top)
        let leaf = try shop.leaf(by: middle)
        let orders = [[leaf, middle, cross, crossed, top, first], [leaf, cross, middle, first, crossed, top]]
        for shown in orders {
            for trusted in [[], [top], [shop.root]] {
                let scene = TrustScene(shown, trusting: trusted)
                for certificate in [first, second, top, middle, leaf] {
                    let policy = policy(.publicKey, try pinned(certificate), allowsInvalid: true)
                    #expect(refusal(policy, scene) == nil)
                }
                let stranger = policy(.publicKey, try pinned(try shop.authority("Other", 9)), allowsInvalid: true)
                #expect(refusal(stranger, scene) == .pin)
                // The names still count, and without the exception so does trust.
                let other = policy(.publicKey, try pinned(first), allowsInvalid: true)
                var elsewhere = scene
                elsewhere.host = "example.com"
                #expect(refusal(other, elsewhere) != nil)
                #expect(refusal(policy(.publicKey, try pinned(first)), scene) != nil)
            }
        }
    }

    @Test func `a path that breaks no rule is preferred to one that only the pin vouches for`() throws {
        // The expired one is tried first, because its identifier fits.
        let expired = try shop.authority("Renewed", 3, by: shop.root) { mint in
            mint.expire()
            mint.extensions.append(.subjectKey([1]))
        }
        let valid = try shop.authority("Renewed", 3, by: shop.root)
        let leaf = try shop.leaf(by: valid) { $0.extensions.append(.authorityKey([1])) }
        let policy = policy(.publicKey, try pinned(leaf), allowsInvalid: true)
        let both = verdict(policy, TrustScene([leaf, expired, valid], trusting: [shop.root]))
        #expect(!both.isRefused && both.findings.isEmpty)
        let one = verdict(policy, TrustScene([leaf, expired], trusting: [shop.root]))
        #expect(!one.isRefused && one.findings.map(\.rule) == [.notAfter])
    }

    @Test func `a pinned key that is too short, or in a certificate that cannot be read, is found`() throws {
        func refusal(_ scene: TrustScene, validatesName: Bool) throws -> TrustRule? {
            let pins = try pinned(scene.shown[0])
            return self.refusal(
                policy(.publicKey, pins, allowsInvalid: true, validatesName: validatesName),
                scene
            )
        }
        let short = try selfSigned { $0.key = try shop.key(.rsa1024) }
        #expect(try refusal(short, validatesName: true) == nil)
        let other = try selfSigned {
            $0.key = try shop.key(.rsa1024)
            $0.setNames([.dns("example.com")])
        }
        #expect(try refusal(other, validatesName: true) == .host && refusal(other, validatesName: false) == nil)
        let unread = try selfSigned { $0.setNames([.dns("bücher.example")]) }
        #expect(try refusal(unread, validatesName: true) == .encoding && refusal(unread, validatesName: false) == nil)
        #expect(self.refusal(.pinning(keys: [try key(short.shown[0])]), short) == .selfSigned)
    }

    @Test(arguments: ["", "sha256/", "sha1/AAAA", "sha256/AAAA", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="])
    func `what is not a pin is refused`(text: String) {
        #expect(throws: NetworkingError.self) { try PublicKeyPin(text) }
    }

    @Test(arguments: [
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "/yCKL4C4nShe/EdVAL9FVeSXZb3VpGkRF1wiEwsD7CY=",
        Data(repeating: 0xFF, count: 32).base64EncodedString(),
    ])
    func `pins are read as curl and OkHttp write them`(text: String) throws {
        let pin = try PublicKeyPin("sha256/" + text)
        #expect(pin.description == "sha256/" + text)
        #expect(try PublicKeyPin("sha256//" + text) == pin)
    }

    // MARK: Hosts

    @Test(
        arguments: [
            ("api.example.com", "name"), ("API.EXAMPLE.COM.", "name"), ("www.example.com", "pattern"),
            ("example.com", nil),
            ("a.b.example.com", nil), ("10.0.0.1", "address"), ("localhost", nil),
        ] as [(String, String?)]
    )
    func `a host has the policy of its name before that of its domain`(host: String, expected: String?) throws {
        func marked(_ mark: Double) -> SecurityPolicy {
            var policy = SecurityPolicy()
            policy.pinsExpire = Date(timeIntervalSince1970: mark)
            return policy
        }
        let policies: HostSecurityPolicies = [
            "api.Example.com": marked(1), "*.example.com": marked(2), "10.0.0.1": marked(3),
        ]
        let names: [Double: String] = [1: "name", 2: "pattern", 3: "address"]
        let mark = try policies.policy(for: host)?.pinsExpire?.timeIntervalSince1970
        #expect(mark.flatMap { names[$0] } == expected)
    }

    // MARK: Files

    @Test func `pinned certificates are read from files and directories`() async throws {
        let (root, middle) = (shop.root, shop.middle)
        try await withDirectory { directory in
            let path = directory.path
            try Data(root.der).write(to: directory.appending(path: "root.cer"))
            try Data(("text\n" + middle.pem + root.pem).utf8).write(to: directory.appending(path: "both.PEM"))
            try Data("nothing".utf8).write(to: directory.appending(path: "notes.txt"))
            #expect(try PinnedCertificate.certificates(inFile: path + "/root.cer") == (try pinned(root)))
            #expect(try PinnedCertificate.certificates(inDirectory: path) == (try pinned(root, middle)))
            #expect(try PinnedCertificate.certificates(inPEM: middle.pem) == (try pinned(middle)))
            for broken in [path + "/notes.txt", path + "/missing"] {
                let error = try await networkingError { try PinnedCertificate.certificates(inFile: broken) }
                #expect(error.code == .invalidTrustConfiguration && error.message.contains(broken))
            }
            #expect(throws: NetworkingError.self) { try PinnedCertificate.certificates(inPEM: "") }
            #expect(throws: NetworkingError.self) { try PinnedCertificate(derRepresentation: Data([0x30, 0])) }
            #expect(throws: NetworkingError.self) { try PinnedCertificate.certificates(inDirectory: path + "/missing") }
        }
    }
}
