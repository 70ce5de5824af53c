public import FoundationEssentials
import SwiftASN1
import Synchronization
import X509

/// Pins of hosts that a program can replace while its sessions run: from a JSON text, which may
/// have to be signed.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// let pins = try PinList(file: "/etc/my-program/pins.json")
/// configuration.pinList = pins
/// // Later, for all connections that begin from then on:
/// try pins.load(file: "/etc/my-program/pins.json")
/// ```
///
/// The text is an object with the pins of each host; everything but `pins` can be left out:
///
/// ```json
/// {
///   "version": 7,
///   "hosts": {
///     "api.example.com": {
///       "pins": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="],
///       "backups": ["sha256/4a6cPehI7OG6cuDZka5NDZ7FR8a60d3auda+sKfg4Ng="],
///       "expires": "2027-12-31T00:00:00Z",
///       "reportsOnly": false
///     },
///     "*.cdn.example.com": {
///       "pins": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
///     }
///   }
/// }
/// ```
///
/// For a host that the list names, its pins take the place of those of the session's policy for
/// that host; the rest of that policy counts as before. A host that the list does not name has the
/// policy alone, and so has one whose pins in the list have expired, where the policy has pins.
///
/// A list that comes over the network must be signed: it is then a JSON Web Signature in its
/// compact form (RFC 7515), whose payload is the text above, and `version` must be there. A version
/// lower than the present one is refused, so that nobody can bring back an old list. A program that
/// stores lists also gives the version that it has seen last when it starts.
///
/// No counterpart in AFNetworking or Alamofire, whose pins are part of the program.
public final class PinList: Sendable {
    /// The public key that a signed list must be signed with.
    public struct Key: Sendable, Hashable {
        let key: Certificate.PublicKey
        let algorithm: SignatureName

        /// Reads a key.
        ///
        /// - Parameter pem: A public key in PEM (`BEGIN PUBLIC KEY`): Ed25519, for the algorithm
        ///   `EdDSA`, or P-256, for `ES256`.
        /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it is another text.
        public init(pem: String) throws(NetworkingError) {
            guard let key = try? Certificate.PublicKey(pemEncoded: pem), let algorithm = SignatureName(key) else {
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "The key for the list of pins is not a public key in PEM, of the kind Ed25519 or P-256."
                )
            }
            self.key = key
            self.algorithm = algorithm
        }
    }

    /// The pins of one host.
    struct HostPins: Sendable, Hashable {
        var keys: Set<PublicKeyPin>
        var backups: Set<PublicKeyPin>
        var expire: Date?
        var reportsOnly: Bool

        /// The policy with these pins in place of its own.
        func replacing(in policy: SecurityPolicy) -> SecurityPolicy {
            var policy = policy
            policy.pinningMode = .publicKey
            policy.pinnedCertificates = []
            policy.pinnedKeys = keys
            policy.backupKeys = backups
            policy.pinsExpire = expire
            policy.reportsOnly = reportsOnly
            return policy
        }
    }

    private struct State {
        var hosts = HostPatterns<HostPins>([:], in: "")
        /// The version that the text names.
        var version: Int?
        /// How often a text was loaded.
        var generation = 0
    }

    /// The most bytes of a text.
    static let mostBytes = 1 << 20

    private let key: Key?
    private let minimumVersion: Int?
    private let state = Mutex(State())

    /// Makes a list of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - key: The key that the text must be signed with. Default: nil, it is not signed.
    ///   - minimumVersion: The lowest version of a list that is accepted, this one and those loaded
    ///     later. Default: nil, any.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it cannot be read, its
    ///   signature is not good, or its version is lower than the minimum.
    public init(_ text: Data, signedBy key: Key? = nil, minimumVersion: Int? = nil) throws(NetworkingError) {
        self.key = key
        self.minimumVersion = minimumVersion
        try load(text)
    }

    /// Makes a list of a file, which is read here, on the thread of the caller.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - key: The key that its text must be signed with. Default: nil, it is not signed.
    ///   - minimumVersion: The lowest version of a list that is accepted, this one and those loaded
    ///     later. Default: nil, any.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it cannot be read, its
    ///   signature is not good, or its version is lower than the minimum.
    public init(file path: String, signedBy key: Key? = nil, minimumVersion: Int? = nil) throws(NetworkingError) {
        self.key = key
        self.minimumVersion = minimumVersion
        try load(file: path)
    }

    /// The version of the list in use; nil where its text has none.
    public var version: Int? { state.withLock(\.version) }

    /// Replaces the list, for every TLS connection that begins from now on. Connections that are
    /// open stay in use. After an error the list is as before.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it cannot be read, its
    ///   signature is not good, or its version is lower than the present one or the minimum.
    public func load(_ text: Data) throws(NetworkingError) {
        guard text.count <= Self.mostBytes else { throw Self.invalid("is larger than 1 MiB") }
        var payload = text
        if let key { payload = try SignedText.payload(of: text, key) }
        let list = try PinListText(payload)
        if key != nil, list.version == nil { throw Self.invalid("is signed and has no “version”") }
        let version = list.version ?? 0
        if let minimumVersion, version < minimumVersion {
            throw Self.invalid("has the version \(version), and the lowest that is accepted is \(minimumVersion)")
        }
        let hosts = HostPatterns(list.hosts, in: "the list of pins")
        if let fault = hosts.fault { throw fault }
        let older = state.withLock { state -> Int? in
            if let present = state.version, present > version { return present }
            state.hosts = hosts
            state.version = list.version
            state.generation += 1
            return nil
        }
        if let older {
            throw Self.invalid("has the version \(version), and the present one is \(older)")
        }
    }

    /// Replaces the list by that of a file, which is read here, on the thread of the caller.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: As ``load(_:)``, and also for a file that cannot be read.
    public func load(file path: String) throws(NetworkingError) {
        let text: Data
        do {
            text = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The list of pins in “\(path)” cannot be read.",
                underlying: error
            )
        }
        try load(text)
    }

    /// The pins of a host, and the generation of the list that they are from; nil for a host that
    /// the list does not name.
    func pins(of host: String) throws(NetworkingError) -> (HostPins, generation: Int)? {
        let (hosts, generation) = state.withLock { ($0.hosts, $0.generation) }
        return try hosts.value(for: host).map { ($0, generation) }
    }

    static func invalid(_ predicate: String, underlying: (any Error)? = nil) -> NetworkingError {
        NetworkingError(.invalidTrustConfiguration, "The list of pins \(predicate).", underlying: underlying)
    }
}
