public import FoundationEssentials
import HTTPTypes

/// Credentials in the keyring of the desktop: the Secret Service of GNOME, KDE, KeePassXC and
/// others, through libsecret.
///
/// libsecret is loaded when the store is used, and a program need not be linked with it: on Debian
/// it is the package `libsecret-1-0`. Servers have no keyring in most cases; a file takes its place
/// there:
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.credentialStore = await KeyringCredentialStore.available(
///     for: "reports",
///     orFile: URL(filePath: "/var/lib/reports/credentials.json")
/// )
/// ```
///
/// A keyring that is locked asks the person at the desktop for its password. Requests wait for it
/// meanwhile, as long as their ``Timeouts/request``.
///
/// Takes the place of the keychain, which `NSURLCredentialStorage` uses; no counterpart in
/// AFNetworking or Alamofire.
public struct KeyringCredentialStore: CredentialStore {
    /// The secret of an entry, as JSON: Base64, since names and passwords need not be UTF-8.
    private struct Secret: Codable {
        var user: Data?
        var password: Data?
        var token: String?
    }

    /// The name of the program, which its entries have.
    public let program: String

    /// Makes a store. Nothing is loaded before it is needed.
    ///
    /// - Parameter program: The name of the program. Programs with the same name share their
    ///   entries.
    public init(program: String) {
        self.program = program
    }

    /// The store, where there is a keyring that answers.
    ///
    /// - Parameter program: The name of the program, as in ``init(program:)``.
    /// - Returns: The store; nil where libsecret is not installed, or no keyring answers.
    public static func available(for program: String) async -> KeyringCredentialStore? {
        let store = KeyringCredentialStore(program: program)
        // An entry that nobody makes.
        let space = ProtectionSpace(host: "", port: 0)
        do {
            _ = try await store.credential(for: space)
            return store
        } catch {
            return nil
        }
    }

    /// The keyring, or a file where there is none: for credentials with
    /// ``Credential/Persistence/permanent``.
    ///
    /// The file is not encrypted; only its owner can read it (``FileCredentialStore``). What is in
    /// it stays there when there is a keyring later.
    ///
    /// - Parameters:
    ///   - program: The name of the program, as in ``init(program:)``.
    ///   - file: A file URL. Its folder must be there; the file need not.
    /// - Returns: A ``KeyringCredentialStore`` where a keyring answers, as
    ///   ``available(for:)``; else a ``FileCredentialStore``.
    public static func available(for program: String, orFile file: URL) async -> any CredentialStore {
        if let keyring = await available(for: program) { return keyring }
        return FileCredentialStore(file)
    }

    /// The credential for a protection space.
    ///
    /// - Parameter space: The protection space.
    /// - Returns: The credential; nil for none.
    /// - Throws: ``NetworkingError/Code/storeFailed`` where there is no keyring, or it stays
    ///   locked.
    public func credential(for space: ProtectionSpace) async throws -> Credential? {
        let text = try await onThread { service throws(SecretService.Failure) in
            try service.secret(attributes(of: space))
        }
        guard let text else { return nil }
        guard let secret = try? JSONDecoder().decode(Secret.self, from: Data(text.utf8)) else {
            throw NetworkingError(.storeFailed, "The keyring has an entry for \(space.host) that is no credential.")
        }
        if let token = secret.token { return Credential(token: token, persistence: .permanent) }
        guard let user = secret.user, let password = secret.password else { return nil }
        return Credential(user: Array(user), password: Array(password), persistence: .permanent)
    }

    /// Stores a credential in place of the one of its space, or removes that.
    ///
    /// - Parameters:
    ///   - credential: The credential; nil to remove the one that is there.
    ///   - space: The protection space.
    /// - Throws: ``NetworkingError/Code/storeFailed`` where there is no keyring, or it stays
    ///   locked.
    public func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
        guard let credential, credential.identity == nil else {
            return try await onThread { service throws(SecretService.Failure) in
                try service.remove(attributes(of: space))
            }
        }
        var secret = Secret()
        switch credential.kind {
        case .password(let user, let password): (secret.user, secret.password) = (Data(user), Data(password))
        case .token(let token): secret.token = token
        case .identity: break
        }
        let text = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self)
        try await onThread { service throws(SecretService.Failure) in
            try service.store(text, attributes(of: space), label: "\(program): \(space.host)")
        }
    }

    private func attributes(of space: ProtectionSpace) -> SecretService.Attributes {
        [
            ("program", program), ("host", space.host), ("port", "\(space.port)"),
            ("secure", space.isSecure ? "yes" : "no"), ("scheme", space.scheme.name.lowercased()),
            ("proxy", space.isProxy ? "yes" : "no"),
            // A realm may be empty, which is not the same as none. A text in C ends at a zero byte.
            ("realm", space.realm.map { "=" + $0.replacing("\0", with: "") } ?? ""),
        ]
    }

    private func onThread<Output: Sendable>(
        _ work: @escaping @Sendable (SecretService) throws(SecretService.Failure) -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Output, any Error>) in
            // A person may take any time to unlock a keyring.
            BlockingThreads.pipes.submit { unavailable in
                continuation.resume(
                    with: Result {
                        do {
                            if let unavailable { throw unavailable }
                            return try work(try SecretService(schema: "io.github.bluebonnet.Credential"))
                        } catch {
                            throw NetworkingError(
                                .storeFailed,
                                "The keyring cannot be used: \(error).",
                                underlying: error
                            )
                        }
                    }
                )
            }
        }
    }
}
