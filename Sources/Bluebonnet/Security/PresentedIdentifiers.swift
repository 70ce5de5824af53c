import NIOCore
import SwiftASN1
import X509

/// One name of a certificate (RFC 5280 §4.2.1.6).
enum PresentedIdentifier: Hashable, Sendable {
    /// A DNS name, or a pattern with an asterisk.
    case name(String)
    /// The bytes of an IP address: four or sixteen of them in a good certificate.
    case address([UInt8])
    /// A name of a kind that never names a web server, such as an e-mail address.
    case other

    init(_ name: GeneralName) {
        switch name {
        case .dnsName(let name): self = .name(name)
        case .ipAddress(let bytes): self = .address(Array(bytes.bytes))
        default: self = .other
        }
    }
}

/// The servers that a certificate is for, by its own names.
struct PresentedIdentifiers: Sendable {
    /// The names of the extension “subject alternative name”; none where there is no such
    /// extension.
    var names: [PresentedIdentifier]
    /// The common name of the subject, for messages only.
    var commonName: String?

    init(names: [PresentedIdentifier], commonName: String? = nil) {
        self.names = names
        self.commonName = commonName
    }

    /// The names of a server's own certificate.
    init(of leaf: ChainCertificate) {
        self.init(names: leaf.alternativeNames.map(PresentedIdentifier.init))
    }

    /// The common name of a certificate's subject; the last one where there are several.
    static func commonName(of subject: ASN1Node) -> String? {
        let attributes = (try? NameAttributes(subject))?.relativeNames.joined()
        return attributes?.last { $0.type == NameAttributes.commonName }.flatMap { NameAttributes.text($0.value) }
    }

    /// Whether one of the names is for the server (RFC 9525 §6). The common name never is (§2).
    func contain(_ identity: ServerIdentity) -> Bool {
        names.contains(where: identity.matches)
    }

    /// The message about a certificate that does not contain the identity, after “The certificate
    /// of HOST ”.
    func refusal(of identity: ServerIdentity) -> String {
        // One pass over what may be thousands of names, of which the first ones are shown.
        var count = 0
        var shown: [String] = []
        for name in names where name != .other {
            count += 1
            if count <= Self.shownLimit { shown.append(Self.sentence(name)) }
        }
        guard let first = shown.first else {
            return "names no host (\(absence)), so it cannot be for \(identity.sentence)"
        }
        let list =
            switch count {
            case 1: first
            case ...Self.shownLimit: shown.dropLast().joined(separator: ", ") + " and " + shown[count - 1]
            default: shown.joined(separator: ", ") + " and \(count - shown.count) more"
            }
        return "is for \(list), not for \(identity.sentence)" + hint(for: identity)
    }

    private static let shownLimit = 4

    private static func sentence(_ name: PresentedIdentifier) -> String {
        switch name {
        case .name(let name): return quoted(name)
        case .address(let bytes):
            let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)
            return "the address " + (address?.ipAddress ?? "of \(bytes.count) bytes")
        case .other: return "a name of another kind"
        }
    }

    /// A certificate can hold any text: control characters must not reach a terminal.
    private static func quoted(_ text: String) -> String {
        "“\(ASCII.escaped(text.utf8, limit: 80))”"
    }

    private var absence: String {
        guard names.isEmpty else { return "its names are of other kinds, such as e-mail addresses" }
        guard let commonName else { return "it has no subject alternative name" }
        return "it has no subject alternative name, and its common name \(Self.quoted(commonName)) does not count"
    }

    /// A mistake that is often made: an address among the DNS names.
    private func hint(for identity: ServerIdentity) -> String {
        guard case .address(let address) = identity, let text = address.ipAddress, names.contains(.name(text)) else {
            return ""
        }
        return " (an address counts only among the IP addresses of a certificate)"
    }
}
