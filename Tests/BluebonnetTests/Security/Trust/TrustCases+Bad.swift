import Foundation
import LocalServer

@testable import Bluebonnet

/// Chains that must be refused, each by its rule.
enum BadTrustCases {
    static var all: [TrustCase] {
        issuers + signatures + times + names + authorities + uses + constraints + formats + RevocationCases.bad
    }

    static let issuers: [TrustCase] = [
        TrustCase("an unknown root", .issuer) { shop in
            TrustScene([try shop.leaf(by: shop.middle), shop.middle], trusting: [try shop.authority("A", 4)])
        },
        TrustCase("no trusted certificate", .trustRoots, isLive: false) { shop in
            TrustScene([try shop.leaf(by: shop.middle), shop.middle], trusting: [])
        },
        TrustCase("an unknown root that the server shows", .selfSigned) { shop in
            TrustScene(
                [try shop.leaf(by: shop.middle), shop.middle, shop.root],
                trusting: [try shop.authority("A", 4)]
            )
        },
        TrustCase("an unknown root, and the server wants a certificate of its clients", .issuer) { shop in
            let unknown = try shop.authority("A", 4)
            var scene = TrustScene([try shop.leaf(by: shop.middle), shop.middle], trusting: [unknown])
            scene.clientAuthorities = [try TestCertificates.shared().authority]
            return scene
        },
        TrustCase("self-signed", .selfSigned) { shop in
            TrustScene([try shop.leaf(by: nil)], trusting: [shop.root])
        },
        TrustCase("self-signed, behind it a good chain", .selfSigned) { shop in
            TrustScene([try shop.leaf(by: nil), shop.middle, shop.root], trusting: [shop.root])
        },
        TrustCase("without the certificate in between", .issuer) { shop in
            TrustScene([try shop.leaf(by: shop.middle)], trusting: [shop.root])
        },
        TrustCase("a certificate that is trusted, with another key", .selfSigned) { shop in
            let trusted = try shop.leaf(by: nil)
            return TrustScene([try shop.leaf(by: nil) { $0.key = shop.keys[9] }], trusting: [trusted])
        },
        TrustCase("the server's certificate as an authority", .basicConstraints) { shop in
            let leaf = try shop.leaf(by: shop.middle)
            let forged = try shop.leaf(by: leaf) { $0.key = shop.keys[9] }
            return TrustScene([forged, leaf, shop.middle], trusting: [shop.root])
        },
    ]

    static let signatures: [TrustCase] = [
        TrustCase("a broken signature of the server's certificate", .signature) { shop in
            try shop.scene { $0.breaksSignature = true }
        },
        TrustCase("a broken signature of an authority", .signature) { shop in
            try shop.scene(middle: { $0.breaksSignature = true })
        },
        TrustCase("a root with a trusted name and another key", .selfSigned) { shop in
            let root = try shop.authority("Root", 9)
            return TrustScene([try shop.leaf(by: root), root], trusting: [shop.root])
        },
        TrustCase("SHA-1 over the server's certificate", .signatureHash) { shop in
            let root = try shop.authority("RSA root", 3) { $0.key = try shop.key(.rsa2048) }
            return TrustScene([try shop.leaf(by: root) { $0.hasSHA1 = true }], trusting: [root])
        },
        TrustCase("SHA-1 over an authority", .signatureHash) { shop in
            let root = try shop.authority("RSA root", 3) { $0.key = try shop.key(.rsa2048) }
            let middle = try shop.authority("SHA-1", 4, by: root) { $0.hasSHA1 = true }
            return TrustScene([try shop.leaf(by: middle), middle], trusting: [root])
        },
        TrustCase("SHA-1 and ECDSA", .issuer) { shop in try shop.scene { $0.hasSHA1 = true } },
        TrustCase("MD5", .issuer, isLive: false) { shop in
            try shop.scene {
                $0.algorithm = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 113549, 1, 1, 4]), [5, 0])
            }
        },
        TrustCase("RSA-PSS", .issuer, isLive: false) { shop in
            try shop.scene { $0.algorithm = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 113549, 1, 1, 10])) }
        },
        TrustCase("a server's key of 1024 bits", .key) { shop in
            try shop.scene {
                $0.key = try shop.key(.rsa1024)
                $0.replace(.keyUsage(0xA0))
            }
        },
        TrustCase("a self-signed key of 1024 bits", .selfSigned) { shop in
            let leaf = try shop.leaf(by: nil) {
                $0.key = try shop.key(.rsa1024)
                $0.replace(.keyUsage(0xA0))
            }
            return TrustScene([leaf], trusting: [shop.root])
        },
        TrustCase("an authority's key of 1024 bits", .issuer) { shop in
            try shop.scene(middle: { $0.key = try shop.key(.rsa1024) })
        },
        TrustCase("a root's key of 1024 bits", .issuer) { shop in
            let root = try shop.authority("Weak root", 3) { $0.key = try shop.key(.rsa1024) }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
    ]

    static let times: [TrustCase] = [
        TrustCase("expired", .notAfter) { shop in try shop.scene { $0.expire() } },
        TrustCase("an authority that has expired", .notAfter) { shop in try shop.scene(middle: { $0.expire() }) },
        TrustCase("a root that has expired", .notAfter) { shop in
            let root = try shop.authority("Expired root", 3) { $0.expire() }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
        TrustCase("not valid yet", .notBefore) { shop in try shop.scene { $0.delay() } },
        TrustCase("an authority that is not valid yet", .notBefore) { shop in try shop.scene(middle: { $0.delay() }) },
        TrustCase("a trusted certificate that has expired", .notAfter) { shop in
            let leaf = try shop.leaf(by: nil) { $0.expire() }
            return TrustScene([leaf], trusting: [leaf])
        },
        TrustCase("expired, for another host", .host) { shop in
            try shop.scene {
                $0.expire()
                $0.setNames([.dns("example.com")])
            }
        },
        TrustCase("expired and from an unknown root", .issuer) { shop in
            TrustScene(
                [try shop.leaf(by: shop.middle) { $0.expire() }, shop.middle],
                trusting: [try shop.authority("A", 4)]
            )
        },
    ]

    static let names: [TrustCase] = [
        TrustCase("another host", .host) { shop in try shop.scene { $0.setNames([.dns("example.com")]) } },
        TrustCase("a common name only", .host) { shop in
            try shop.scene {
                $0.subject = try CertificateMint.name([([2, 5, 4, 3], "localhost")])
                $0.setNames(nil)
            }
        },
        TrustCase("a wildcard as a part of a label", .host) { shop in
            try shop.scene { $0.setNames([.dns("local*")]) }
        },
        TrustCase("a wildcard, for two labels", .host) { shop in
            try shop.scene(host: "a.b.example.com") { $0.setNames([.dns("*.example.com")]) }
        },
        TrustCase("a wildcard, for the domain without a label", .host) { shop in
            try shop.scene(host: "a.example.com") { $0.setNames([.dns("*.a.example.com")]) }
        },
        TrustCase("a wildcard inside of a name", .host) { shop in
            try shop.scene(host: "a.b.example.com") { $0.setNames([.dns("a.*.example.com")]) }
        },
        TrustCase("a wildcard as a part of a name in another script", .host) { shop in
            try shop.scene(host: "xn--bcher-kva.example.com") { $0.setNames([.dns("xn--*.example.com")]) }
        },
        TrustCase("a wildcard behind an underscore", .host) { shop in
            try shop.scene(host: "my_host.example.com") { $0.setNames([.dns("my_*.example.com")]) }
        },
        TrustCase("a wildcard for everything", .host) { shop in try shop.scene { $0.setNames([.dns("*")]) } },
        TrustCase("the address of the connection", .host) { shop in
            try shop.scene { $0.setNames([.address([127, 0, 0, 1])]) }
        },
        TrustCase("an address as a name", .host) { shop in
            try shop.scene(host: "127.0.0.1") { $0.setNames([.dns("127.0.0.1")]) }
        },
        TrustCase("a trusted certificate of another host", .host) { shop in
            let leaf = try shop.leaf(by: nil) { $0.setNames([.dns("example.com")]) }
            return TrustScene([leaf], trusting: [leaf])
        },
        TrustCase("names that are not ASCII", .encoding) { shop in
            try shop.scene { $0.setNames([.dns("localhost"), .dns("bücher.example")]) }
        },
    ]

    static let authorities: [TrustCase] = [
        TrustCase("an authority without basic constraints", .basicConstraints) { shop in
            try shop.scene(middle: { $0.remove([2, 5, 29, 19]) })
        },
        TrustCase("an authority that is none", .basicConstraints) { shop in
            try shop.scene(middle: { $0.replace(.authority(false)) })
        },
        TrustCase("a root without basic constraints", .basicConstraints) { shop in
            let root = try shop.authority("No authority", 3) { $0.remove([2, 5, 29, 19]) }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
        TrustCase("an authority that must not sign", .keyUsage) { shop in
            try shop.scene(middle: { $0.replace(.keyUsage(0x02)) })
        },
        TrustCase("an authority for clients", .extendedKeyUsage) { shop in
            try shop.scene(middle: { $0.extensions.append(try .purposes([2])) })
        },
        TrustCase("more authorities than are allowed", .pathLength) { shop in
            let root = try shop.authority("Short", 3) { $0.replace(.authority(most: 0)) }
            let middle = try shop.authority("Too many", 4, by: root)
            return TrustScene([try shop.leaf(by: middle), middle], trusting: [root])
        },
        TrustCase("more authorities than one in between allows", .pathLength) { shop in
            let high = try shop.authority("High", 3, by: shop.root) { $0.replace(.authority(most: 0)) }
            let low = try shop.authority("Low", 4, by: high)
            return TrustScene([try shop.leaf(by: low), low, high], trusting: [shop.root])
        },
        TrustCase("a chain without end", .chainSize) { shop in
            var chain = [shop.root]
            for number in 0..<12 { chain.append(try shop.authority("Step \(number)", number % 10, by: chain.last)) }
            return TrustScene([try shop.leaf(by: chain.last)] + chain.dropFirst().reversed(), trusting: [shop.root])
        },
    ]

    static let uses: [TrustCase] = [
        TrustCase("for clients", .extendedKeyUsage) { shop in try shop.scene { $0.replace(try .purposes([2])) } },
        TrustCase("for any purpose, but not for servers", .extendedKeyUsage) { shop in
            try shop.scene { $0.replace(try .purposes([0])) }
        },
        TrustCase("a key for certificates only", .keyUsage, isLive: false) { shop in
            try shop.scene { $0.replace(.keyUsage(0x06)) }
        },
        TrustCase("an unknown critical extension", .criticalExtension) { shop in
            try shop.scene { $0.extensions.append(.unknown(isCritical: true)) }
        },
        TrustCase("an unknown critical extension of an authority", .criticalExtension) { shop in
            try shop.scene(middle: { $0.extensions.append(.unknown(isCritical: true)) })
        },
        TrustCase("an unknown critical extension of a root", .criticalExtension) { shop in
            let root = try shop.authority("Critical", 3) { $0.extensions.append(.unknown(isCritical: true)) }
            return TrustScene([try shop.leaf(by: root)], trusting: [root])
        },
        TrustCase("a policy that is required", .criticalExtension) { shop in
            let constraints = DERBytes.sequence(DERBytes.value(0x80, [0]))
            return try shop.scene(middle: {
                $0.extensions.append(.init([2, 5, 29, 36], isCritical: true, constraints))
            })
        },
    ]

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static let constraints: [TrustCase] =
        [
            TrustCase("a name that is not permitted", .nameConstraints) {
                try $0.scene(permitted: [.dns("example.com")])
            },
            TrustCase("the domain where only its hosts are permitted", .nameConstraints) {
                try $0.scene(permitted: [.dns(".localhost")])
            },
            TrustCase("one of two names that is not permitted", .nameConstraints) {
                try $0.scene(permitted: [.dns("localhost")], names: [.dns("localhost"), .dns("example.com")])
            },
            TrustCase("the end of a label is not a domain", .nameConstraints) {
                try $0.scene(permitted: [.dns("host")])
            },
            TrustCase("an excluded name", .nameConstraints) { try $0.scene(excluded: [.dns("localhost")]) },
            TrustCase("an excluded name, permitted too", .nameConstraints) {
                try $0.scene(permitted: [.dns("localhost")], excluded: [.dns("LOCALHOST")])
            },
            TrustCase("a wildcard that covers an excluded name", .nameConstraints) {
                try $0.scene(excluded: [.dns("a.example.com")], names: [.dns("localhost"), .dns("*.example.com")])
            },
            TrustCase("an address that is not permitted", .nameConstraints) {
                try $0.scene(
                    permitted: [.address([10, 0, 0, 0, 255, 0, 0, 0])],
                    names: [.address([127, 0, 0, 1])],
                    host: "127.0.0.1"
                )
            },
            TrustCase("an IPv4 address where only IPv6 is permitted", .nameConstraints) {
                try $0.scene(
                    permitted: [.address([UInt8](repeating: 0, count: 32))],
                    names: [.address([127, 0, 0, 1])],
                    host: "127.0.0.1"
                )
            },
            TrustCase("an IPv6 address that is not permitted", .nameConstraints, isLive: TrustCase.hasIPv6) {
                try $0.scene(
                    permitted: [.address([0x20, 1, 0xD, 0xB8] + zeros(12) + [0xFF, 0xFF, 0xFF, 0xFF] + zeros(12))],
                    names: [.address(zeros(15) + [1])],
                    host: "::1"
                )
            },
            TrustCase("an excluded network of IPv6", .nameConstraints, isLive: TrustCase.hasIPv6) {
                try $0.scene(excluded: [.address(zeros(32))], names: [.address(zeros(15) + [1])], host: "::1")
            },
            TrustCase("an excluded network", .nameConstraints) {
                try $0.scene(
                    excluded: [.address([127, 0, 0, 0, 255, 0, 0, 0])],
                    names: [.dns("localhost"), .address([127, 9, 9, 9])]
                )
            },
            TrustCase("a network whose mask has holes", .nameConstraints) {
                try $0.scene(
                    permitted: [.address([127, 0, 0, 1, 255, 0, 0, 255])],
                    names: [.dns("localhost"), .address([127, 0, 0, 1])]
                )
            },
            TrustCase("a network of nine bytes", .nameConstraints) {
                try $0.scene(
                    excluded: [.address([1, 2, 3, 4, 5, 6, 7, 8, 9])],
                    names: [.dns("localhost"), .address([127, 0, 0, 1])]
                )
            },
        ] + otherConstraints

    static let otherConstraints: [TrustCase] = [
        TrustCase("an excluded e-mail address", .nameConstraints) {
            try $0.scene(excluded: [.email("b.example")], names: [.dns("localhost"), .email("a@B.example")])
        },
        TrustCase("an excluded e-mail address in the subject", .nameConstraints) {
            try $0.scene(excluded: [.email(".example")]) {
                $0.subject = try CertificateMint.name([([1, 2, 840, 113549, 1, 9, 1], "a@b.example")], tag: 0x16)
            }
        },
        TrustCase("a mailbox that is not permitted", .nameConstraints) {
            try $0.scene(permitted: [.email("a@b.example")], names: [.dns("localhost"), .email("c@b.example")])
        },
        TrustCase("an excluded URI", .nameConstraints) {
            try $0.scene(excluded: [.uri("b.example")], names: [.dns("localhost"), .uri("x://b.example/")])
        },
        TrustCase("an excluded URI with the dot of the root", .nameConstraints) {
            try $0.scene(excluded: [.uri("b.example")], names: [.dns("localhost"), .uri("x://b.example./")])
        },
        TrustCase("a limited URI without a host", .nameConstraints) {
            try $0.scene(permitted: [.uri("b.example")], names: [.dns("localhost"), .uri("urn:b.example")])
        },
        TrustCase("a limited URI with an address", .nameConstraints) {
            try $0.scene(excluded: [.uri("b.example")], names: [.dns("localhost"), .uri("https://10.0.0.1/")])
        },
        TrustCase("a directory name that is not permitted", .nameConstraints) {
            try $0.scene(permitted: [.directory(try CertificateMint.name([([2, 5, 4, 10], "Other")]))])
        },
        TrustCase("an excluded directory name, in another case and type", .nameConstraints) {
            let name = try CertificateMint.name([([2, 5, 4, 10], "bluebonnet   TESTS")], tag: 0x13)
            return try $0.scene(excluded: [.directory(name)])
        },
        TrustCase("a limited name of a kind that is not understood", .nameConstraints) {
            try $0.scene(permitted: [.registeredIdentifier], names: [.dns("localhost"), .registeredIdentifier])
        },
        TrustCase("constraints of a root", .nameConstraints) { shop in
            let root = try shop.authority("Limited", 3) {
                $0.extensions.append(.nameConstraints(permitted: [.dns("example.com")]))
            }
            let middle = try shop.authority("Below", 4, by: root)
            return TrustScene([try shop.leaf(by: middle), middle], trusting: [root])
        },
        TrustCase("more names than can be compared", .chainSize, isLive: false) {
            try $0.scene(
                excluded: (0..<400).map { .dns("a\($0).example") },
                names: [.dns("localhost")] + (0..<400).map { .dns("b\($0).example") }
            )
        },
        TrustCase("constraints without any subtree", .issuer, isLive: false) { shop in
            try shop.scene(middle: { $0.extensions.append(.nameConstraints()) })
        },
    ]

    static let formats: [TrustCase] = [
        TrustCase("version 1", .version) { shop in
            // With nothing that version 1 does not have, but for the names.
            try shop.scene { $0.version = nil }
        }.onlyAsValue,
        TrustCase("an authority of version 1", .version) { shop in
            try shop.scene(middle: { $0.version = nil })
        }.onlyAsValue,
        TrustCase("two algorithms", .encoding, isLive: false) { shop in
            try shop.scene {
                $0.outerAlgorithm = DERBytes.sequence(try DERBytes.identifier([1, 2, 840, 10045, 4, 3, 3]))
            }
        },
        TrustCase("an extension twice", .encoding, isLive: false) { shop in
            try shop.scene { $0.extensions.append(.names([.dns("localhost")])) }
        },
        TrustCase("bytes behind the certificate", .encoding, isLive: false) { shop in
            var scene = try shop.scene()
            scene.shown[0].der += [0]
            return scene
        },
        TrustCase("half a certificate", .encoding, isLive: false) { shop in
            var scene = try shop.scene()
            scene.shown[0].der.removeLast(scene.shown[0].der.count / 2)
            return scene
        },
        TrustCase("no certificate", .certificate, isLive: false) { shop in TrustScene([], trusting: [shop.root]) },
        TrustCase("too many certificates", .chainSize) { shop in
            var scene = try shop.scene()
            scene.shown += Array(repeating: shop.middle, count: 64)
            return scene
        },
        // BoringSSL ends a handshake with so many bytes before the verifier is asked.
        TrustCase("too large certificates", .chainSize, isLive: false) { shop in
            let names = (0..<30_000).map { TestAlternativeName.dns("\($0).example") }
            return try shop.scene { $0.setNames([.dns("localhost")] + names) }
        },
        TrustCase("authorities that have all signed each other", .chainSize) { shop in
            var shown: [MintedCertificate] = []
            for signer in 0..<8 {
                let issuer = try shop.authority("Ring", signer)
                for holder in 0..<8 where holder != signer {
                    shown.append(
                        try shop.authority("Ring", holder, by: issuer) { $0.serialNumber = [UInt8(signer + 1)] }
                    )
                }
            }
            return TrustScene([try shop.leaf(by: try shop.authority("Ring", 0))] + shown, trusting: [shop.root])
        },
    ]
}

extension TrustCase {
    fileprivate var onlyAsValue: TrustCase {
        var other = self
        other.isLive = false
        return other
    }
}
