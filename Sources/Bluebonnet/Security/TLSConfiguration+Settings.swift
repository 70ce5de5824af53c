import FoundationEssentials
import NIOCore
import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSConfiguration {
    /// Takes versions, cipher suites and the log of secrets from the settings of a session.
    mutating func use(_ settings: TLSSettings) throws(NetworkingError) {
        verifySignatureAlgorithms = Self.signatures
        minimumTLSVersion = Self.version(settings.minimumVersion)
        maximumTLSVersion = settings.maximumVersion.map(Self.version)
        if let suites = settings.cipherSuites { cipherSuiteValues = try Self.suites(suites) }
        if let path = settings.keyLogFile {
            let log = try KeyLog(path)
            keyLogCallback = { log.append($0) }
        }
    }

    /// The signatures that a server may make in the handshake: BoringSSL's own, but not with SHA-1
    /// (RFC 9155 §2), and also with every other key that ``TrustRule/key`` accepts.
    ///
    /// Keys on P-521 can be used in TLS 1.3 only. In TLS 1.2 the curve must also be among the
    /// groups for the exchange of keys (RFC 8422 §5.1.1); a list of them would replace that of
    /// NIOSSL, and with it what later versions add.
    private static let signatures: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ed25519, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
    ]

    private static func version(_ version: Bluebonnet.TLSVersion) -> NIOSSL.TLSVersion {
        switch version {
        case .tls1_0: .tlsv1
        case .tls1_1: .tlsv11
        case .tls1_2: .tlsv12
        default: .tlsv13
        }
    }

    private static func suites(_ suites: [TLSCipherSuite]) throws(NetworkingError) -> [NIOTLSCipher] {
        guard !suites.isEmpty else {
            throw NetworkingError(.invalidTrustConfiguration, "The list of cipher suites is empty.")
        }
        for suite in suites where !known.contains(suite.rawValue) {
            let number = String(suite.rawValue, radix: 16, uppercase: true)
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The cipher suite 0x\(number) is not one of TLS 1.2 that is known here."
            )
        }
        return suites.map { NIOTLSCipher($0.rawValue) }
    }

    /// The suites of TLS 1.2 that BoringSSL knows, but those with keys that were shared before. A
    /// number that it does not know would end the process.
    private static let known: Set<UInt16> = [
        0x2F, 0x35, 0x9C, 0x9D, 0xC009, 0xC00A, 0xC013, 0xC014, 0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9,
    ]
}

/// The file of the secrets of connections, in the format of NSS.
private final class KeyLog: Sendable {
    private let file: SystemFile

    init(_ path: String) throws(NetworkingError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The file for the secrets of connections, “\(path)”, cannot be written: \(errno.reason)."
            )
        }
        file = SystemFile(descriptor: descriptor, path: path)
    }

    /// Appends a line, on the event loop of the connection: this is for looking for faults. A line
    /// that cannot be written is lost.
    func append(_ line: ByteBuffer) {
        // One call of the system each: lines of several connections do not mix (O_APPEND).
        try? file.write([line])
    }
}

extension TLSConfiguration {
    /// Shows a client certificate to servers that ask for one.
    mutating func use(_ identity: TLSSettings.Identity) throws(NetworkingError) {
        switch identity.source {
        case .pem(let certificateFile, let keyFile):
            do {
                certificateChain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) }
            } catch {
                throw TrustRootReader.unusable(certificateFile, as: "The client certificate", error)
            }
            // NIOSSL would end the process.
            guard (identity.password ?? "").utf8.allSatisfy({ $0 < 0x80 }) else {
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "The password of the key in “\(keyFile)” must be ASCII. A PKCS #12 file can have any password."
                )
            }
            do {
                privateKey = .privateKey(try Self.key(keyFile, identity.password))
            } catch {
                throw TrustRootReader.unusable(keyFile, as: "The key of the client certificate", error)
            }
        case .pkcs12(let file):
            do {
                let bytes = try SystemFile(reading: file).contents(atMost: PKCS12File.mostBytes)
                guard let bytes else { throw PKCS12File.Fault(reason: "it is larger than 512 KiB.") }
                let bundle = try PKCS12File(Array(buffer: bytes)).bundle(identity.password)
                certificateChain = bundle.certificateChain.map { .certificate($0) }
                privateKey = .privateKey(bundle.privateKey)
            } catch {
                let fault = error as? PKCS12File.Fault
                let reason =
                    fault?.reason ?? TrustRootReader.unreadable(file)
                    ?? "it is not a PKCS #12 file, or has another password."
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "The client certificate cannot be read from “\(file)”: \(reason)",
                    underlying: fault == nil ? TLSFailure.wrapping(error) : nil
                )
            }
        }
    }

    private static func key(_ file: String, _ password: String?) throws -> NIOSSLPrivateKey {
        // Without a callback, BoringSSL would ask for the password on the terminal.
        let password = Array((password ?? "").utf8)
        return try NIOSSLPrivateKey(file: file, format: .pem) { setter in setter(password) }
    }
}
