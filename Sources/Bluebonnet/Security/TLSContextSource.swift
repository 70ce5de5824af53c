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

/// Makes the session's TLS context once, when the first secure connection needs it.
final class TLSContextSource: Sendable {
    typealias Completion = @Sendable (Result<NIOSSLContext, any Error>) -> Void

    private enum State {
        /// Then `making`.
        case unmade
        /// Then `made`, or `unmade` after an error.
        case making([Completion])
        /// The last state.
        case made(NIOSSLContext)
    }

    private let settings: TLSSettings
    private let state = Mutex(State.unmade)

    init(settings: TLSSettings) {
        self.settings = settings
    }

    var verifiesCertificates: Bool { settings.verifiesCertificates }

    /// The context, if it has been made.
    var context: NIOSSLContext? {
        state.withLock { state in
            if case .made(let context) = state { context } else { nil }
        }
    }

    /// Calls back with the context, on any thread; the first call makes it, on a thread that may
    /// block, and calls that come meanwhile wait for the same one. After an error the next call
    /// tries again.
    func makeContext(_ completion: @escaping Completion) {
        let (made, begins) = state.withLock { state -> (NIOSSLContext?, Bool) in
            switch state {
            case .made(let context): return (context, false)
            case .making(let waiters):
                state = .making(waiters + [completion])
                return (nil, false)
            case .unmade:
                state = .making([completion])
                return (nil, true)
            }
        }
        if let made { return completion(.success(made)) }
        guard begins else { return }
        BlockingThreads.certificates.submit { unavailable in
            let result: Result<NIOSSLContext, any Error> = Result {
                if let unavailable { throw unavailable }
                return try Self.makeContext(self.settings)
            }
            let waiters = self.state.withLock { state -> [Completion] in
                guard case .making(let waiters) = state else { return [] }
                state = (try? result.get()).map { State.made($0) } ?? .unmade
                return waiters
            }
            for waiter in waiters { waiter(result) }
        }
    }

    func invalid(_ error: any Error) -> NetworkingError {
        error as? NetworkingError
            ?? NetworkingError(
                .invalidTrustConfiguration,
                "The trusted certificates of the system or the client certificate of the session cannot be used: "
                    + TLSFailure(error).sentence,
                underlying: TLSFailure.wrapping(error)
            )
    }

    /// A file of the settings that cannot be used, with the reason.
    private static func unusable(_ file: String, as role: String, _ error: any Error) -> NetworkingError {
        NetworkingError(
            .invalidTrustConfiguration,
            "\(role) cannot be read from “\(file)”: " + (unreadable(file) ?? "it contains none in PEM."),
            underlying: TLSFailure.wrapping(error)
        )
    }

    /// The reason why a file cannot be read; nil where it can.
    private static func unreadable(_ path: String) -> String? {
        var isDirectory = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory {
            return "it is a directory."
        }
        return unsafe access(path, R_OK) == 0 ? nil : errno.reason + "."
    }

    /// As OpenSSL and curl: `SSL_CERT_FILE` (one PEM file) and `SSL_CERT_DIR` (directories of
    /// hashed names, separated by colons) replace the system's places; a path that does not exist
    /// is ignored.
    private static func useEnvironment(_ configuration: inout TLSConfiguration) throws {
        let environment = ProcessInfo.processInfo.environment
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let directories = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        guard file != nil || !directories.isEmpty else { return }
        let exists = FileManager.default.fileExists(atPath:)
        let present = directories.filter(exists)
        configuration.trustRoots = present.first.map { .file($0) } ?? .certificates([])
        if let file, exists(file) { configuration.additionalTrustRoots = [.file(file)] }
        for directory in present.dropFirst() {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            let certificates = names.flatMap { (try? NIOSSLCertificate.fromPEMFile("\(directory)/\($0)")) ?? [] }
            configuration.additionalTrustRoots.append(.certificates(certificates))
        }
    }

    private static func makeContext(_ settings: TLSSettings) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // RFC 7301: the protocol is agreed upon in the handshake.
        configuration.applicationProtocols = ApplicationProtocol.allCases.map(\.rawValue)
        switch settings.trustRoots.source {
        case .file(let path): configuration.trustRoots = .file(path)
        case .pem(let text):
            do {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)))
            } catch {
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "The text with the trusted certificates holds no certificate in PEM.",
                    underlying: TLSFailure.wrapping(error)
                )
            }
        case .system:
            try useEnvironment(&configuration)
        }
        if let identity = settings.identity { try use(identity, in: &configuration) }
        configuration.shutdownTimeout = settings.closingTime.timeAmount
        // The names are checked by `CertificateVerification`.
        configuration.certificateVerification = settings.verifiesCertificates ? .noHostnameVerification : .none
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            // Both files were read before, so the key does not fit the certificate.
            let identity = settings.identity.map { "“\($0.certificateFile)” and its key in “\($0.privateKeyFile)”" }
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The client certificate in \(identity ?? "the settings") do not belong together.",
                underlying: TLSFailure(NIOSSLError.failedToLoadPrivateKey)
            )
        } catch {
            if case .file(let path) = settings.trustRoots.source {
                throw unusable(path, as: "The trusted certificates", error)
            }
            throw error
        }
    }

    private static func use(_ identity: TLSSettings.Identity, in configuration: inout TLSConfiguration) throws {
        do {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(identity.certificateFile)
                .map { .certificate($0) }
        } catch {
            throw unusable(identity.certificateFile, as: "The client certificate", error)
        }
        do {
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity.privateKeyFile, format: .pem))
        } catch {
            throw unusable(identity.privateKeyFile, as: "The key of the client certificate", error)
        }
    }
}
