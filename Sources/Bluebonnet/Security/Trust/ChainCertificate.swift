import FoundationEssentials
import SwiftASN1
import X509

/// A well-formed certificate, which may be part of a chain.
///
/// X509 reads its extensions, its key and its algorithm, and not the whole: that fails for keys and
/// algorithms that are not supported, which a server's own key and the signature of a trusted
/// certificate may be.
///
/// A class, because the results of checks are stored by its identity.
final class ChainCertificate: Sendable {
    /// The bits of keys of RSA that are accepted. A check of a signature takes a time that grows
    /// with their square.
    private static let rsaBits = 2048...8192

    let fields: CertificateFields
    /// 1, 2 or 3.
    let version: Int
    let extensions: Certificate.Extensions
    let subject: CanonicalName
    let issuer: CanonicalName
    let basicConstraints: BasicConstraints?
    let keyUsage: KeyUsage?
    let extendedKeyUsage: ExtendedKeyUsage?
    let nameConstraints: NameConstraints?
    let alternativeNames: [GeneralName]
    /// The key, where it may sign other certificates as far as its kind goes.
    let publicKey: Certificate.PublicKey?
    /// What is wrong with the kind or the length of the key.
    let keyFault: TrustFinding?
    private let algorithm: Certificate.SignatureAlgorithm?
    private let subjectKeyIdentifier: ArraySlice<UInt8>?
    private let authorityKeyIdentifier: ArraySlice<UInt8>?

    /// Takes a certificate apart.
    ///
    /// - Throws: The rule that it breaks.
    init(_ fields: CertificateFields) throws(TrustFinding) {
        self.fields = fields
        // RFC 5280 §4.1.1.2: the two must be the same; only one of them is signed.
        guard fields.signedAlgorithm.encodedBytes == fields.outerAlgorithm.encodedBytes else {
            throw TrustFinding(.encoding, fields, "names two different algorithms for its signature")
        }
        algorithm = Certificate.SignatureAlgorithm(fields.signedAlgorithm)
        keyFault = Self.keyFault(of: fields)
        do {
            publicKey = keyFault == nil ? try Certificate.PublicKey(derEncoded: fields.publicKeyInfo) : nil
            (version, extensions) = try fields.versionAndExtensions
            // X509 is stricter about the form of names.
            for name in [fields.subject, fields.issuer] { _ = try DistinguishedName(derEncoded: name) }
            subject = try CanonicalName(fields.subject)
            issuer = try CanonicalName(fields.issuer)
            basicConstraints = try extensions.basicConstraints
            keyUsage = try extensions[oid: .X509ExtensionID.keyUsage].map(KeyUsage.init(bits:))
            extendedKeyUsage = try extensions.extendedKeyUsage
            nameConstraints = try extensions.nameConstraints
            alternativeNames = try extensions.subjectAlternativeNames.map(Array.init) ?? []
            // Hints only: where they cannot be read, the search does without.
            subjectKeyIdentifier = (try? extensions.subjectKeyIdentifier)?.keyIdentifier
            authorityKeyIdentifier = (try? extensions.authorityKeyIdentifier)?.keyIdentifier
        } catch {
            throw .malformed(fields)
        }
    }

    private static func keyFault(of fields: CertificateFields) -> TrustFinding? {
        switch fields.key {
        // What is not well-formed is found where the key is read.
        case nil, .ed25519, .curve("P-256"), .curve("P-384"), .curve("P-521"): nil
        case .rsa(let bits) where bits < rsaBits.lowerBound:
            TrustFinding(.key, fields, "has a key of only \(bits) bits (RSA)")
        case .rsa(let bits) where bits > rsaBits.upperBound:
            TrustFinding(.key, fields, "has a key of \(bits) bits (RSA), more than \(rsaBits.upperBound)")
        case .rsa: nil
        case let key?: TrustFinding(.key, fields, "has a key that is not accepted: \(key.text)")
        }
    }

    /// The reason why nobody's signature over it can be checked; nil where it can be.
    var signatureFault: TrustFinding? {
        guard algorithm == nil else { return nil }
        guard !fields.hasWeakSignature else { return .weakSignature(fields) }
        let predicate = "is signed with \(fields.signatureName), which cannot be checked here"
        return TrustFinding(.signatureAlgorithm, fields, predicate)
    }

    /// RFC 5280 §3.2: issuer and subject are the same.
    var isSelfIssued: Bool { subject == issuer }

    /// Whether the other one has the same holder and key, so that a chain needs only one of them.
    func isSameAuthority(as other: ChainCertificate) -> Bool {
        subject == other.subject && fields.publicKeyInfo.encodedBytes == other.fields.publicKeyInfo.encodedBytes
    }

    /// Whether the other certificate has a signature by the key of this one. Costs a tenth of a
    /// millisecond.
    func hasSigned(_ other: ChainCertificate) -> Bool {
        guard let publicKey, let algorithm = other.algorithm else { return false }
        return publicKey.isValidSignature(
            other.fields.signature,
            for: other.fields.body.encodedBytes,
            signatureAlgorithm: algorithm
        )
    }

    /// How well the key identifiers fit (RFC 4158 §3.5.12), as the issuer of another: more is
    /// better.
    func preference(asIssuerOf other: ChainCertificate) -> Int {
        guard let wanted = other.authorityKeyIdentifier, let own = subjectKeyIdentifier else { return 0 }
        return wanted == own ? 1 : -1
    }

    /// Whether the key may sign lists of revoked certificates (RFC 5280 §4.2.1.3).
    var signsRevocationLists: Bool { keyUsage?.cRLSign ?? true }

    func isValid(at time: Date) -> Bool { fields.notBefore <= time && time <= fields.notAfter }
}

extension CertificateFields {
    /// The name of the holder for messages.
    var shortName: String { (try? NameAttributes(subject))?.shortName ?? "an authority without a name" }

    private struct Malformed: Error {}

    /// The version, from 1 on, and the extensions: the fields before and behind those that are read
    /// in any case (RFC 5280 §4.1).
    fileprivate var versionAndExtensions: (Int, Certificate.Extensions) {
        get throws {
            func tag(_ number: UInt) -> ASN1Identifier {
                ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
            }
            var fields = try Self.parts(of: body)
            var field = fields.next()
            var version = 0
            if let node = field, node.identifier == tag(0) {
                version = try DER.explicitlyTagged(node, tagNumber: 0, tagClass: .contextSpecific) {
                    try Int(derEncoded: $0)
                }
                // In DER, the default is left out.
                guard version == 1 || version == 2 else { throw Malformed() }
                field = fields.next()
            }
            guard let serialNumber = field else { throw Malformed() }
            _ = try ArraySlice<UInt8>(derEncoded: serialNumber)
            // Algorithm, issuer, validity, subject and key.
            for _ in 0..<5 { _ = fields.next() }
            field = fields.next()
            // Identifiers of issuer and subject, which nothing uses.
            for number: UInt in 1...2 where field?.identifier == tag(number) { field = fields.next() }
            var extensions: [Certificate.Extension] = []
            if let node = field, node.identifier == tag(3) {
                extensions = try DER.explicitlyTagged(node, tagNumber: 3, tagClass: .contextSpecific) {
                    try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: $0)
                }
                field = fields.next()
            }
            guard field == nil else { throw Malformed() }
            return (version + 1, try Certificate.Extensions(extensions))
        }
    }
}

extension KeyUsage {
    private struct Malformed: Error {}

    /// Reads the nine bits (RFC 5280 §4.2.1.3). X509 refuses zeros behind the last one, which DER
    /// leaves out (X.690 §11.2.2). They mean nothing, and authorities that systems trust have them.
    fileprivate init(bits item: Certificate.Extension) throws {
        let bytes = Array(try ASN1BitString(derEncoded: item.value).bytes)
        let (first, second) = (bytes.first ?? 0, bytes.dropFirst().first ?? 0)
        guard second & 0x7F == 0, bytes.dropFirst(2).allSatisfy({ $0 == 0 }) else { throw Malformed() }
        self.init(
            digitalSignature: first & 0x80 != 0,
            nonRepudiation: first & 0x40 != 0,
            keyEncipherment: first & 0x20 != 0,
            dataEncipherment: first & 0x10 != 0,
            keyAgreement: first & 0x08 != 0,
            keyCertSign: first & 0x04 != 0,
            cRLSign: first & 0x02 != 0,
            encipherOnly: first & 0x01 != 0,
            decipherOnly: second & 0x80 != 0
        )
    }
}

extension Certificate.SignatureAlgorithm {
    private static let known: [(number: ASN1ObjectIdentifier, algorithm: Self)] = [
        ([1, 2, 840, 113549, 1, 1, 5], .sha1WithRSAEncryption),
        ([1, 2, 840, 113549, 1, 1, 11], .sha256WithRSAEncryption),
        ([1, 2, 840, 113549, 1, 1, 12], .sha384WithRSAEncryption),
        ([1, 2, 840, 113549, 1, 1, 13], .sha512WithRSAEncryption),
        ([1, 2, 840, 10045, 4, 3, 2], .ecdsaWithSHA256), ([1, 2, 840, 10045, 4, 3, 3], .ecdsaWithSHA384),
        ([1, 2, 840, 10045, 4, 3, 4], .ecdsaWithSHA512), ([1, 3, 101, 112], .ed25519),
    ]
    private static let rsa: [Self] = [
        .sha1WithRSAEncryption, .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption,
    ]

    /// The algorithm of an AlgorithmIdentifier; nil for one that cannot be checked.
    init?(_ node: ASN1Node) {
        guard var parts = try? CertificateFields.parts(of: node), let first = parts.next(),
            let number = try? ASN1ObjectIdentifier(derEncoded: first),
            let algorithm = Self.known.first(where: { $0.number == number })?.algorithm
        else { return nil }
        // RFC 4055 §5: with RSA, parameters are NULL or missing; the others have none.
        if let parameters = parts.next() {
            guard Self.rsa.contains(algorithm), (try? ASN1Null(derEncoded: parameters)) != nil, parts.next() == nil
            else { return nil }
        }
        self = algorithm
    }
}

/// A rule that a certificate or a whole chain breaks.
struct TrustFinding: Error, Sendable {
    var rule: TrustRule
    /// The certificate at fault; nil where it is none of them.
    var fields: CertificateFields?
    /// The predicate of the sentence, whose subject is the certificate: "has a key of 1024 bits".
    /// Where the finding has no certificate, a whole sentence without its full stop.
    var predicate: String

    init(_ rule: TrustRule, _ fields: CertificateFields?, _ predicate: String) {
        self.rule = rule
        self.fields = fields
        self.predicate = predicate
    }

    /// “the certificate of X has a key of 1024 bits”, for a finding that has a certificate.
    var sentence: String { "the certificate of “\(fields?.shortName ?? "")” \(predicate)" }

    /// No trusted authority was found.
    static func untrusted(_ fields: CertificateFields?) -> TrustFinding {
        let predicate =
            fields == nil
            ? "has shown nothing that leads to a trusted authority" : "is issued by an authority that is not trusted"
        return TrustFinding(.issuer, fields, predicate)
    }

    /// Whoever the server is, nothing could be verified: no sign of an attack.
    static let noAnchors = TrustFinding(
        .trustRoots,
        nil,
        "cannot be verified: this session has no trusted certificate that can be read; on Debian, those of the system are "
            + "in the package ca-certificates"
    )

    static func malformed(_ fields: CertificateFields) -> TrustFinding {
        TrustFinding(.encoding, fields, "is not well-formed")
    }

    static func weakSignature(_ fields: CertificateFields) -> TrustFinding {
        TrustFinding(.signatureHash, fields, "is signed with \(fields.signatureName), which can be forged")
    }
}
