import FoundationEssentials
import SwiftASN1
import Synchronization

/// The lists of revoked certificates of a session, by the authorities that have made them.
final class RevocationIndex: Sendable {
    private struct Signer: Hashable {
        var list: Int
        var keyHash: [UInt8]
    }

    /// The most bytes of a file.
    static let mostBytes = 32 << 20
    /// The signatures whose result is stored; all are forgotten when there would be more.
    private static let mostKnown = 256

    private let lists: [RevocationList]
    private let places: [CanonicalName: [Int]]
    private let areRequired: Bool
    private let signatures = Mutex<[Signer: Bool]>([:])

    init(_ lists: [RevocationList], areRequired: Bool) {
        self.lists = lists
        self.areRequired = areRequired
        places = Dictionary(grouping: lists.indices) { lists[$0].issuer }
    }

    /// What the lists say about a chain whose signatures are good: the server's certificate first,
    /// and at the end the trusted one, of which they say nothing.
    func findings(_ path: [ChainCertificate], at now: Date) -> [TrustFinding] {
        zip(path, path.dropFirst()).compactMap { certificate, issuer in finding(certificate, issuer, now) }
    }

    private func finding(_ certificate: ChainCertificate, _ issuer: ChainCertificate, _ now: Date) -> TrustFinding? {
        let signed = (places[certificate.issuer] ?? []).filter { isSigned($0, by: issuer) }.map { lists[$0] }
        // A list is right about those that it names also when it has expired, or the clock is slow.
        if signed.contains(where: { $0.names(certificate) }) {
            return TrustFinding(.revocation, certificate.fields, "was revoked by the authority that issued it")
        }
        guard areRequired, !signed.contains(where: { $0.vouches(for: certificate, at: now) }) else { return nil }
        return TrustFinding(
            .revocationUnknown,
            certificate.fields,
            "may be revoked: its authority's list of revoked certificates is missing, or not valid now"
        )
    }

    private func isSigned(_ list: Int, by issuer: ChainCertificate) -> Bool {
        // Of two certificates with one key, one may forbid it.
        guard issuer.signsRevocationLists else { return false }
        let signer = Signer(list: list, keyHash: issuer.fields.publicKeyHash)
        if let known = signatures.withLock({ $0[signer] }) { return known }
        let isSigned = lists[list].isSigned(by: issuer)
        signatures.withLock { signatures in
            if signatures.count >= Self.mostKnown { signatures.removeAll(keepingCapacity: true) }
            signatures[signer] = isSigned
        }
        return isSigned
    }
}

extension RevocationIndex {
    /// Reads the lists of the settings. It blocks.
    ///
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when one cannot be read or
    ///   used. It is not left out: what it names would pass.
    convenience init(_ settings: TLSSettings.RevocationLists) throws(NetworkingError) {
        var lists: [RevocationList] = []
        for source in settings.sources {
            switch source {
            case .pem(let text): lists += try Self.lists(in: Data(text.utf8), named: "the PEM text")
            case .file(let path): lists += try Self.lists(in: Self.contents(path), named: "“\(path)”")
            }
        }
        self.init(lists, areRequired: settings.areRequired)
    }

    private static func contents(_ path: String) throws(NetworkingError) -> Data {
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            guard data.count <= mostBytes else {
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "The list of revoked certificates in “\(path)” is larger than \(mostBytes >> 20) MiB."
                )
            }
            return data
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The list of revoked certificates cannot be read from “\(path)”: "
                    + (TrustRootReader.unreadable(path) ?? "it cannot be opened."),
                underlying: error
            )
        }
    }

    private static func lists(in data: Data, named name: String) throws(NetworkingError) -> [RevocationList] {
        var encodings: [[UInt8]] = []
        // DER begins with the tag of a sequence, which no text does.
        if data.first == 0x30 {
            encodings = [Array(data)]
        } else if let text = String(data: data, encoding: .utf8),
            let documents = try? PEMDocument.parseMultiple(pemString: text)
        {
            encodings = documents.filter { $0.discriminator == "X509 CRL" }.map(\.derBytes)
        }
        guard !encodings.isEmpty else {
            throw NetworkingError(.invalidTrustConfiguration, "There is no list of revoked certificates in \(name).")
        }
        var lists: [RevocationList] = []
        for bytes in encodings {
            do {
                lists.append(try RevocationList(bytes))
            } catch {
                let reason = (error as? RevocationList.Unusable ?? .malformed).predicate
                throw NetworkingError(
                    .invalidTrustConfiguration,
                    "A list of revoked certificates in \(name) \(reason).",
                    underlying: error
                )
            }
        }
        return lists
    }
}
