import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Lists of revoked certificates as they come in files.
@Suite(.timeLimit(.minutes(5)))
struct RevocationListTests {
    private let shop: TrustWorkshop

    init() throws {
        shop = try TrustWorkshop.shared()
    }

    private func message(_ lists: TLSSettings.RevocationLists) -> String? {
        do throws(NetworkingError) {
            _ = try RevocationIndex(lists)
            return nil
        } catch {
            #expect(error.code == .invalidTrustConfiguration)
            return error.message
        }
    }

    @Test func `a file that holds no list is an error of the session, and its message has the path`() async throws {
        try await withDirectory { directory in
            let missing = directory.appending(path: "missing.pem").path
            #expect(
                message(.file(missing))
                    == "The list of revoked certificates cannot be read from “\(missing)”: No such file or directory."
            )
            let file = directory.appending(path: "lists.pem")
            try Data(shop.root.pem.utf8).write(to: file)
            #expect(message(.file(file.path)) == "There is no list of revoked certificates in “\(file.path)”.")
            try Data(RevocationListMint(by: shop.root).made()).write(to: file)
            #expect(message(.file(file.path)) == nil)
            try Data(RevocationListMint(by: shop.root).made().dropLast()).write(to: file)
            #expect(message(.file(file.path)) == "A list of revoked certificates in “\(file.path)” is not well-formed.")
            var configuration = try shop.scene().configuration
            configuration.tls.revocationLists = .file(missing)
            try await FaultServer.run([.close], options: .init(tls: ServerTLS(TestCertificates.shared().localhost))) {
                server in
                try await withSession(configuration) { session in
                    let error = try await networkingError {
                        _ = try await session.data(for: Request(to: server.baseURL))
                    }
                    #expect(error.code == .invalidTrustConfiguration && error.message.contains(missing), "\(error)")
                }
            }
        }
    }

    @Test func `a list that says what is not understood is refused, and not left out`() throws {
        func refusal(_ change: (inout RevocationListMint) -> Void) throws -> String? {
            var list = RevocationListMint([[1]], by: shop.root)
            change(&list)
            return message(.pem(try list.madePEM()))
        }
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.extensions = [.unknown(isCritical: false)] } == nil)
        let unknown = try refusal { $0.extensions = [.unknown(isCritical: true)] }
        #expect(unknown?.contains("has a critical extension that is unknown here (1.3.6.1.4.1.99999.1)") == true)
        let entry = try refusal { $0.entryExtensions = [.unknown(isCritical: true)] }
        #expect(entry?.contains("has an entry with a critical extension") == true)
        for limit: UInt8 in [3, 4, 5] {
            let limited = try refusal { $0.extensions = [.scope([limit])] }
            #expect(limited?.contains("of some reasons only") == true)
        }
    }

    @Test func `no bytes crash the reader`() throws {
        var list = RevocationListMint([[1], [2, 3]], by: shop.root)
        list.extensions = [.scope([1], point: "http://example.com/list")]
        list.entryExtensions = [.unknown(isCritical: false)]
        let good = try list.made()
        var random = SeededGenerator(seed: 15)
        for _ in FuzzRounds(3000) {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            _ = try? RevocationList(bytes)
        }
    }

    @Test(.needs("openssl")) func `a list made by openssl revokes`() async throws {
        try await withDirectory { directory in
            let script = """
                set -e
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=root -keyout ca.key \
                    -out ca.pem -addext keyUsage=critical,keyCertSign,cRLSign
                for name in good bad; do
                    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$name -keyout $name.key -out $name.csr
                done
                printf 'subjectAltName=DNS:localhost\\n' > ext
                touch index.txt; echo 1000 > serial; echo 01 > number
                printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index.txt\\nserial=serial\\ncrlnumber=number\\nnew_certs_dir=.\\n' > ca.cnf
                printf 'default_md=sha256\\npolicy=p\\ndefault_days=2\\ndefault_crl_days=1\\n[p]\\ncommonName=supplied\\n' >> ca.cnf
                for name in good bad; do
                    openssl ca -batch -config ca.cnf -cert ca.pem -keyfile ca.key -in $name.csr -out $name.pem -notext -extfile ext
                done
                openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke bad.pem
                openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -out list.pem
                """
            let status = try await OtherProgram.run("sh", ["-c", script], in: directory)
            try #require(status == 0)
            var configuration = SessionConfiguration()
            configuration.tls.trustRoots = .file(directory.appending(path: "ca.pem").path)
            configuration.tls.revocationLists = .file(directory.appending(path: "list.pem").path)
            configuration.tls.revocationLists?.areRequired = true
            for (name, isGood) in [("good", true), ("bad", false)] {
                var tls = ServerTLS(try TestCertificates.shared().localhost)
                tls.chainPEM = try String(contentsOf: directory.appending(path: "\(name).pem"), encoding: .utf8)
                tls.privateKeyPEM = try String(contentsOf: directory.appending(path: "\(name).key"), encoding: .utf8)
                let script: FaultServer.Script = [.readRequest, .respond(body: "ok")]
                try await FaultServer.run(script, options: .init(tls: tls)) { server in
                    try await withSession(configuration) { session in
                        let request = try Request(to: server.baseURL)
                        guard !isGood else {
                            #expect(try await session.data(for: request).value == Data("ok".utf8))
                            return
                        }
                        let error = try await networkingError { _ = try await session.data(for: request) }
                        #expect(
                            error.code == .certificateRevoked && error.trustRefusal?.rule == .revocation,
                            "\(error)"
                        )
                        #expect(error.message.contains("was revoked by the authority that issued it"))
                        try await server.waitUntilClosed(connection: 0)
                        #expect(server.connections[0].bytesReceived == 0)
                    }
                }
            }
        }
    }
}
