import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The work of comparing names with constraints, of which a server can show thousands.
@Suite(.timeLimit(.minutes(5)))
struct NameConstraintRulesTests {
    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    private static let empty = TestAlternativeName.directory([0x30, 0])

    private static func longName() throws -> [UInt8] {
        let attributes: [(type: [UInt], value: String)] = (0..<450).map { _ in ([2, 5, 4, 10], "x") }
        return try CertificateMint.name(attributes)
    }

    private func read(_ certificate: MintedCertificate) throws -> ChainCertificate {
        try ChainCertificate(CertificateFields(certificate.der))
    }

    // MARK: Forms

    @Test(arguments: ["example.com.", "*.example.com", "exam ple.com", "bücher.example", ".", "..com", "10.0.0.1"])
    func `a constraint that is not a domain is not understood`(domain: String) throws {
        let names = [TestAlternativeName.dns("localhost"), .dns("www.example.com")]
        for scene in [
            try shop.scene(excluded: [.dns(domain)], names: names),
            try shop.scene(permitted: [.dns("localhost"), .dns(domain)], names: names),
            try shop.scene(excluded: [.uri(domain)], names: names + [.uri("https://www.example.com/")]),
            try shop.scene(excluded: [.email(domain)], names: names + [.email("a@www.example.com")]),
            try shop.scene(excluded: [.email("a@" + domain)], names: names + [.email("a@www.example.com")]),
        ] {
            let finding = try #require(scene.result(at: shop.now).findings.first)
            // Not even IA5String may hold what is not ASCII.
            let isRead = domain.utf8.allSatisfy { $0 < 0x80 }
            #expect(finding.rule == (isRead ? .nameConstraints : .issuer))
            #expect(finding.predicate.contains("in a way that is not understood here") == isRead)
        }
        // It says nothing of names of other kinds.
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        #expect(try shop.scene(excluded: [.email(domain), .uri(domain)], names: names).result(at: shop.now).isTrusted)
    }

    @Test(arguments: ["@example.com", "a@", "a@.example.com"])
    func `a constraint that is half a mailbox is not understood`(mailbox: String) throws {
        let names = [TestAlternativeName.dns("localhost"), .email("a@example.com")]
        let result = try shop.scene(excluded: [.email(mailbox)], names: names).result(at: shop.now)
        #expect(result.findings.map(\.rule) == [.nameConstraints])
    }

    @Test(arguments: ["example.com", ".example.com", "EXAMPLE.com", "my_zone.example.com", "com"])
    func `a domain is understood, also with a dot in front`(domain: String) throws {
        let names = [TestAlternativeName.dns("localhost"), .dns("www.my_zone.example.com")]
        let excluded = try shop.scene(excluded: [.dns(domain)], names: names).result(at: shop.now)
        #expect(excluded.findings.first?.predicate.contains("must not sign for") == true)
        let permitted = try shop.scene(permitted: [.dns("localhost"), .dns(domain)], names: names)
        #expect(permitted.result(at: shop.now).isTrusted)
    }

    // MARK: Directory names

    private static let country: [UInt] = [2, 5, 4, 6]
    private static let organization: [UInt] = [2, 5, 4, 10]

    private static func organization(_ name: String, tag: UInt8 = 0x0C) throws -> [UInt8] {
        try CertificateMint.name([(organization, name)], tag: tag)
    }

    /// Big-endian UTF-32, as UniversalString has it.
    private static func universal(_ text: String) -> String { text.map { "\0\0\0\($0)" }.joined() }

    /// A scene with a subject of one organization, below an authority with a constraint.
    private func scene(
        _ subject: String,
        permitted: [UInt8]? = nil,
        excluded: [UInt8]? = nil
    ) throws -> TrustScene {
        try shop.scene(
            permitted: permitted.map { [.directory($0)] } ?? [],
            excluded: excluded.map { [.directory($0)] } ?? [],
            leaf: { $0.subject = try Self.organization(subject) }
        )
    }

    @Test(
        arguments: [
            // RFC 5280 §7.1: the same names, in other cases and forms of Unicode.
            ("Müller", "MÜLLER"), ("Müller", "Mu\u{308}ller"), ("Kelvin", "\u{212A}elvin"), ("Acme", "Ａｃｍｅ"),
            ("Ａｃｍｅ", "Acme"), ("Strasse", "Straße"), ("Acme", "Ac\u{AD}me"), ("Acme", "Ac\u{1}me"),
        ]
    )
    func `an organization beyond ASCII is neither excluded by chance nor permitted by chance`(
        subject: String,
        constraint: String
    ) throws {
        let name = try Self.organization(constraint)
        let excluded = try scene(subject, excluded: name).result(at: shop.now)
        #expect(excluded.findings.map(\.rule) == [.nameConstraints])
        #expect(excluded.findings.first?.predicate.contains("not understood") == true)
        let permitted = try scene(subject, permitted: name).result(at: shop.now)
        #expect(permitted.findings.map(\.rule) == [.nameConstraints])
    }

    @Test(arguments: ["Müller", "Ａｃｍｅ", "Acme"])
    func `the same organization is excluded or permitted, whatever its script`(subject: String) throws {
        let name = try Self.organization(subject)
        let excluded = try scene(subject, excluded: name).result(at: shop.now)
        #expect(excluded.findings.first?.predicate.contains("must not sign for") == true)
        #expect(try scene(subject, permitted: name).result(at: shop.now).isTrusted)
    }

    @Test func `a constraint of a type that is not text is not understood`() throws {
        let name = try Self.organization(Self.universal("Acme"), tag: 0x1C)
        let excluded = try scene("Acme", excluded: name).result(at: shop.now)
        #expect(excluded.findings.map(\.rule) == [.nameConstraints])
        #expect(try scene("Acme", permitted: name).result(at: shop.now).findings.map(\.rule) == [.nameConstraints])
    }

    @Test func `an excluded name beyond ASCII does not concern names that surely are others`() throws {
        let german = try CertificateMint.name([(Self.country, "DE"), (Self.organization, "Müller")])
        let scene = try shop.scene(excluded: [.directory(german)]) {
            $0.subject = try CertificateMint.name([(Self.country, "FR"), (Self.organization, "Mu\u{308}ller")])
        }
        #expect(scene.result(at: shop.now).isTrusted)
        // A name that is not as deep is not below it.
        let short = try shop.scene(excluded: [.directory(german)]) {
            $0.subject = try CertificateMint.name([(Self.country, "DE")])
        }
        #expect(short.result(at: shop.now).isTrusted)
    }

    // MARK: Work

    @Test func `names and constraints without end are refused when they have cost enough`() throws {
        // Fewer bytes than a server may show.
        let long = TestAlternativeName.directory(try Self.longName())
        let leaf = try shop.leaf(by: nil) { mint in
            mint.setNames([TestAlternativeName](repeating: Self.empty, count: 12_400))
            mint.extensions.append(.nameConstraints(excluded: [TestAlternativeName](repeating: long, count: 8)))
        }
        #expect(leaf.der.count < TrustVerifier.mostBytes)
        let certificate = try read(leaf)
        var rules = NameConstraintRules()
        let findings = rules.findings([certificate])
        #expect(findings.map(\.rule) == [.chainSize])
        let work = rules.work
        #expect((NameConstraintRules.mostWork...NameConstraintRules.mostWork + 10_000).contains(work))
        // The next chain of the same server costs no more.
        #expect(rules.findings([certificate]).map(\.rule) == [.chainSize])
    }

    @Test func `a name and a constraint are read once for all chains`() throws {
        let long = try Self.longName()
        let names = [TestAlternativeName.dns("localhost")] + [TestAlternativeName](repeating: Self.empty, count: 50)
        let middle = try shop.authority("Limited", 2, by: shop.root) {
            $0.extensions.append(.nameConstraints(excluded: [.directory(long), .dns("example.com")]))
        }
        let path = try [shop.leaf(by: middle) { $0.setNames(names) }, middle, shop.root].map(read)
        var rules = NameConstraintRules()
        let first = rules.findings(path)
        let work = rules.work
        let second = rules.findings(path)
        #expect(first.isEmpty && second.isEmpty)
        // 52 names, of which 51 are compared with a directory name, and one with a domain.
        #expect(work > 52 * 256 && rules.work - work < 52 * 200)
    }

    @Test func `the work of all chains is added up`() throws {
        let middle = try shop.authority("Limited", 2, by: shop.root) {
            $0.extensions.append(.nameConstraints(permitted: [.dns("localhost")]))
        }
        let path = try [shop.leaf(by: middle), middle, shop.root].map(read)
        var rules = NameConstraintRules(mostWork: 1000)
        var count = 0
        while rules.findings(path).isEmpty, count < 1000 { count += 1 }
        #expect((2..<100).contains(count))
    }
}
