import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Authorities in files and directories.
@Suite(.timeLimit(.minutes(5)))
struct TrustRootReaderTests {
    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    @Test func `a text with certificates only is read without BoringSSL`() throws {
        let (root, middle) = (shop.root, shop.middle)
        let text = "# Root - of tests\n" + root.pem + "\r\n" + middle.pem.replacing("\n", with: "\r\n") + "--"
        #expect(TrustRootReader.plainPEM(Array(text.utf8)) == [root.der, middle.der])
    }

    @Test(arguments: [
        "", "text", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END X-----\n", "-----BEGIN PRIVATE KEY-----\nMAA=\n",
        "-----BEGIN TRUSTED CERTIFICATE-----\nMAA=\n-----END TRUSTED CERTIFICATE-----\n",
    ])
    func `other texts are left to BoringSSL`(text: String) throws {
        #expect(TrustRootReader.plainPEM(Array(text.utf8)) == nil)
        let both = shop.root.pem + text
        let isPlain = !text.contains("BEGIN")
        #expect(TrustRootReader.plainPEM(Array(both.utf8)) == (isPlain ? [shop.root.der] : nil))
    }

    @Test func `the certificates of a directory are read once each, whatever else is in it`() async throws {
        try await withDirectory { directory in
            let files = ["a.pem": shop.root.pem, "0b1c2d3e.0": shop.root.pem, "both": shop.root.pem + shop.middle.pem]
            for (name, text) in files { try Data(text.utf8).write(to: directory.appending(path: name)) }
            try Data("nothing".utf8).write(to: directory.appending(path: "README"))
            let anchors = try TrustRootReader.anchors(.file(directory.path))
            #expect(anchors.count == 2)
            let all = try TrustRootReader.anchors(.file(directory.path).adding(.pem(shop.middle.pem)))
            #expect(all.count == 2)
        }
    }
}
