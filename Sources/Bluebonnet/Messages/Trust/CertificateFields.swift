import Crypto
import FoundationEssentials
import SwiftASN1

/// The fields of a certificate as they are encoded (RFC 5280 §4.1), also of one whose key or
/// signature X509 does not read.
struct CertificateFields: Sendable {
    /// The whole certificate in DER.
    let bytes: [UInt8]
    /// The part that is signed.
    let body: ASN1Node
    /// The signature, without the number of its unused bits, which is zero.
    let signature: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>
    /// The algorithm of the signature, as the signed part and the certificate around it name it.
    let signedAlgorithm: ASN1Node
    let outerAlgorithm: ASN1Node
    let issuer: ASN1Node
    let notBefore: Date
    let notAfter: Date
    let subject: ASN1Node
    let publicKeyInfo: ASN1Node

    private struct Malformed: Error {}

    /// - Throws: An error of SwiftASN1 or a private one, where the bytes are not a certificate.
    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        let root = try DER.parse(bytes)
        var parts = try Self.parts(of: root)
        guard let body = parts.next(), let outer = parts.next(), let signature = parts.next(), parts.next() == nil,
            // Nobody signs what is around the body. A signature has whole bytes: no unused bits, in
            // which a copy could differ.
            root.identifier == .sequence, body.identifier == .sequence,
            signature.identifier == .bitString, case .primitive(let bits) = signature.content, bits.first == 0
        else { throw Malformed() }
        self.body = body
        self.signature = bits.dropFirst()
        outerAlgorithm = outer
        var fields = try Self.parts(of: body)
        var field = fields.next()
        if field?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) { field = fields.next() }
        guard let serial = field, case .primitive(let serialNumber) = serial.content, let signed = fields.next(),
            let issuer = fields.next(), let validity = fields.next(), let subject = fields.next(),
            let publicKeyInfo = fields.next()
        else { throw Malformed() }
        self.serialNumber = serialNumber
        signedAlgorithm = signed
        self.issuer = issuer
        self.subject = subject
        self.publicKeyInfo = publicKeyInfo
        var times = try Self.parts(of: validity)
        guard let first = times.next(), let second = times.next(), times.next() == nil else { throw Malformed() }
        notBefore = try Self.date(first)
        notAfter = try Self.date(second)
    }

    static func parts(of node: ASN1Node) throws -> ASN1NodeCollection.Iterator {
        guard case .constructed(let parts) = node.content else { throw Malformed() }
        return parts.makeIterator()
    }

    /// RFC 5280 §4.1.2.5: UTCTime or GeneralizedTime.
    static func date(_ node: ASN1Node) throws -> Date {
        var components = DateComponents()
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            (components.year, components.month, components.day) = (time.year, time.month, time.day)
            (components.hour, components.minute, components.second) = (time.hours, time.minutes, time.seconds)
        } else {
            let time = try GeneralizedTime(derEncoded: node)
            (components.year, components.month, components.day) = (time.year, time.month, time.day)
            (components.hour, components.minute, components.second) = (time.hours, time.minutes, time.seconds)
        }
        return Date(timeIntervalSince1970: seconds(components))
    }

    /// The days are counted by the Gregorian calendar (a calendar of the system would be slow, and
    /// knows other calendars before 1582).
    private static func seconds(_ time: DateComponents) -> Double {
        let (month, day) = (time.month ?? 1, time.day ?? 1)
        let year = (time.year ?? 1970) - (month <= 2 ? 1 : 0)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return Double(((days * 24 + (time.hour ?? 0)) * 60 + (time.minute ?? 0)) * 60 + (time.second ?? 0))
    }

    /// The SHA-256 of the SubjectPublicKeyInfo, which is what a pin is made of (RFC 7469 §2.4).
    var publicKeyHash: [UInt8] { Array(SHA256.hash(data: publicKeyInfo.encodedBytes)) }
}

extension CertificateFields {
    /// The kind of a public key.
    enum Key: Equatable {
        /// RSA with so many bits.
        case rsa(Int)
        /// A key on a curve with a name, such as P-256, or with its number.
        case curve(String)
        case ed25519
        /// The number of the algorithm.
        case other(String)

        var text: String {
            switch self {
            case .rsa(let bits): "RSA of \(bits) bits"
            case .curve(let name): name
            case .ed25519: "Ed25519"
            case .other(let number): "algorithm \(number)"
            }
        }
    }

    /// The kind of the key; nil where it is not well-formed.
    var key: Key? {
        guard var parts = try? Self.parts(of: publicKeyInfo), let algorithm = parts.next(), let value = parts.next(),
            var names = try? Self.parts(of: algorithm), let first = names.next(),
            let number = try? ASN1ObjectIdentifier(derEncoded: first)
        else { return nil }
        switch number {
        case Self.rsa: return Self.rsaBits(value).map(Key.rsa)
        case Self.ed25519: return .ed25519
        case Self.ellipticCurve:
            guard let node = names.next(), let curve = try? ASN1ObjectIdentifier(derEncoded: node) else { return nil }
            return .curve(Self.curves.first { $0.number == curve }?.name ?? "a curve with the number \(curve.shown)")
        default: return .other(number.shown)
        }
    }

    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
    private static let ed25519: ASN1ObjectIdentifier = [1, 3, 101, 112]
    private static let curves: [(number: ASN1ObjectIdentifier, name: String)] = [
        ([1, 2, 840, 10045, 3, 1, 7], "P-256"), ([1, 3, 132, 0, 34], "P-384"), ([1, 3, 132, 0, 35], "P-521"),
        ([1, 2, 840, 10045, 3, 1, 1], "P-192"), ([1, 3, 132, 0, 33], "P-224"), ([1, 3, 132, 0, 10], "secp256k1"),
    ]

    private static func rsaBits(_ value: ASN1Node) -> Int? {
        guard let text = try? ASN1BitString(derEncoded: value), let key = try? DER.parse(text.bytes),
            var numbers = try? parts(of: key), case .primitive(let modulus)? = numbers.next()?.content
        else { return nil }
        let digits = modulus.drop { $0 == 0 }
        guard let first = digits.first else { return 0 }
        return digits.count * 8 - first.leadingZeroBitCount
    }

    /// The algorithm of the signature by its name, where it has one here.
    var signatureName: String {
        guard var parts = try? Self.parts(of: outerAlgorithm), let first = parts.next(),
            let number = try? ASN1ObjectIdentifier(derEncoded: first)
        else { return "an algorithm that cannot be read" }
        return Self.signatures.first { $0.number == number }?.name ?? "the algorithm \(number.shown)"
    }

    /// Whether the signature is made with a hash for which collisions can be made.
    var hasWeakSignature: Bool { Self.weakHashes.contains { signatureName.hasPrefix($0) } }

    private static let weakHashes = ["MD2", "MD5", "SHA-1"]
    private static let signatures: [(number: ASN1ObjectIdentifier, name: String)] = [
        ([1, 2, 840, 113549, 1, 1, 2], "MD2 and RSA"), ([1, 2, 840, 113549, 1, 1, 4], "MD5 and RSA"),
        ([1, 2, 840, 113549, 1, 1, 5], "SHA-1 and RSA"), ([1, 3, 14, 3, 2, 29], "SHA-1 and RSA"),
        ([1, 2, 840, 10040, 4, 3], "SHA-1 and DSA"), ([1, 2, 840, 10045, 4, 1], "SHA-1 and ECDSA"),
        ([1, 2, 840, 10045, 4, 3, 1], "SHA-224 and ECDSA"), ([1, 2, 840, 113549, 1, 1, 14], "SHA-224 and RSA"),
        ([1, 2, 840, 113549, 1, 1, 10], "RSA-PSS"), ([1, 3, 101, 113], "Ed448"),
    ]
}

extension ASN1ObjectIdentifier {
    /// The number for messages: a certificate can have one of any length.
    var shown: String { ASCII.escaped("\(self)".utf8, limit: 80) }
}
