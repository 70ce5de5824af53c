import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The form of certificates: what is not quite DER, and is or is not read.
@Suite(.timeLimit(.minutes(5)))
struct ChainCertificateTests {
    private static let systemFile = "/etc/ssl/certs/ca-certificates.crt"

    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    private static func keyUsage(_ value: [UInt8]) -> CertificateMint.Extension {
        .init([2, 5, 29, 15], isCritical: true, value)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: systemFile)))
    func `every authority of the system can be used`() throws {
        let text = try Data(contentsOf: URL(filePath: Self.systemFile))
        let certificates = try #require(TrustRootReader.plainPEM(Array(text)))
        for certificate in certificates {
            let fields = try CertificateFields(certificate)
            #expect(throws: Never.self, "\(fields.shortName)") { try ChainCertificate(fields) }
        }
    }

    // Those of “Trustwave Global ECC P256 Certification Authority” are the first.
    @Test(
        arguments: [
            [3, 3, 7, 6, 0], [3, 2, 0, 6], [3, 2, 1, 6], [3, 3, 0, 6, 0], [3, 4, 0, 6, 0, 0], [3, 3, 7, 0x06, 0x80],
        ] as [[UInt8]]
    )
    func `zeros behind the last use of a key mean nothing`(usage: [UInt8]) throws {
        let scene = try shop.scene(
            middle: { $0.replace(Self.keyUsage(usage)) },
            leaf: { $0.replace(Self.keyUsage([3, 2, 0, 0xA0])) }
        )
        #expect(scene.result(at: shop.now).findings.map(\.predicate) == [])
    }

    @Test(
        arguments: [
            ([3, 3, 7, 0x82, 0], .keyUsage), ([3, 2, 0, 0x02], .keyUsage), ([3, 1, 0], .keyUsage),
            // A tenth use, bits where there are none, and no bits at all.
            ([3, 3, 6, 6, 0x40], .issuer), ([3, 4, 0, 6, 0, 1], .issuer), ([3, 2, 1, 7], .issuer), ([3, 0], .issuer),
            ([4, 2, 0, 6], .issuer),
        ] as [([UInt8], TrustRule)]
    )
    func `an authority whose key must not sign certificates, or has unknown uses, is refused`(
        usage: [UInt8],
        rule: TrustRule
    ) throws {
        let scene = try shop.scene(middle: { $0.replace(Self.keyUsage(usage)) })
        #expect(scene.result(at: shop.now).findings.first?.rule == rule)
    }

    @Test func `a server certificate whose key has other uses than TLS is refused`() throws {
        let scene = try shop.scene { $0.replace(Self.keyUsage([3, 3, 7, 6, 0])) }
        #expect(scene.result(at: shop.now).findings.map(\.rule) == [.keyUsage])
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a server below an authority with such zeros receives the request`(version: ServerTLS.Version) async throws {
        let scene = try shop.scene(
            middle: { $0.replace(Self.keyUsage([3, 3, 7, 6, 0])) },
            leaf: { $0.replace(Self.keyUsage([3, 2, 0, 0xA0])) }
        )
        let tls = try #require(scene.serverTLS(version, TestCertificates.shared().localhost))
        try await FaultServer.run([.readRequest, .respond(body: "ok")], options: .init(tls: tls)) { server in
            try await withSession(scene.configuration) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
            }
        }
    }

    @Test func `other extensions that are not in DER, and too many of them, are refused`() throws {
        let basicConstraints: [UInt] = [2, 5, 29, 19]
        let changes: [TrustWorkshop.Change] = [
            { $0.extensions.append(.init(basicConstraints, isCritical: true, [0x30, 3, 1, 1, 0])) },
            { $0.extensions.append(.init(basicConstraints, isCritical: true, [0x30, 3, 1, 1, 1])) },
            { $0.replace(try .purposes([1, 1])) },
            { mint in
                for number: UInt in 0..<30 {
                    mint.extensions.append(.init([1, 3, 6, 1, 4, 1, 99_999, 2, number], [5, 0]))
                }
            },
        ]
        for (number, change) in changes.enumerated() {
            let scene = try shop.scene(change)
            #expect(scene.result(at: shop.now).findings.map(\.rule) == [.encoding, .issuer], "\(number)")
        }
    }
}
