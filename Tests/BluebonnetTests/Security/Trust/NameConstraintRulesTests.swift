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
