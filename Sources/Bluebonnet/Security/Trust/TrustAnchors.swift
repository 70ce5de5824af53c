import FoundationEssentials
import Synchronization

/// The authorities that are trusted, by their names. They are taken apart only when a chain needs
/// them: a system has a hundred and forty, and a chain needs one.
final class TrustAnchors: Sendable {
    private enum Anchor {
        case unread(CertificateFields)
        case read(ChainCertificate)
        case unusable(TrustFinding)
    }

    private let names: [CanonicalName: [Int]]
    /// The certificates in DER, at the places of `anchors`.
    private let encodings: [[UInt8]]
    private let anchors: Mutex<[Anchor]>

    let count: Int
    /// The lists of revoked certificates that count beside them.
    let revocations: RevocationIndex?

    /// Certificates that cannot be read are left out, as those of a system that are too old or too
    /// new must not make all others useless.
    init(_ certificates: some Sequence<[UInt8]>, revocations: RevocationIndex? = nil) {
        var names: [CanonicalName: [Int]] = [:]
        var encodings: [[UInt8]] = []
        var anchors: [Anchor] = []
        for bytes in certificates {
            // Directories hold each certificate several times. Only those of one name are compared.
            guard let fields = try? CertificateFields(bytes), let name = try? CanonicalName(fields.subject),
                !(names[name] ?? []).contains(where: { encodings[$0] == bytes })
            else { continue }
            encodings.append(bytes)
            names[name, default: []].append(anchors.count)
            anchors.append(.unread(fields))
        }
        self.names = names
        self.encodings = encodings
        count = anchors.count
        self.revocations = revocations
        self.anchors = Mutex(anchors)
    }

    /// Whether exactly this certificate is trusted.
    func contains(_ certificate: ChainCertificate) -> Bool {
        (names[certificate.subject] ?? []).contains { encodings[$0] == certificate.fields.bytes }
    }

    /// The authorities of a name, and what is wrong with those that cannot be used.
    func authorities(named name: CanonicalName) -> (usable: [ChainCertificate], faults: [TrustFinding]) {
        guard let places = names[name] else { return ([], []) }
        return anchors.withLock { anchors in
            var (usable, faults): ([ChainCertificate], [TrustFinding]) = ([], [])
            for place in places {
                if case .unread(let fields) = anchors[place] {
                    do throws(TrustFinding) {
                        anchors[place] = .read(try ChainCertificate(fields))
                    } catch {
                        anchors[place] = .unusable(error)
                    }
                }
                switch anchors[place] {
                case .read(let certificate): usable.append(certificate)
                case .unusable(let fault): faults.append(fault)
                case .unread: break
                }
            }
            return (usable, faults)
        }
    }
}
