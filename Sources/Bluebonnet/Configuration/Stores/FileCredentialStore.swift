public import FoundationEssentials
import NIOCore
import Synchronization

/// Credentials in a file that only its owner can read: mode 0600, JSON, as a whole replaced at each
/// change.
///
/// They are not encrypted: whoever has the rights of the user, or a copy of the disk, can read
/// them. For the keyring where there is one, and else such a file, see
/// ``KeyringCredentialStore/available(for:orFile:)``.
///
/// ```swift
/// let file = URL(filePath: "/var/lib/reports/credentials.json")
/// configuration.credentialStore = FileCredentialStore(file)
/// ```
///
/// Processes that use one file at the same time each write all that they know: the last one wins.
///
/// No counterpart in AFNetworking or Alamofire, which use the keychain.
public final class FileCredentialStore: CredentialStore {
    /// One credential in the file.
    private struct Record: Codable {
        var host: String
        var port: Int
        var isSecure: Bool
        var realm: String?
        var scheme: String
        var isProxy: Bool
        /// Base64, since they need not be UTF-8.
        var user: Data?
        var password: Data?
        var token: String?
    }

    private struct Contents: Codable {
        /// The number of the format.
        var version = 1
        var credentials: [Record] = []
    }

    private let path: String
    /// Held while the file is read or written, on threads that may block.
    private let lock = Mutex(())

    /// Makes a store. Nothing is read or written before it is needed.
    ///
    /// - Parameter file: A file URL. Its folder must be there; the file need not.
    public init(_ file: URL) {
        path = file.path(percentEncoded: false)
    }

    /// The credential for a protection space.
    ///
    /// - Parameter space: The protection space.
    /// - Returns: The credential; nil for none, and where there is no file.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read, that others
    ///   may read, or that is not one of these.
    public func credential(for space: ProtectionSpace) async throws -> Credential? {
        try await onFileThread {
            try self.read().credentials.first { Self.space($0) == space }.flatMap(Self.credential)
        }
    }

    /// Stores a credential in place of the one of its space, or removes that.
    ///
    /// - Parameters:
    ///   - credential: The credential; nil to remove the one that is there.
    ///   - space: The protection space.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read or written.
    public func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
        try await onFileThread {
            var contents = try self.read()
            contents.credentials.removeAll { Self.space($0) == space }
            if let credential, credential.identity == nil {
                contents.credentials.append(Self.record(credential, space))
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let bytes = try encoder.encode(contents)
            try AtomicFile.write(to: self.path, replaces: true, mode: 0o600) { file in
                try file.write([ByteBuffer(bytes: bytes)])
            }
        }
    }

    private func onFileThread<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output
    {
        try await withTaskExecutorPreference(BlockingThreads.fileExecutor) {
            try await self.locked(work)
        }
    }

    @concurrent
    private func locked<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        do {
            return try lock.withLock { _ in try work() }
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(
                .storeFailed,
                "The credentials in \(path) cannot be used: \(error)",
                underlying: error
            )
        }
    }

    private func read() throws -> Contents {
        let file: SystemFile
        do {
            file = try SystemFile(reading: path)
        } catch let error as SystemFile.Failure where error.isMissing {
            return Contents()
        }
        guard try file.isPrivate() else {
            throw NetworkingError(
                .storeFailed,
                "Others can read the credentials in \(path). To use it, give its owner alone the right: chmod 600."
            )
        }
        guard let bytes = try file.contents(atMost: Self.longest) else {
            throw NetworkingError(.storeFailed, "The file \(path) is too large for one with credentials.")
        }
        let contents: Contents
        do {
            contents = try JSONDecoder().decode(Contents.self, from: Data(bytes.readableBytesView))
        } catch {
            // The error of the decoder could show a part of the file.
            throw NetworkingError(.storeFailed, "The file \(path) is not one with credentials.")
        }
        guard contents.version == 1 else {
            throw NetworkingError(.storeFailed, "The file \(path) has a format that this version does not know.")
        }
        return contents
    }

    private static let longest = 16 << 20

    private static func space(_ record: Record) -> ProtectionSpace {
        ProtectionSpace(
            host: record.host,
            port: record.port,
            isSecure: record.isSecure,
            realm: record.realm,
            scheme: AuthenticationScheme(record.scheme),
            isProxy: record.isProxy
        )
    }

    private static func credential(_ record: Record) -> Credential? {
        if let token = record.token { return Credential(token: token, persistence: .permanent) }
        guard let user = record.user, let password = record.password else { return nil }
        return Credential(user: Array(user), password: Array(password), persistence: .permanent)
    }

    private static func record(_ credential: Credential, _ space: ProtectionSpace) -> Record {
        var record = Record(
            host: space.host,
            port: space.port,
            isSecure: space.isSecure,
            realm: space.realm,
            scheme: space.scheme.name,
            isProxy: space.isProxy
        )
        switch credential.kind {
        case .password(let user, let password): (record.user, record.password) = (Data(user), Data(password))
        case .token(let token): record.token = token
        case .identity: break
        }
        return record
    }
}
