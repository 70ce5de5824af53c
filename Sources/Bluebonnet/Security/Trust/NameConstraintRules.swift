import SwiftASN1
import X509

/// The names for which authorities may sign (RFC 5280 §4.2.1.10), for the chains of one server.
///
/// A server can show thousands of names and, in an authority of its own, thousands of constraints.
/// So each is read once, into a form that is cheap to compare, and the work has a limit.
struct NameConstraintRules {
    /// The most work for all chains of a server: about the bytes that are looked at.
    static let mostWork = 4 << 20

    /// The work until now.
    private(set) var work = 0
    private let mostWork: Int
    private var subtrees: [ObjectIdentifier: NameSubtrees] = [:]
    private var names: [ObjectIdentifier: [ConstrainedName]] = [:]

    private enum Problem: Error {
        case tooMuchWork
        case malformed
    }

    init(mostWork: Int = Self.mostWork) {
        self.mostWork = mostWork
    }

    /// The first certificate of a chain that has a name which an authority above it must not sign
    /// for; none where there is no such certificate.
    mutating func findings(_ path: [ChainCertificate]) -> [TrustFinding] {
        for (place, authority) in path.enumerated() {
            guard let constraints = authority.nameConstraints else { continue }
            // A certificate that is trusted by itself is its own authority.
            let below = path.count == 1 ? path[...] : path[..<place]
            for (position, certificate) in below.enumerated()
            where position == 0 || !certificate.isSelfIssued {
                do throws(Problem) {
                    let subtrees = try subtrees(of: authority, constraints)
                    if let reason = try refusal(of: certificate, subtrees) {
                        return [TrustFinding(.nameConstraints, certificate.fields, reason)]
                    }
                } catch {
                    switch error {
                    case .malformed: return [.malformed(certificate.fields)]
                    case .tooMuchWork:
                        let predicate = "has too many names to compare with constraints"
                        return [TrustFinding(.chainSize, certificate.fields, predicate)]
                    }
                }
            }
        }
        return []
    }

    /// The predicate of a refusal; nil where all names may be signed.
    private mutating func refusal(
        of certificate: ChainCertificate,
        _ subtrees: NameSubtrees
    ) throws(Problem) -> String? {
        for name in try names(of: certificate) {
            for constraint in subtrees.excluded[name.kind] ?? [] {
                try charge(name, constraint)
                switch constraint.contains(name, isExcluding: true) {
                case true?: return "has \(name.text), which an authority above it must not sign for"
                case nil: return name.unclear
                case false?: break
                }
            }
            guard let permitted = subtrees.permitted[name.kind] else { continue }
            var isPermitted = false
            for constraint in permitted where !isPermitted {
                try charge(name, constraint)
                guard let isInside = constraint.contains(name, isExcluding: false) else { return name.unclear }
                isPermitted = isInside
            }
            if !isPermitted { return "has \(name.text), which is not among the names its authority may sign for" }
        }
        return nil
    }

    // MARK: Work

    private mutating func charge(_ amount: Int) throws(Problem) {
        work += amount
        guard work <= mostWork else { throw .tooMuchWork }
    }

    /// The work of a comparison, which ends with the shorter of the two.
    private mutating func charge(_ name: ConstrainedName, _ constraint: ConstrainedName) throws(Problem) {
        try charge(32 + min(name.byteCount, constraint.byteCount))
    }

    /// Reads a name. That of a directory is encoded and taken apart for it.
    private mutating func read(_ name: GeneralName, isConstraint: Bool) throws(Problem) -> ConstrainedName {
        try charge(name.isDirectory ? 256 : 32)
        let name = isConstraint ? ConstrainedName(constraint: name) : ConstrainedName(name)
        try charge(name.byteCount)
        return name
    }

    // MARK: What was read

    private mutating func subtrees(
        of authority: ChainCertificate,
        _ constraints: NameConstraints
    ) throws(Problem) -> NameSubtrees {
        if let known = subtrees[ObjectIdentifier(authority)] { return known }
        var read = NameSubtrees()
        for name in constraints.permittedSubtrees {
            let constraint = try self.read(name, isConstraint: true)
            read.permitted[constraint.kind, default: []].append(constraint)
        }
        for name in constraints.excludedSubtrees {
            let constraint = try self.read(name, isConstraint: true)
            read.excluded[constraint.kind, default: []].append(constraint)
        }
        subtrees[ObjectIdentifier(authority)] = read
        return read
    }

    /// RFC 5280 §4.2.1.10: the subject, the e-mail addresses in it, and the alternative names.
    private mutating func names(of certificate: ChainCertificate) throws(Problem) -> [ConstrainedName] {
        if let known = names[ObjectIdentifier(certificate)] { return known }
        var read: [ConstrainedName] = []
        for name in certificate.alternativeNames { read.append(try self.read(name, isConstraint: false)) }
        if !certificate.subject.isEmpty {
            read.append(ConstrainedName(certificate.subject))
            guard let subject = try? NameAttributes(certificate.fields.subject) else { throw .malformed }
            for attribute in subject.relativeNames.joined() where attribute.type == NameAttributes.emailAddress {
                guard let text = NameAttributes.text(attribute.value) else { throw .malformed }
                read.append(try self.read(.rfc822Name(text), isConstraint: false))
            }
        }
        names[ObjectIdentifier(certificate)] = read
        return read
    }
}

/// The constraints of an authority, by the kinds of names.
private struct NameSubtrees {
    var permitted: [ConstrainedName.Kind: [ConstrainedName]] = [:]
    var excluded: [ConstrainedName.Kind: [ConstrainedName]] = [:]
}

/// A name of a certificate or a constraint for names, in a form that can be compared.
private struct ConstrainedName {
    enum Kind: Hashable {
        case dns
        case email
        case uri
        case address
        case directory
        /// A kind that is not understood here, by its tag in a GeneralName.
        case other(Int)
    }

    private enum Form {
        /// A domain or a host in lower case, or the bytes of an address.
        case bytes([UInt8])
        case mailbox(local: [UInt8], host: [UInt8])
        case network(base: ArraySlice<UInt8>, mask: ArraySlice<UInt8>)
        case directory(CanonicalName)
        /// Not understood, so that nothing can be said.
        case unclear
    }

    let kind: Kind
    private let form: Form
    let byteCount: Int
    /// The name as it is written, for messages.
    private let written: String?

    /// A name of a certificate.
    init(_ name: GeneralName) {
        switch name {
        case .dnsName(let name): self.init(.dns, .bytes(Self.lowercased(name.utf8)), name)
        case .rfc822Name(let address):
            guard let (local, host) = Self.mailbox(address), !local.isEmpty, !host.isEmpty else {
                self.init(.email, .unclear, address)
                return
            }
            self.init(.email, .mailbox(local: local, host: host), address)
        case .uniformResourceIdentifier(let uri):
            self.init(.uri, Self.host(of: uri).map(Form.bytes) ?? .unclear, uri)
        case .ipAddress(let bytes): self.init(.address, .bytes(Array(bytes.bytes)), nil)
        default: self.init(other: name)
        }
    }

    /// A constraint.
    init(constraint: GeneralName) {
        switch constraint {
        case .dnsName(let name): self.init(.dns, Self.domain(name), name)
        // One mailbox, a host, or with a dot in front all hosts of a domain.
        case .rfc822Name(let name):
            guard let (local, host) = Self.mailbox(name) else {
                self.init(.email, Self.domain(name), name)
                return
            }
            let isClear = !local.isEmpty && Self.isHostName(String(decoding: host, as: UTF8.self))
            self.init(.email, isClear ? .mailbox(local: local, host: host) : .unclear, name)
        case .uniformResourceIdentifier(let name): self.init(.uri, Self.domain(name), name)
        case .ipAddress(let bytes): self.init(.address, Self.network(bytes.bytes), nil)
        default: self.init(other: constraint)
        }
    }

    init(_ subject: CanonicalName) {
        self.init(.directory, .directory(subject), nil)
    }

    private init(other name: GeneralName) {
        switch name {
        case .directoryName(let name):
            self.init(.directory, (try? CanonicalName(name)).map(Form.directory) ?? .unclear, nil)
        case .otherName: self.init(.other(0), .unclear, nil)
        case .x400Address: self.init(.other(3), .unclear, nil)
        case .ediPartyName: self.init(.other(5), .unclear, nil)
        default: self.init(.other(8), .unclear, nil)
        }
    }

    private init(_ kind: Kind, _ form: Form, _ written: String?) {
        (self.kind, self.form, self.written) = (kind, form, written)
        byteCount =
            switch form {
            case .bytes(let bytes): bytes.count
            case .mailbox(let local, let host): local.count + host.count
            case .network(let base, let mask): base.count + mask.count
            case .directory(let name): name.relativeNames.reduce(0) { $0 + $1.count }
            case .unclear: 0
            }
    }

    // MARK: Comparison

    /// Whether a name of the same kind is inside of this constraint; nil where one of them is not
    /// understood.
    func contains(_ name: ConstrainedName, isExcluding: Bool) -> Bool? {
        switch (name.form, form) {
        case (.bytes(let name), .bytes(let domain)) where kind == .dns:
            Self.isDomain(name, within: domain, isExcluding: isExcluding)
        case (.bytes(let host), .bytes(let constraint)): Self.isHost(host, within: constraint)
        case (.mailbox(_, let host), .bytes(let constraint)): Self.isHost(host, within: constraint)
        case (.mailbox(let local, let host), .mailbox(let otherLocal, let otherHost)):
            local == otherLocal && host == otherHost
        case (.bytes(let address), .network(let base, let mask)): Self.isAddress(address, within: base, mask)
        case (.directory(let name), .directory(let constraint)):
            isExcluding ? name.isSurelyWithin(constraint) : name.isWithin(constraint)
        default: nil
        }
    }

    /// The domain itself and everything below it; with a dot in front, which the RFC does not have,
    /// only what is below it.
    private static func isDomain(_ name: [UInt8], within domain: [UInt8], isExcluding: Bool) -> Bool {
        if domain.isEmpty { return true }
        let base = domain[0] == dot ? domain.dropFirst() : domain[...]
        if name.elementsEqual(base) { return base.count == domain.count }
        if name.count > base.count, name[name.count - base.count - 1] == dot,
            name.suffix(base.count).elementsEqual(base)
        {
            return true
        }
        // A wildcard covers names of which some may be excluded: `*.example.com` has in it
        // `internal.example.com`.
        guard isExcluding, name.starts(with: "*.".utf8), let end = base.firstIndex(of: dot) else { return false }
        return base[(end + 1)...].elementsEqual(name.dropFirst(2))
    }

    /// A host, or with a dot in front a domain, of which the host must be a part.
    private static func isHost(_ host: [UInt8], within constraint: [UInt8]) -> Bool {
        guard let first = constraint.first else { return true }
        guard first == dot else { return host == constraint }
        return host.count > constraint.count && host.suffix(constraint.count).elementsEqual(constraint)
    }

    /// Nil for a name that is not an address.
    private static func isAddress(
        _ address: [UInt8],
        within base: ArraySlice<UInt8>,
        _ mask: ArraySlice<UInt8>
    ) -> Bool? {
        guard address.count == 4 || address.count == 16 else { return nil }
        guard base.count == address.count else { return false }
        return zip(zip(address, base), mask).allSatisfy { pair, mask in pair.0 & mask == pair.1 & mask }
    }

    // MARK: Reading

    private static let dot = UInt8(ascii: ".")
    private static let at = UInt8(ascii: "@")

    private static func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] { text.map(ASCII.lowercased) }

    /// The domain of a constraint: every name where it is empty, or a host name, also with a dot in
    /// front. No name is equal to another text, such as `*.example.com` or `example.com.`, or below
    /// it, so that an authority that excludes it would exclude nothing.
    private static func domain(_ text: String) -> Form {
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        return text.isEmpty || isHostName(name) ? .bytes(lowercased(text.utf8)) : .unclear
    }

    private static func isHostName(_ text: String) -> Bool {
        guard case .name? = ServerIdentity(host: text) else { return false }
        return !text.hasSuffix(".")
    }

    /// The two sides of an e-mail address; nil where it has no `@`.
    private static func mailbox(_ text: String) -> (local: [UInt8], host: [UInt8])? {
        let bytes = Array(text.utf8)
        guard let at = bytes.lastIndex(of: at) else { return nil }
        return (Array(bytes[..<at]), lowercased(bytes[(at + 1)...]))
    }

    /// The host of a URI in lower case; nil where there is none, or it is an address, for which the
    /// RFC demands a refusal.
    private static func host(of uri: String) -> [UInt8]? {
        let bytes = Array(uri.utf8)
        guard let slashes = bytes.firstRange(of: Array("://".utf8)) else { return nil }
        let authority = bytes[slashes.upperBound...].prefix { !"/?#".utf8.contains($0) }
        let host = authority.lastIndex(of: at).map { authority[($0 + 1)...] } ?? authority
        let name = String(decoding: host.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        guard case .name(let name)? = ServerIdentity(host: name) else { return nil }
        return Array(name.utf8)
    }

    /// An address and a mask, 8 or 32 bytes, whose ones come first (RFC 4632 §3.1).
    private static func network(_ bytes: ArraySlice<UInt8>) -> Form {
        guard bytes.count == 8 || bytes.count == 32 else { return .unclear }
        let mask = bytes.suffix(bytes.count / 2)
        // After the first byte that is not all ones, no more ones; and in it none after a zero.
        let rest = mask.drop { $0 == 0xFF }
        let first = rest.first ?? 0
        guard (~first).nonzeroBitCount == 8 - (~first).leadingZeroBitCount, rest.dropFirst().allSatisfy({ $0 == 0 })
        else { return .unclear }
        return .network(base: bytes.prefix(bytes.count / 2), mask: mask)
    }

    // MARK: Messages

    var unclear: String {
        "has \(text), and an authority above it limits such names in a way that is not understood here"
    }

    /// The name for messages.
    var text: String {
        if let written { return "the name “\(ASCII.escaped(written.utf8, limit: 80))”" }
        switch (kind, form) {
        case (.address, .bytes(let bytes)) where bytes.count <= 16:
            return "an address (\(bytes.map(String.init).joined(separator: ".")))"
        case (.address, _): return "an address of \(byteCount) bytes"
        case (.directory, _): return "the subject or directory name that it has"
        default: return "a name of another kind"
        }
    }
}

extension GeneralName {
    fileprivate var isDirectory: Bool {
        if case .directoryName = self { true } else { false }
    }
}

extension CanonicalName {
    fileprivate init(_ name: DistinguishedName) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(name)
        try self.init(DER.parse(serializer.serializedBytes))
    }
}
