import Crypto
import FoundationEssentials
import X509

/// The algorithms of signatures by their names (RFC 7518 §3.1, RFC 8037 §3.1). The key decides
/// which one counts, and never the text that is to be checked.
enum SignatureName: String {
    case edDSA = "EdDSA"
    case es256 = "ES256"

    /// The algorithm of a key; nil where it has none here.
    init?(_ key: Certificate.PublicKey) {
        if P256.Signing.PublicKey(key) != nil {
            self = .es256
        } else if Curve25519.Signing.PublicKey(key) != nil {
            self = .edDSA
        } else {
            return nil
        }
    }
}

/// A JSON Web Signature in its compact form: header, payload and signature in Base64, separated by
/// dots (RFC 7515 §7.1).
enum SignedText {
    private struct Header: Decodable {
        var alg: String
        /// Extensions that must be understood; there are none (§4.1.11).
        var crit: [String]?
        /// A payload that is not in Base64 (RFC 7797), or compressed.
        var b64: Bool?
        var zip: String?
    }

    /// The payload of a text, whose signature is good.
    ///
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` in any other case.
    static func payload(of text: Data, _ key: PinList.Key) throws(NetworkingError) -> Data {
        // A file may end with a line break.
        var text = text[...]
        while let last = text.last, last == 0x0A || last == 0x0D || last == 0x20 { text = text.dropLast() }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = decoded(parts[0]), let payload = decoded(parts[1]),
            let signature = decoded(parts[2])
        else { throw PinList.invalid("must be signed, and is no JSON Web Signature in compact form") }
        guard let header = try? JSONDecoder().decode(Header.self, from: header), header.crit == nil,
            header.b64 != false, header.zip == nil
        else { throw PinList.invalid("has a signature whose header is not understood") }
        guard header.alg == key.algorithm.rawValue else {
            throw PinList.invalid(
                "is signed with “\(ASCII.escaped(header.alg.utf8, limit: 40))”, and the key is for "
                    + "“\(key.algorithm.rawValue)”"
            )
        }
        guard isValid(signature, of: text[parts[0].startIndex..<parts[1].endIndex], key) else {
            throw PinList.invalid("has a signature that is not by the key")
        }
        return payload
    }

    private static func isValid(_ signature: Data, of bytes: Data, _ key: PinList.Key) -> Bool {
        switch key.algorithm {
        case .edDSA: return key.key.isValidSignature(signature, for: bytes, signatureAlgorithm: .ed25519)
        case .es256:
            // The two numbers without DER (RFC 7518 §3.4).
            guard let numbers = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.key.isValidSignature(
                numbers.derRepresentation,
                for: bytes,
                signatureAlgorithm: .ecdsaWithSHA256
            )
        }
    }

    /// Base64 with the URL's alphabet and without padding (RFC 7515 §2).
    private static func decoded(_ text: Data) -> Data? {
        guard text.allSatisfy({ isDigit($0) }) else { return nil }
        var digits: [UInt8] = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
