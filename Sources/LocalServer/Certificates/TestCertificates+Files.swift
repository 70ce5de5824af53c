#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TestCertificates {
    /// All identities by the names of their properties.
    package var all: [(name: String, identity: TestIdentity)] {
        [
            ("authority", authority), ("intermediate", intermediate), ("localhost", localhost), ("expired", expired),
            ("notYetValid", notYetValid), ("wrongHost", wrongHost), ("selfSigned", selfSigned),
            ("untrusted", untrusted), ("client", client),
        ]
    }

    /// Writes the files into this directory, which is created if it does not exist.
    @discardableResult
    package func write(to directory: String) throws -> TestCertificateFiles {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let files = TestCertificateFiles(directory: directory)
        for (name, identity) in all {
            try Data(identity.chainPEM.utf8).write(to: URL(filePath: files.path(name + ".pem")))
            try Data(identity.privateKeyPEM.utf8).write(to: URL(filePath: files.path(name + ".key")))
        }
        return files
    }

    /// Writes the files into a new temporary directory and removes it after the body.
    package func withFiles<Result>(_ body: (TestCertificateFiles) async throws -> Result) async throws -> Result {
        let parent = FileManager.default.temporaryDirectory.path
        let directory = parent + "/bluebonnet-certificates-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try await body(write(to: directory))
    }
}
