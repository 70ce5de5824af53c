import FoundationEssentials
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads the authorities that a session trusts, from files and texts. It blocks.
enum TrustRootReader {
    /// The places at which distributions have one file with all authorities: Debian, Ubuntu, Arch
    /// and Alpine; Fedora; openSUSE; Alpine without its package of certificates.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]
    private static let systemDirectory = "/etc/ssl/certs"

    /// The authorities of the settings.
    ///
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when those of a file or text
    ///   cannot be read.
    static func anchors(
        _ roots: TLSSettings.TrustRoots,
        revocations: RevocationIndex? = nil
    ) throws(NetworkingError) -> TrustAnchors {
        var certificates: [[UInt8]] = []
        for source in roots.sources {
            switch source {
            case .system: certificates += system()
            case .file(let path): certificates += try file(path)
            case .pem(let text):
                do {
                    certificates += try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)).map { try $0.toDERBytes() }
                } catch {
                    throw NetworkingError(
                        .invalidTrustConfiguration,
                        "The text with the trusted certificates holds no certificate in PEM.",
                        underlying: TLSFailure.wrapping(error)
                    )
                }
            }
        }
        return TrustAnchors(certificates, revocations: revocations)
    }

    /// A PEM file, or all that are in a directory.
    private static func file(_ path: String) throws(NetworkingError) -> [[UInt8]] {
        if isDirectory(path), let certificates = directory(path) { return certificates }
        do {
            return try pemFile(path)
        } catch {
            throw unusable(path, as: "The trusted certificates", error)
        }
    }

    private static func pemFile(_ path: String) throws -> [[UInt8]] {
        if let data = try? Data(contentsOf: URL(filePath: path)), let certificates = plainPEM(Array(data)) {
            return certificates
        }
        return try NIOSSLCertificate.fromPEMFile(path).map { try $0.toDERBytes() }
    }

    /// The certificates of a PEM text that holds nothing else; nil for others, which BoringSSL
    /// reads. It would take apart every one of the hundred and forty authorities of a system, for
    /// which the first connection would wait.
    static func plainPEM(_ text: [UInt8]) -> [[UInt8]]? {
        let (begin, end) = (Array("-----BEGIN CERTIFICATE-----".utf8), Array("-----END CERTIFICATE-----".utf8))
        var certificates: [[UInt8]] = []
        var rest = text[...]
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            guard rest.starts(with: begin) else {
                // Another kind of block, or a dash in a comment.
                if rest.starts(with: begin.prefix(11)) { return nil }
                rest = rest.dropFirst()
                continue
            }
            let content = rest.dropFirst(begin.count)
            guard let last = content.firstIndex(of: UInt8(ascii: "-")), content[last...].starts(with: end),
                let data = Data(base64Encoded: Data(content[..<last]), options: .ignoreUnknownCharacters),
                isSequence(Array(data))
            else { return nil }
            certificates.append(Array(data))
            rest = content[last...].dropFirst(end.count)
        }
        return certificates.isEmpty ? nil : certificates
    }

    /// Whether bytes are a sequence of DER with a length of two bytes, as certificates are.
    private static func isSequence(_ bytes: [UInt8]) -> Bool {
        bytes.count > 4 && bytes[0] == 0x30 && bytes[1] == 0x82
            && Int(bytes[2]) << 8 + Int(bytes[3]) + 4 == bytes.count
    }

    /// The certificates of all PEM files in a directory; nil where it cannot be read.
    private static func directory(_ path: String) -> [[UInt8]]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return nil }
        return names.sorted().flatMap { (try? pemFile(path + "/" + $0)) ?? [] }
    }

    /// As OpenSSL and curl: `SSL_CERT_FILE` (one PEM file) and `SSL_CERT_DIR` (directories,
    /// separated by colons) replace the system's places; a path that does not exist is ignored.
    private static func system() -> [[UInt8]] {
        let environment = ProcessInfo.processInfo.environment
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let directories = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        guard file == nil, directories.isEmpty else {
            return (file.flatMap { try? pemFile($0) } ?? []) + directories.flatMap { directory($0) ?? [] }
        }
        for path in systemFiles {
            if let certificates = try? pemFile(path) { return certificates }
        }
        return directory(systemDirectory) ?? []
    }

    // MARK: Errors

    /// A file of the settings that cannot be used, with the reason.
    static func unusable(_ file: String, as role: String, _ error: any Error) -> NetworkingError {
        NetworkingError(
            .invalidTrustConfiguration,
            "\(role) cannot be read from “\(file)”: " + (unreadable(file) ?? "it contains none in PEM."),
            underlying: TLSFailure.wrapping(error)
        )
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    /// The reason why a file cannot be read; nil where it can.
    static func unreadable(_ path: String) -> String? {
        if isDirectory(path) { return "it is a directory." }
        return unsafe access(path, R_OK) == 0 ? nil : errno.reason + "."
    }
}
