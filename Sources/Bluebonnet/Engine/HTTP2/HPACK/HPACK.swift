import HTTPTypes

/// The compression of fields in HTTP/2 (RFC 7541).
enum HPACK {
    /// What the tables of both sides may remember of a field (RFC 7541 §6.2).
    enum Indexing: Hashable, Sendable {
        /// The field goes into the tables.
        case indexable
        /// Only this hop leaves it out of its tables.
        case nonIndexable
        /// Every hop must leave it out of its tables (§7.1.3).
        case neverIndexed
    }

    /// The size of a table before anything was said (RFC 9113 §6.5.2).
    static let initialTableSize = 4096
    /// What a field takes of a table, or of a field section, beside its bytes (RFC 7541 §4.1, RFC
    /// 9113 §6.5.2).
    static let overhead = 32

    /// Reads an integer whose first byte has so many bits of it (RFC 7541 §5.1).
    ///
    /// - Parameters:
    ///   - bytes: The field block.
    ///   - position: The position of the first byte; afterwards, that behind the integer.
    ///   - prefix: The number of bits, 4 to 7.
    /// - Returns: The integer, below 2^31.
    /// - Throws: An error of the connection.
    static func integer(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        prefix: UInt8
    ) throws(HTTP2Fault) -> Int {
        guard position < bytes.count else { throw undecodable("ends inside a field") }
        let most = (1 &<< Int(prefix)) &- 1
        var value = Int(bytes[position]) & most
        position += 1
        guard value == most else { return value }
        var shift = 0
        while position < bytes.count {
            let byte = Int(bytes[position])
            position += 1
            // In range: the shift is 28 at most.
            value += (byte & 0x7F) &<< shift
            guard value < 1 << 31 else { break }
            if byte & 0x80 == 0 { return value }
            shift += 7
            guard shift <= 28 else { break }
        }
        throw undecodable("has an integer that is too large, or cut off")
    }

    /// RFC 9113 §4.3: a block that cannot be decoded is an error of the connection, because the
    /// tables of both sides are no longer the same.
    static func undecodable(_ clause: String) -> HTTP2Fault {
        HTTP2Fault(
            .violation,
            sending: .compressionError,
            clause: "sent a field block that \(clause) (\(HTTP2Code.compressionError))"
        )
    }
}

/// A field of a request, as it is sent.
struct HTTP2Field: Hashable, Sendable {
    /// In lowercase.
    let name: String
    let value: String
    /// The bytes of a value that is not UTF-8, in place of ``value``; nil for all others.
    let bytes: [UInt8]?
    let indexing: HPACK.Indexing

    init(_ name: String, _ value: String, _ indexing: HPACK.Indexing = .indexable) {
        self.init(name, value, bytes: nil, indexing)
    }

    /// Makes a field with the value of another, whose bytes are sent as they are (RFC 9110 §5.5).
    init(_ name: String, of field: HTTPField, _ indexing: HPACK.Indexing = .indexable) {
        self.init(name, field.value, bytes: field.bytesOutsideUTF8, indexing)
    }

    private init(_ name: String, _ value: String, bytes: [UInt8]?, _ indexing: HPACK.Indexing) {
        self.name = name
        self.value = value
        self.bytes = bytes
        self.indexing = indexing
    }
}
