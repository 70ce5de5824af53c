import FoundationEssentials
import SwiftASN1
import X509

/// A list of certificates that an authority has revoked (RFC 5280 §5.1).
struct RevocationList: Sendable {
    /// Which of the authority's certificates it is about (§5.2.5).
    private struct Scope: Sendable {
        var includesServers = true
        var includesAuthorities = true
        /// The places from which it can be had; nil where it is for all certificates.
        var points: Set<[UInt8]>?
    }

    let issuer: CanonicalName
    let thisUpdate: Date
    /// The end of its time; nil where it has none.
    let nextUpdate: Date?
    private let serialNumbers: Set<[UInt8]>
    private let scope: Scope
    private let signedBytes: [UInt8]
    private let signature: [UInt8]
    private let algorithm: Certificate.SignatureAlgorithm

    /// The reason why a list cannot be used, as a predicate.
    struct Unusable: Error {
        var predicate: String

        static let malformed = Unusable(predicate: "is not well-formed")
    }

    /// - Throws: ``Unusable``, or an error of SwiftASN1.
    init(_ bytes: [UInt8]) throws {
        var parts = try CertificateFields.parts(of: DER.parse(bytes))
        guard let body = parts.next(), let outer = parts.next(), let value = parts.next(), parts.next() == nil else {
            throw Unusable.malformed
        }
        signedBytes = Array(body.encodedBytes)
        signature = Array(try ASN1BitString(derEncoded: value).bytes)
        var fields = try CertificateFields.parts(of: body)
        var field = fields.next()
        if field?.identifier == .integer { field = fields.next() }
        guard let signed = field, let issuer = fields.next(), let time = fields.next(),
            signed.encodedBytes == outer.encodedBytes
        else { throw Unusable.malformed }
        algorithm = try Self.algorithm(outer)
        self.issuer = try CanonicalName(issuer)
        thisUpdate = try CertificateFields.date(time)
        field = fields.next()
        var nextUpdate: Date?
        if let time = field, time.identifier == .utcTime || time.identifier == .generalizedTime {
            nextUpdate = try CertificateFields.date(time)
            field = fields.next()
        }
        self.nextUpdate = nextUpdate
        var serialNumbers: Set<[UInt8]> = []
        if let entries = field, entries.identifier == .sequence {
            for entry in try ASN1NodeCollection.of(entries) { serialNumbers.insert(try Self.serialNumber(of: entry)) }
            field = fields.next()
        }
        self.serialNumbers = serialNumbers
        var scope = Scope()
        if let wrapped = field, wrapped.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) {
            var lists = try CertificateFields.parts(of: wrapped)
            guard let list = lists.next() else { throw Unusable.malformed }
            for item in try ASN1NodeCollection.of(list) { try Self.read(item, into: &scope) }
            field = fields.next()
        }
        self.scope = scope
        guard field == nil else { throw Unusable.malformed }
    }

    /// Whether the list is signed with the key of an authority.
    func isSigned(by authority: ChainCertificate) -> Bool {
        authority.publicKey?.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm) ?? false
    }

    func names(_ certificate: ChainCertificate) -> Bool {
        serialNumbers.contains(Array(certificate.fields.serialNumber))
    }

    /// Whether a certificate that the list does not name is not revoked now.
    func vouches(for certificate: ChainCertificate, at now: Date) -> Bool {
        guard thisUpdate <= now, let nextUpdate, now <= nextUpdate else { return false }
        let isAuthority = if case .isCertificateAuthority = certificate.basicConstraints { true } else { false }
        guard isAuthority ? scope.includesAuthorities : scope.includesServers else { return false }
        guard let points = scope.points else { return true }
        return !points.isDisjoint(with: Self.points(of: certificate))
    }

    // MARK: Reading

    private static func algorithm(_ node: ASN1Node) throws -> Certificate.SignatureAlgorithm {
        guard let known = Certificate.SignatureAlgorithm(node), known != .sha1WithRSAEncryption else {
            var parts = try CertificateFields.parts(of: node)
            guard let first = parts.next() else { throw Unusable.malformed }
            let number = try ASN1ObjectIdentifier(derEncoded: first)
            throw Unusable(predicate: "is signed with the algorithm \(number.shown), which is not accepted")
        }
        return known
    }

    private static func serialNumber(of entry: ASN1Node) throws -> [UInt8] {
        var parts = try CertificateFields.parts(of: entry)
        guard let number = parts.next(), number.identifier == .integer, case .primitive(let bytes) = number.content,
            parts.next() != nil
        else { throw Unusable.malformed }
        if let list = parts.next() {
            for item in try ASN1NodeCollection.of(list) where try Extension(item).isCritical {
                // §5.3: such a list must not be used at all.
                throw Unusable(predicate: "has an entry with a critical extension that is unknown here")
            }
        }
        return Array(bytes)
    }

    private struct Extension {
        var number: ASN1ObjectIdentifier
        var isCritical = false
        var value: ASN1Node

        init(_ node: ASN1Node) throws {
            var parts = try CertificateFields.parts(of: node)
            guard let first = parts.next(), var next = parts.next() else { throw Unusable.malformed }
            number = try ASN1ObjectIdentifier(derEncoded: first)
            if next.identifier == .boolean {
                isCritical = try Bool(derEncoded: next)
                guard let value = parts.next() else { throw Unusable.malformed }
                next = value
            }
            value = next
        }
    }

    private static let issuingDistributionPoint: ASN1ObjectIdentifier = [2, 5, 29, 28]
    private static let distributionPoints: ASN1ObjectIdentifier = [2, 5, 29, 31]

    private static func read(_ node: ASN1Node, into scope: inout Scope) throws {
        let item = try Extension(node)
        guard item.number == issuingDistributionPoint else {
            guard item.isCritical else { return }
            // §5.2, and also a list of changes only (§5.2.4).
            throw Unusable(predicate: "has a critical extension that is unknown here (\(item.number.shown))")
        }
        for part in try ASN1NodeCollection.of(DER.parse(ASN1OctetString(derEncoded: item.value).bytes)) {
            switch part.identifier.tagNumber {
            case 0: scope.points = try points(in: part)
            case 1: scope.includesAuthorities = false
            case 2: scope.includesServers = false
            default:
                throw Unusable(
                    predicate:
                        "is one of another authority's certificates, of some reasons only, or of attribute certificates"
                )
            }
        }
    }

    /// The URLs of a DistributionPointName (§4.2.1.13), which is tagged.
    private static func points(in node: ASN1Node) throws -> Set<[UInt8]> {
        var points: Set<[UInt8]> = []
        for name in try ASN1NodeCollection.of(node) where name.identifier.tagNumber == 0 {
            for place in try ASN1NodeCollection.of(name) where place.identifier.tagNumber == 6 {
                if case .primitive(let bytes) = place.content { points.insert(Array(bytes)) }
            }
        }
        return points
    }

    /// The places from which the lists for a certificate can be had.
    private static func points(of certificate: ChainCertificate) -> Set<[UInt8]> {
        guard let item = certificate.extensions[oid: distributionPoints],
            let list = try? ASN1NodeCollection.of(DER.parse(item.value))
        else { return [] }
        var all: Set<[UInt8]> = []
        for point in list {
            for part in (try? ASN1NodeCollection.of(point)).map(Array.init) ?? []
            where part.identifier.tagNumber == 0 && part.identifier.tagClass == .contextSpecific {
                all.formUnion((try? points(in: part)) ?? [])
            }
        }
        return all
    }
}

extension ASN1NodeCollection {
    fileprivate static func of(_ node: ASN1Node) throws -> ASN1NodeCollection {
        guard case .constructed(let parts) = node.content else { throw RevocationList.Unusable.malformed }
        return parts
    }
}
