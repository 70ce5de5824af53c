/// A digest that a downloaded file must have, as its publisher names it: `.sha256("9f86d0…")`.
///
/// No counterpart in AFNetworking or Alamofire.
public struct Checksum: Sendable, Hashable, LosslessStringConvertible {
    /// The digests that are computed: those that RFC 9530 §5 calls active.
    enum Algorithm: String, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        var byteCount: Int { self == .sha256 ? 32 : 64 }
    }

    let algorithm: Algorithm
    /// The hexadecimal digits, in lower case.
    let digits: String

    /// A SHA-256 digest.
    ///
    /// - Parameter digits: 64 hexadecimal digits, in upper or lower case. With others the download
    ///   fails with ``NetworkingError/Code/invalidRequest`` before anything is sent.
    /// - Returns: The checksum.
    public static func sha256(_ digits: String) -> Checksum {
        Checksum(algorithm: .sha256, digits: digits.lowercased())
    }

    /// A SHA-512 digest.
    ///
    /// - Parameter digits: 128 hexadecimal digits, in upper or lower case. With others the download
    ///   fails with ``NetworkingError/Code/invalidRequest`` before anything is sent.
    /// - Returns: The checksum.
    public static func sha512(_ digits: String) -> Checksum {
        Checksum(algorithm: .sha512, digits: digits.lowercased())
    }

    private init(algorithm: Algorithm, digits: String) {
        self.algorithm = algorithm
        self.digits = digits
    }

    /// Reads an algorithm and digits with a colon or an equals sign between them: `sha256:9f86d0…`,
    /// `SHA-512=…`.
    ///
    /// - Parameter description: The text. Nil for another algorithm, and for digits that are not
    ///   hexadecimal or too few or too many.
    public init?(_ description: String) {
        let parts = description.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == ":" || $0 == "=" }
        guard parts.count == 2 else { return nil }
        let name = parts[0].lowercased().filter { $0 != "-" }
        guard let algorithm = Algorithm.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == name }) else {
            return nil
        }
        self.init(algorithm: algorithm, digits: parts[1].lowercased())
        guard bytes != nil else { return nil }
    }

    /// Reads a ``description``, whatever its digits are: they are checked when the download begins.
    init?(stored description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2,
            let algorithm = Algorithm.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == parts[0] })
        else { return nil }
        self.init(algorithm: algorithm, digits: String(parts[1]))
    }

    /// The algorithm and the digits in lower case: `sha256:9f86d0…`.
    public var description: String { "\(algorithm.rawValue.filter { $0 != "-" }):\(digits)" }

    /// The digest; nil for digits that are none.
    var bytes: [UInt8]? {
        let values = digits.utf8.compactMap { ASCII.hexDigit($0) }
        guard values.count == digits.utf8.count, values.count == 2 * algorithm.byteCount else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// The digest.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for digits that are none.
    func checked() throws(NetworkingError) -> [UInt8] {
        if let bytes { return bytes }
        let count = 2 * algorithm.byteCount
        let found = digits.utf8.count == count ? "other characters" : "\(digits.utf8.count) characters"
        throw NetworkingError(
            .invalidRequest,
            "A checksum with \(algorithm.rawValue) has \(count) hexadecimal digits, and this one has \(found)."
        )
    }
}
