import Crypto
import FoundationEssentials

/// A secret that binds an authorization code to the program that asked for it (RFC 7636).
///
/// Make one for each authorization, and keep it until the code comes.
///
/// No counterpart in AFOAuth2Manager.
public struct CodeVerifier: Sendable, Hashable {
    /// The secret: sent with the code, and not before.
    public let value: String

    /// Makes a secret of 256 random bits (RFC 7636 §4.1).
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(unchecked: Self.encoded((0..<32).map { _ in generator.next() }))
    }

    /// Makes a verifier of a text that was kept.
    ///
    /// - Parameter value: 43 to 128 letters, digits and `-._~`; nil for anything else.
    public init?(_ value: String) {
        let isAllowed = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                true
            default: false
            }
        }
        guard isAllowed, (43...128).contains(value.utf8.count) else { return nil }
        self.init(unchecked: value)
    }

    private init(unchecked value: String) {
        self.value = value
    }

    /// The challenge for the URL of the authorization, by the method `S256` (RFC 7636 §4.2).
    public var challenge: String { Self.encoded(Array(SHA256.hash(data: Array(value.utf8)))) }

    /// Base64 for URLs without padding (RFC 4648 §5).
    private static func encoded(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension CodeVerifier: CustomStringConvertible, CustomReflectable {
    /// What it is, without the secret.
    public var description: String { "a code verifier" }

    /// Nothing, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
