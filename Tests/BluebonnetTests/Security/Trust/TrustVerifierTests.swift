import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The verdict about chains of certificates, as a value.
@Suite(.timeLimit(.minutes(5)))
struct TrustVerifierTests {
    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    @Test(arguments: GoodTrustCases.all) func `a good chain is trusted`(good: TrustCase) throws {
        let scene = try good.make(shop)
        let result = scene.result(at: shop.now)
        #expect(result.findings.map(\.predicate) == [])
        #expect(result.path.first?.fields.bytes == scene.shown.first?.der)
        #expect(scene.trusted.map(\.der).contains(result.path.last?.fields.bytes ?? []))
    }

    @Test(arguments: BadTrustCases.all) func `a bad chain is refused by its rule`(bad: TrustCase) throws {
        let result = try bad.make(shop).result(at: shop.now)
        #expect(result.findings.first?.rule == bad.rule, "\(result.findings.map { "\($0.rule): \($0.predicate)" })")
    }

    @Test func `at least sixty cases are those of servers, and each rule about certificates has one`() throws {
        let rules = Set(try BadTrustCases.all.flatMap { try $0.make(shop).result(at: shop.now).findings.map(\.rule) })
        let policy: Set<TrustRule> = [.namesNeedPins, .pin, .hostPolicy, .decision]
        #expect(rules.isSuperset(of: Set(TrustRule.all).subtracting(policy)))
        #expect(TrustCase.live.count >= 60)
        #expect(Set(TrustRule.all.map(\.rawValue)).count == TrustRule.all.count)
    }

    @Test func `the times of a certificate are part of its validity`() throws {
        let scene = try shop.scene()
        let result = scene.result(at: shop.now)
        let (first, last) = (
            try #require(result.path.map(\.fields.notBefore).max()),
            try #require(result.path.map(\.fields.notAfter).min())
        )
        #expect(scene.result(at: first).isTrusted && scene.result(at: last).isTrusted)
        #expect(scene.result(at: first.addingTimeInterval(-1)).findings.first?.rule == .notBefore)
        #expect(scene.result(at: last.addingTimeInterval(1)).findings.first?.rule == .notAfter)
    }

    @Test(arguments: [
        (1950, "1950-01-01T00:00:00Z"), (1970, "1970-01-01T00:00:00Z"), (2024, "2024-02-29T23:59:59Z"),
        (2049, "2049-12-31T23:59:59Z"), (2050, "2050-01-01T00:00:00Z"), (9999, "9999-12-31T23:59:59Z"),
    ])
    func `times are read in both forms`(year: Int, text: String) throws {
        let date = try #require(try? Date(text, strategy: .iso8601))
        let leaf = try shop.leaf(by: shop.middle) { $0.notAfter = date }
        #expect(try CertificateFields(leaf.der).notAfter == date)
    }

    @Test func `the search for a chain has limits`() throws {
        let scene = try shop.scene()
        for limits in [PathSearch.Limits(pathLength: 2), .init(steps: 1), .init(signatures: 1), .init(paths: 0)] {
            #expect(scene.result(at: shop.now, limits: limits).findings.first?.rule == .chainSize, "\(limits)")
        }
    }

    @Test func `a search that was too much work still compares the names`() throws {
        let scene = try shop.scene { $0.setNames([.dns("example.com")]) }
        for limits in [PathSearch.Limits(steps: 1), .init(signatures: 1), .init(paths: 0)] {
            let rules = scene.result(at: shop.now, limits: limits).findings.map(\.rule)
            #expect(rules == [.chainSize, .issuer, .host])
        }
    }

    // MARK: Nobody is trusted

    @Test func `whatever else is wrong, a chain of which nobody is trusted breaks the rule for that`() throws {
        let short = try shop.key(.rsa1024)
        let stranger = try shop.authority("Stranger", 8)
        let weak = try shop.authority("Weak", 2) { $0.key = short }
        let pss = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 113549, 1, 1, 10]))
        let scenes: [(chain: [MintedCertificate], rules: [TrustRule])] = [
            ([try shop.leaf(by: nil) { $0.key = short }], [.selfSigned, .key]),
            ([try shop.leaf(by: stranger) { $0.key = short }, stranger], [.selfSigned, .key]),
            ([try shop.leaf(by: stranger) { $0.key = short }], [.issuer, .key]),
            ([try shop.leaf(by: weak), weak], [.issuer, .key]),
            ([try shop.leaf(by: nil) { $0.algorithm = pss }], [.selfSigned, .signatureAlgorithm]),
            ([try shop.leaf(by: stranger) { $0.algorithm = pss }, stranger], [.issuer, .signatureAlgorithm]),
            ([try shop.leaf(by: stranger) { $0.hasSHA1 = true }, stranger], [.issuer, .signatureHash]),
            ([try shop.leaf(by: stranger) { $0.setNames([.dns("bücher.example")]) }, stranger], [.encoding, .issuer]),
        ]
        for (chain, rules) in scenes {
            let result = TrustScene(chain, trusting: [shop.root]).result(at: shop.now)
            #expect(result.findings.map(\.rule) == rules, "\(result.findings.map(\.predicate))")
        }
    }

    @Test func `a refusal says why the authority of a certificate could not be used`() throws {
        let weak = try shop.authority("Weak", 2) { $0.key = try shop.key(.rsa1024) }
        let result = TrustScene([try shop.leaf(by: weak)], trusting: [weak]).result(at: shop.now)
        let refusal = try #require(TrustRefusal(result, host: "localhost", serverName: "localhost"))
        let message =
            "The certificate of localhost is issued by an authority that cannot be used: the certificate of “Weak” has a "
            + "key of only 1024 bits (RSA). You might be connecting to a server that is pretending to be “localhost”."
        #expect(refusal.message == message && refusal.rule.code == .certificateUntrusted)
    }

    @Test func `constraints and lists of revoked certificates are not looked at where nobody is trusted`() throws {
        let leaf = try shop.leaf(by: nil) { $0.extensions.append(.nameConstraints(excluded: [.dns("localhost")])) }
        #expect(TrustScene([leaf], trusting: [leaf]).result(at: shop.now).findings.map(\.rule) == [.nameConstraints])
        let other = try shop.authority("A", 4)
        #expect(TrustScene([leaf], trusting: [other]).result(at: shop.now).findings.map(\.rule) == [.selfSigned])
        var scene = TrustScene([try shop.leaf(by: shop.middle), shop.middle], trusting: [shop.root])
        scene.revocationLists = .pem(try RevocationListMint([[1]], by: shop.middle, at: shop.now).madePEM())
        #expect(scene.result(at: shop.now).findings.map(\.rule) == [.revocation])
        scene.trusted = [other]
        #expect(scene.result(at: shop.now).findings.map(\.rule) == [.issuer])
    }

    // MARK: Limits

    @Test func `keys of RSA are accepted up to 8192 bits`() throws {
        func scene(bytes: Int) throws -> TrustScene {
            let modulus = DERBytes.value(0x02, [0] + [UInt8](repeating: 0xFF, count: bytes))
            let algorithm = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 113549, 1, 1, 1]), [5, 0])
            let key = DERBytes.sequence(modulus, DERBytes.value(0x02, [1, 0, 1]))
            return try shop.scene { $0.publicKeyInfo = DERBytes.sequence(algorithm, DERBytes.bits(key)) }
        }
        #expect(try scene(bytes: 1024).result(at: shop.now).isTrusted)
        let findings = try scene(bytes: 1025).result(at: shop.now).findings
        #expect(findings.map(\.rule) == [.key])
        #expect(findings.first?.predicate == "has a key of 8200 bits (RSA), more than 8192")
    }

    @Test func `a message stays short, whatever a certificate says`() throws {
        let identifier = [1, 3, 6, 1] + [UInt](repeating: 4_000_000_000, count: 300)
        let critical = try shop.scene { $0.extensions.append(.init(identifier, isCritical: true, [5, 0])) }
        let address = try shop.scene(
            excluded: [.address([127, 0, 0, 0, 255, 0, 0, 0])],
            names: [.dns("localhost"), .address([UInt8](repeating: 200, count: 5000))]
        )
        for (scene, rule) in [(critical, TrustRule.criticalExtension), (address, .nameConstraints)] {
            let finding = try #require(scene.result(at: shop.now).findings.first)
            #expect(finding.rule == rule && finding.predicate.count < 200, "\(finding.predicate)")
        }
    }

    @Test func `of authorities with one name, the one whose key identifier fits is tried first`() throws {
        let twins = try (2..<10).map { number in
            try shop.authority("Twin", number, by: shop.root) { $0.extensions.append(.subjectKey([UInt8(number)])) }
        }
        let leaf = try shop.leaf(by: twins[6]) { $0.extensions.append(.authorityKey([8])) }
        let scene = TrustScene([leaf] + twins, trusting: [shop.root])
        // One signature over the server's certificate, one over the authority.
        #expect(scene.result(at: shop.now, limits: .init(signatures: 2)).isTrusted)
        // A wrong identifier is only a hint.
        let misled = try shop.leaf(by: twins[6]) { $0.extensions.append(.authorityKey([3])) }
        #expect(TrustScene([misled] + twins, trusting: [shop.root]).result(at: shop.now).isTrusted)
    }

    @Test func `of two certificates of an authority, the one that is valid is tried first`() throws {
        let expired = try shop.authority("Renewed", 3, by: shop.root) { $0.expire() }
        let valid = try shop.authority("Renewed", 3, by: shop.root)
        let scene = TrustScene([try shop.leaf(by: valid), expired, valid], trusting: [shop.root])
        #expect(scene.result(at: shop.now, limits: .init(signatures: 2)).isTrusted)
    }

    @Test func `a refusal names the certificate at fault and shows the chain`() throws {
        let scene = try shop.scene(middle: { $0.expire() })
        let result = scene.result(at: shop.now)
        let refusal = try #require(TrustRefusal(result, host: "localhost:8443", serverName: "localhost"))
        #expect(refusal.rule == .notAfter && refusal.rule.code == .certificateExpired)
        #expect(
            refusal.message.hasPrefix(
                "The certificate of localhost:8443 depends on that of “Other middle”, which expired on "
            ),
            "\(refusal.message)"
        )
        #expect(refusal.certificate?.subject == "CN=Other middle, O=Bluebonnet Tests")
        #expect(
            refusal.chain.map(\.subject) == ["server", "Other middle", "Root"].map { "CN=\($0), O=Bluebonnet Tests" }
        )
        #expect(refusal.chain[0].issuer == "CN=Other middle, O=Bluebonnet Tests")
        #expect(refusal.chain[0].keyDescription == "P-256" && refusal.chain[0].serialNumber == "01")
        #expect(refusal.description.split(separator: "\n").count == 4)
        #expect(refusal.description.contains("(at fault)") && refusal.description.contains("; sha256/"))
    }

    @Test func `a pin is the hash of the key, as other programs write it`() throws {
        let identity = try TestCertificates.shared().localhost
        let summary = try #require(CertificateSummary(derRepresentation: Data(identity.certificateDER)))
        #expect("\(summary.publicKeyPin)" == "sha256/" + identity.publicKeyPin)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7]) func `no chain is trusted after one of its bytes has changed`(
        seed: Int
    ) throws {
        // Every good chain, so that all kinds of keys and paths are among them.
        var random = SeededGenerator(seed: UInt64(seed))
        for good in GoodTrustCases.all {
            let scene = try good.make(shop)
            let trusted = Set(scene.trusted.map(\.der))
            for _ in 0..<12 {
                var changed = scene
                let certificate = 0
                guard !trusted.contains(changed.shown[certificate].der) else { break }
                let bytes = changed.shown[certificate].der
                let place = Int.random(in: bytes.indices, using: &random)
                changed.shown[certificate].der[place] ^= UInt8.random(in: 1...255, using: &random)
                let result = changed.result(at: shop.now)
                #expect(!result.isTrusted, "\(good.testDescription), byte \(place) of \(bytes.count)")
            }
        }
    }
}
