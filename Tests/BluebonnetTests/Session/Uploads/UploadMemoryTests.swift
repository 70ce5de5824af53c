import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Uploads of files that are larger than the memory that they may take.
@Suite(.timeLimit(.minutes(10)))
struct UploadMemoryTests {
    @Test(arguments: [false, true])
    func `a process that uploads a file of a gigabyte stays small`(usesTLS: Bool) async throws {
        let certificates = try TestCertificates.shared()
        let tls = usesTLS ? ServerTLS(certificates.localhost) : nil
        let options = FaultServer.Options(tls: tls, keepsBodies: false)
        try await certificates.withFiles { files in
            let script = FaultServer.Script.requests { _ in
                [.respond(headers: [("Content-Type", "application/json")], body: "{}")]
            }
            try await FaultServer.run(script, options: options) { server in
                let (text, authority) = (server.baseURL, files.authority)
                // In a separate process, where other tests do not use memory.
                await #expect(processExitsWith: .success) {
                    [text = text as String, authority = authority as String] in
                    try await withDirectory { directory in
                        let file = directory.appending(path: "sparse")
                        try Data().write(to: file)
                        let handle = try FileHandle(forWritingTo: file)
                        try handle.truncate(atOffset: 1 << 30)
                        try handle.close()
                        let configuration = SessionConfiguration { $0.tls.trustRoots = .file(authority) }
                        try await withAPI(at: text, configuration) { api in
                            // What the machine code takes that a first upload needs is not counted.
                            _ = try await api.upload("a", from: .data(Data([1])), as: .json)
                            let before = try peakMemory()
                            _ = try await api.upload("a", from: .file(file), as: .json)
                            let growth = try peakMemory() - before
                            #expect(growth < 40_000_000, "the process grew by \(growth) bytes")
                        }
                    }
                }
                #expect(server.requests.last?.value(of: "content-length") == "\(1 << 30)")
                #expect(server.record.connections.reduce(0) { $0 + $1.bytesReceived } > 1 << 30)
            }
        }
    }
}
