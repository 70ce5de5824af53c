import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// One TLS context for a session, however many connections need it.
@Suite(.timeLimit(.minutes(5)))
struct TLSContextSourceTests {
    private func context(of source: TLSContextSource) async throws -> ObjectIdentifier {
        try await withCheckedThrowingContinuation { continuation in
            source.makeContext { result in continuation.resume(with: result.map { ObjectIdentifier($0.ssl) }) }
        }
    }

    @Test func `all connections share one TLS context`() async throws {
        let source = TLSContextSource(settings: TLSSettings())
        #expect(source.context == nil)
        let contexts = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<20 { group.addTask { try await context(of: source) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(contexts.count == 20 && Set(contexts).count == 1)
        #expect(source.context.map { ObjectIdentifier($0.ssl) } == contexts[0])
    }

    @Test func `after an error the TLS context is made again for the next connection`() async throws {
        let certificates = try TestCertificates.shared()
        try await withDirectory { directory in
            let file = directory.appending(path: "authority.pem")
            var settings = TLSSettings()
            settings.trustRoots = .file(file.path(percentEncoded: false))
            let source = TLSContextSource(settings: settings)
            await #expect(throws: (any Error).self) { try await context(of: source) }
            #expect(source.context == nil)
            try Data(certificates.authority.certificatePEM.utf8).write(to: file)
            let made = try await context(of: source)
            #expect(source.context.map { ObjectIdentifier($0.ssl) } == made)
        }
    }
}
