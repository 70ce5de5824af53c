import Crypto
import FoundationEssentials
import NIOSSL
import SwiftASN1
import X509

/// A private key and its certificates in a PKCS #12 file (RFC 7292).
///
/// NIOSSL ends the process when a file, read with its password, has no key or no certificate of the
/// key. So both are looked for before. The key has a place of its own; the certificates are
/// encrypted together, perhaps by an old algorithm that only NIOSSL has. It gets a copy of them in
/// another file that also has a key with its certificate, and so always something to return.
///
/// One case is left: where the password is not ASCII, NIOSSL cannot read the key alone, and whether
/// it belongs to a certificate is not known.
struct PKCS12File {
    /// The reason why a file cannot be used, for the end of a sentence.
    struct Fault: Error {
        let reason: String
    }

    private struct Malformed: Error {}

    private enum Key {
        case plain([UInt8])
        case encrypted([UInt8])
    }

    /// The most bytes of a file that BoringSSL reads.
    static let mostBytes = 1 << 19

    private let bytes: [UInt8]
    private let key: Key
    /// Everything but the key: the elements of an AuthenticatedSafe (§4.1).
    private let contents: [[UInt8]]

    /// Takes a file apart, as far as it is not encrypted.
    ///
    /// - Throws: ``Fault`` for a file without a key, another error for what is not such a file.
    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        var file = try Self.parts(of: BER.parse(bytes))
        guard file.next() != nil, let safe = file.next() else { throw Malformed() }
        let (type, value) = try Self.pair(safe)
        guard type == .data else { throw Malformed() }
        var keys: [Key] = []
        var contents: [[UInt8]] = []
        var parts = try Self.parts(inside: value)
        while let content = parts.next() {
            let (type, value) = try Self.pair(content)
            guard type == .data else {
                contents.append(Array(content.encodedBytes))
                continue
            }
            var others: [[UInt8]] = []
            var bags = try Self.parts(inside: value)
            while let bag = bags.next() {
                let (type, value) = try Self.pair(bag)
                switch type {
                case .keyBag: keys.append(.plain(Array(value.encodedBytes)))
                case .shroudedKeyBag: keys.append(.encrypted(Array(value.encodedBytes)))
                default: others.append(Array(bag.encodedBytes))
                }
            }
            contents.append(try Self.content(of: others))
        }
        guard let key = keys.first else { throw Fault(reason: "it has no private key.") }
        guard keys.count == 1 else { throw Fault(reason: "it has more than one private key.") }
        self.key = key
        self.contents = contents
    }

    /// The key and its certificates, that of the key first.
    ///
    /// - Throws: ``Fault`` for a file without a certificate of the key, another error where the
    ///   password is not right, or something cannot be read.
    func bundle(_ password: String?) throws -> NIOSSLPKCS12Bundle {
        let key = try privateKey(password)
        let certificates = try certificates(password)
        let isComplete = key.map { key in certificates.contains { Self.belongs($0, to: key) } } ?? !certificates.isEmpty
        guard isComplete else { throw Fault(reason: "it has no certificate of its private key.") }
        return try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: password?.utf8)
    }

    // MARK: The key

    /// The key; nil where it cannot be read without its certificate.
    private func privateKey(_ password: String?) throws -> NIOSSLPrivateKey? {
        switch key {
        case .plain(let bytes): return try NIOSSLPrivateKey(bytes: bytes, format: .der)
        case .encrypted(let bytes):
            let password = Array((password ?? "").utf8)
            guard password.allSatisfy({ $0 < 0x80 }) else { return nil }
            let text = PEMDocument(type: "ENCRYPTED PRIVATE KEY", derBytes: bytes).pemString
            do {
                return try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) { setter in setter(password) }
            } catch {
                // Old files encode the missing password in two ways, of which this is one.
                if password.isEmpty { return nil }
                throw error
            }
        }
    }

    private static func belongs(_ certificate: NIOSSLCertificate, to key: NIOSSLPrivateKey) -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = [.certificate(certificate)]
        configuration.privateKey = .privateKey(key)
        // It compares the two.
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    // MARK: The certificates

    private func certificates(_ password: String?) throws -> [NIOSSLCertificate] {
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(),
            notValidAfter: Date(),
            issuer: DistinguishedName(),
            subject: DistinguishedName(),
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        // §4.2.3: a certificate is a string of bytes in a bag of its own.
        let value = try Self.pair(.x509Certificate, Self.octets(serializer.serializedBytes))
        let own = try Self.content(of: [
            Self.pair(.certificateBag, value), Self.pair(.keyBag, Array(key.derRepresentation)),
        ])
        let safe = Self.sequence(contents + [own])
        func read(_ encoded: [UInt8]) throws -> [NIOSSLCertificate] {
            let file = try Self.file(safe, encoded)
            // Its first one is the one above.
            let bundle = try NIOSSLPKCS12Bundle(buffer: file, passphrase: password?.utf8)
            return Array(bundle.certificateChain.dropFirst())
        }
        // BoringSSL reads a password as far as the first zero byte.
        let text = String(decoding: (password ?? "").utf8.prefix { $0 != 0 }, as: UTF8.self)
        // §B.1: UTF-16 with a zero at the end; some programs write nothing at all for none.
        let encoded: [UInt8] = (text.utf16 + [0]).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        guard text.isEmpty, let certificates = try? read([]) else { return try read(encoded) }
        return certificates
    }

    /// A file with the contents, whose code of authentication is made with the password (§4).
    private static func file(_ safe: [UInt8], _ password: [UInt8]) throws -> [UInt8] {
        let salt = Array("bluebonnet".utf8)
        let key = SymmetricKey(data: authenticationKey(password, salt))
        let code = HMAC<SHA256>.authenticationCode(for: safe, using: key)
        var null = DER.Serializer()
        null.appendPrimitiveNode(identifier: .null) { _ in }
        let algorithm = try sequence([identifier(.sha256), null.serializedBytes])
        let digest = sequence([algorithm, octets(Array(code))])
        return try sequence([
            integer(3), pair(.data, octets(safe)), sequence([digest, octets(salt), integer(1)]),
        ])
    }

    /// The key for HMAC with SHA-256, by one iteration (§B.2, with u = n = 32 and v = 64).
    private static func authenticationKey(_ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            guard !bytes.isEmpty else { return [] }
            return (0..<(bytes.count + 63) / 64 * 64).map { bytes[$0 % bytes.count] }
        }
        let purpose = [UInt8](repeating: 3, count: 64)
        return Array(SHA256.hash(data: purpose + filled(salt) + filled(password)))
    }

    // MARK: DER

    private static func parts(of node: ASN1Node) throws -> ASN1NodeCollection.Iterator {
        guard case .constructed(let parts) = node.content else { throw Malformed() }
        return parts.makeIterator()
    }

    /// The parts of a sequence whose bytes are a value.
    private static func parts(inside node: ASN1Node) throws -> ASN1NodeCollection.Iterator {
        try parts(of: BER.parse(ASN1OctetString(berEncoded: node).bytes))
    }

    /// The two parts that a ContentInfo (RFC 2315 §7) and a SafeBag (§4.2) begin with.
    private static func pair(_ node: ASN1Node) throws -> (type: ASN1ObjectIdentifier, value: ASN1Node) {
        var parts = try parts(of: node)
        guard let type = parts.next(), let tagged = parts.next(), tagged.identifier == .zero else { throw Malformed() }
        var values = try Self.parts(of: tagged)
        guard let value = values.next(), values.next() == nil else { throw Malformed() }
        return (try ASN1ObjectIdentifier(derEncoded: type), value)
    }

    private static func pair(_ type: ASN1ObjectIdentifier, _ value: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .zero) { $0.serializeRawBytes(value) }
        return try sequence([identifier(type), serializer.serializedBytes])
    }

    /// A ContentInfo with bags.
    private static func content(of bags: [[UInt8]]) throws -> [UInt8] { try pair(.data, octets(sequence(bags))) }

    private static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { serializer in
            for part in parts { serializer.serializeRawBytes(part) }
        }
        return serializer.serializedBytes
    }

    private static func octets(_ bytes: [UInt8]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendPrimitiveNode(identifier: .octetString) { $0 += bytes }
        return serializer.serializedBytes
    }

    private static func integer(_ number: UInt8) -> [UInt8] { [2, 1, number] }

    private static func identifier(_ identifier: ASN1ObjectIdentifier) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(identifier)
        return serializer.serializedBytes
    }
}

extension ASN1Identifier {
    fileprivate static let zero = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension ASN1ObjectIdentifier {
    fileprivate static let data: Self = [1, 2, 840, 113549, 1, 7, 1]
    fileprivate static let keyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 1]
    fileprivate static let shroudedKeyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 2]
    fileprivate static let certificateBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
    fileprivate static let x509Certificate: Self = [1, 2, 840, 113549, 1, 9, 22, 1]
    fileprivate static let sha256: Self = [2, 16, 840, 1, 101, 3, 4, 2, 1]
}
