import Foundation
import LocalServer

@testable import Bluebonnet

/// Chains that are good.
enum GoodTrustCases {
    static var all: [TrustCase] { keys + paths + anchors + names + uses + constraints + RevocationCases.good }

    static let keys: [TrustCase] = [
        TrustCase("P-256") { try $0.scene() },
        TrustCase("P-384") { shop in try shop.scene { $0.key = try shop.key(.p384) } },
        // In TLS 1.2 the curve of the server's key is one of those for the key exchange.
        TrustCase("P-521", versions: [.tls13]) { shop in try shop.scene { $0.key = try shop.key(.p521) } },
        TrustCase("Ed25519") { shop in try shop.scene { $0.key = try shop.key(.ed25519) } },
        TrustCase("an authority with Ed25519") { shop in try shop.scene(middle: { $0.key = try shop.key(.ed25519) }) },
        TrustCase("RSA of 2048 bits") { shop in
            try shop.scene {
                $0.key = try shop.key(.rsa2048)
                $0.replace(.keyUsage(0xA0))
            }
        },
        TrustCase("an authority with RSA") { shop in try shop.scene(middle: { $0.key = try shop.key(.rsa2048) }) },
        TrustCase("SHA-1 in a root's signature of itself") { shop in
            let root = try shop.authority("Old root", 3) {
                $0.key = try shop.key(.rsa2048)
                $0.hasSHA1 = true
            }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
    ]

    static let paths: [TrustCase] = [
        TrustCase("RSA-PSS in a root's signature of itself", isLive: false) { shop in
            // RFC 5280 §6.1.1 (d): of a trusted certificate, only name and key are needed.
            let root = try shop.authority("PSS root", 3) {
                $0.algorithm = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 113549, 1, 1, 10]))
            }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
        TrustCase("the root directly") { TrustScene([try $0.leaf(by: $0.root)], trusting: [$0.root]) },
        TrustCase("four authorities in between") { shop in
            var chain = [shop.root]
            for number in 2...5 { chain.append(try shop.authority("Level \(number)", number, by: chain.last)) }
            return TrustScene([try shop.leaf(by: chain.last)] + chain.dropFirst().reversed(), trusting: [shop.root])
        },
        TrustCase("in the reverse order") { shop in
            let low = try shop.authority("Low", 2, by: shop.middle)
            return TrustScene([try shop.leaf(by: low), shop.middle, low], trusting: [shop.root])
        },
        TrustCase("every certificate five times") { shop in
            let leaf = try shop.leaf(by: shop.middle)
            return TrustScene([leaf] + (0..<5).flatMap { _ in [shop.middle, leaf] }, trusting: [shop.root])
        },
        TrustCase("with certificates that do not belong to it") { shop in
            let strangers = try (2..<10).map { try shop.authority("Stranger \($0)", $0) }
            return TrustScene([try shop.leaf(by: shop.middle)] + strangers + [shop.middle], trusting: [shop.root])
        },
        TrustCase("with the root itself") { shop in
            TrustScene([try shop.leaf(by: shop.middle), shop.middle, shop.root], trusting: [shop.root])
        },
        TrustCase("with bytes that are not a certificate", isLive: false) { shop in
            var junk = shop.middle
            junk.der = [0x30, 0x03, 1, 2]
            return TrustScene([try shop.leaf(by: shop.middle), junk, shop.middle], trusting: [shop.root])
        },
        TrustCase("a root that an unknown one has signed, too") { shop in
            let unknown = try shop.authority("Older root", 3)
            let cross = try shop.root.mint.made(by: unknown)
            return TrustScene([try shop.leaf(by: shop.middle), shop.middle, cross], trusting: [shop.root])
        },
        TrustCase("a new root that the trusted one has signed") { shop in
            let new = try shop.authority("New root", 4)
            let cross = try new.mint.made(by: shop.root)
            return TrustScene([try shop.leaf(by: new), new, cross], trusting: [shop.root])
        },
        TrustCase("two paths, of which one has expired") { shop in
            let expired = try shop.authority("Twice", 5, by: shop.root) { $0.expire() }
            let valid = try expired.mint.renewed(shop).made(by: shop.root)
            return TrustScene([try shop.leaf(by: valid), expired, valid], trusting: [shop.root])
        },
        TrustCase("two authorities of one name") { shop in
            let right = try shop.authority("Twin", 6, by: shop.root)
            let wrong = try shop.authority("Twin", 7, by: shop.root)
            return TrustScene([try shop.leaf(by: right), wrong, right], trusting: [shop.root])
        },
        TrustCase("two paths, of which one is limited to other names") { shop in
            let limited = try shop.authority("Forked", 8, by: shop.root) {
                $0.extensions.append(.nameConstraints(permitted: [.dns("example.com")]))
            }
            let free = try shop.authority("Forked", 8, by: shop.middle)
            return TrustScene([try shop.leaf(by: free), limited, free, shop.middle], trusting: [shop.root])
        },
    ]

    static let anchors: [TrustCase] = [
        TrustCase("an authority that is trusted without its root") { shop in
            TrustScene([try shop.leaf(by: shop.middle)], trusting: [shop.middle])
        },
        TrustCase("a trusted authority that the server shows") { shop in
            TrustScene([try shop.leaf(by: shop.middle), shop.middle], trusting: [shop.middle])
        },
        TrustCase("a self-signed certificate that is trusted") { shop in
            let leaf = try shop.leaf(by: nil)
            return TrustScene([leaf], trusting: [leaf])
        },
        TrustCase("a self-signed authority that is a server, and trusted") { shop in
            let leaf = try shop.leaf(by: nil) { $0.extensions += [.authority()] }
            return TrustScene([leaf], trusting: [leaf])
        },
        TrustCase("the server's certificate, trusted without its authority") { shop in
            let leaf = try shop.leaf(by: shop.middle)
            return TrustScene([leaf, shop.middle], trusting: [leaf])
        },
        TrustCase("the name of the issuer in another case and type") { shop in
            let name = try CertificateMint.name(
                [([2, 5, 4, 10], "BLUEBONNET  tests"), ([2, 5, 4, 3], " middle ")],
                tag: 0x13
            )
            return try shop.scene { $0.issuer = name }
        },
    ]

    static let names: [TrustCase] = [
        TrustCase("an IPv4 address") { shop in
            try shop.scene(host: "127.0.0.1") { $0.setNames([.address([127, 0, 0, 1])]) }
        },
        TrustCase("an IPv6 address", isLive: TrustCase.hasIPv6) { shop in
            try shop.scene(host: "::1") { $0.setNames([.address([UInt8](repeating: 0, count: 15) + [1])]) }
        },
        TrustCase("a wildcard") { shop in
            try shop.scene(host: "a.example.com") { $0.setNames([.dns("*.example.com")]) }
        },
        TrustCase("a name in another script") { shop in
            try shop.scene(host: "xn--bcher-kva.example.com") { $0.setNames([.dns("xn--bcher-kva.example.com")]) }
        },
        TrustCase("a name in another script under a wildcard") { shop in
            try shop.scene(host: "xn--bcher-kva.example.com") { $0.setNames([.dns("*.example.com")]) }
        },
        TrustCase("an underscore") { shop in
            try shop.scene(host: "my_host.example.com") { $0.setNames([.dns("my_host.example.com")]) }
        },
        TrustCase("an underscore under a wildcard") { shop in
            try shop.scene(host: "my_host.example.com") { $0.setNames([.dns("*.example.com")]) }
        },
        TrustCase("names that are critical") { shop in
            try shop.scene {
                $0.setNames(nil)
                $0.extensions.append(.names([.dns("localhost")], isCritical: true))
            }
        },
    ]

    static let uses: [TrustCase] = [
        TrustCase("without key usage") { shop in try shop.scene { $0.remove([2, 5, 29, 15]) } },
        TrustCase("without extended key usage") { shop in try shop.scene { $0.remove([2, 5, 29, 37]) } },
        TrustCase("of a server that wants one of its clients") { shop in
            var scene = try shop.scene()
            scene.clientAuthorities = [try TestCertificates.shared().authority]
            return scene
        },
        TrustCase("for servers and clients") { shop in try shop.scene { $0.replace(try .purposes([2, 1])) } },
        TrustCase("an authority for any purpose") { shop in
            try shop.scene(middle: { $0.extensions.append(try .purposes([0])) })
        },
        TrustCase("an authority without key usage") { shop in try shop.scene(middle: { $0.remove([2, 5, 29, 15]) }) },
        TrustCase("as many authorities as are allowed") { shop in
            let root = try shop.authority("Short", 3) { $0.replace(.authority(most: 1)) }
            let middle = try shop.authority("Last", 4, by: root) { $0.replace(.authority(most: 0)) }
            return TrustScene([try shop.leaf(by: middle), middle], trusting: [root])
        },
        TrustCase("an authority's certificate for itself does not count") { shop in
            let root = try shop.authority("Short", 3) { $0.replace(.authority(most: 0)) }
            let renewed = try shop.authority("Short", 4, by: root)
            return TrustScene([try shop.leaf(by: renewed), renewed], trusting: [root])
        },
        TrustCase("an unknown extension that is not critical") { shop in
            try shop.scene { $0.extensions.append(.unknown(isCritical: false)) }
        },
        TrustCase("critical policies") { shop in
            let policies = DERBytes.sequence(DERBytes.sequence(try DERBytes.identifier([2, 23, 140, 1, 2, 1])))
            return try shop.scene { $0.extensions.append(.init([2, 5, 29, 32], isCritical: true, policies)) }
        },
    ]

    static let constraints: [TrustCase] = [
        TrustCase("a permitted name") { try $0.scene(permitted: [.dns("localhost")]) },
        TrustCase("a permitted name in capitals") { try $0.scene(permitted: [.dns("LocalHost")]) },
        TrustCase("every name permitted") { try $0.scene(permitted: [.dns("")]) },
        TrustCase("below a permitted domain") {
            try $0.scene(
                permitted: [.dns("example.com")],
                names: [.dns("localhost.example.com")],
                host: "localhost.example.com"
            )
        },
        TrustCase("another name excluded") { try $0.scene(excluded: [.dns("example.com")]) },
        TrustCase("only e-mail addresses limited") { try $0.scene(permitted: [.email("example.com")]) },
        TrustCase("a permitted network of IPv4") {
            try $0.scene(
                permitted: [.address([127, 0, 0, 0, 255, 0, 0, 0])],
                names: [.address([127, 0, 0, 1])],
                host: "127.0.0.1"
            )
        },
        TrustCase("a permitted network of IPv6", isLive: TrustCase.hasIPv6) {
            let zeros = [UInt8](repeating: 0, count: 16)
            return try $0.scene(
                permitted: [.address(zeros + [UInt8](repeating: 0xFF, count: 15) + [0xFE])],
                names: [.address(zeros.dropLast() + [1])],
                host: "::1"
            )
        },
        TrustCase("a permitted e-mail address") {
            try $0.scene(permitted: [.email("a@b.example")], names: [.dns("localhost"), .email("a@B.example")])
        },
        TrustCase("a permitted URI") {
            try $0.scene(
                permitted: [.uri(".b.example")],
                names: [.dns("localhost"), .uri("https://me@a.B.example:8443/x")]
            )
        },
        TrustCase("a permitted directory name, in another case") {
            let name = try CertificateMint.name([([2, 5, 4, 10], "BLUEBONNET TESTS")], tag: 0x13)
            return try $0.scene(permitted: [.directory(name)])
        },
        TrustCase("another directory name excluded") {
            try $0.scene(excluded: [.directory(try CertificateMint.name([([2, 5, 4, 10], "Other")]))])
        },
    ]
}

extension CertificateMint {
    /// The same certificate, valid now.
    fileprivate func renewed(_ shop: TrustWorkshop) -> CertificateMint {
        var mint = self
        mint.notBefore = shop.now.addingTimeInterval(-3600)
        mint.notAfter = shop.now.addingTimeInterval(3600)
        return mint
    }
}
