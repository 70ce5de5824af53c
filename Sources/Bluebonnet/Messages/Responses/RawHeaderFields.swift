import HTTPTypes

/// The header or trailer fields of one message as they were received: one copy of the bytes, and
/// where each name and value lies in it.
///
/// A head costs one allocation, and a caller that reads no field, or one, does not pay for
/// `HTTPFields`. Lookups compare bytes and make a `String` only of what they return.
struct RawHeaderFields: Sendable {
    /// The position of one field in the bytes of its section.
    struct Entry {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        var nameLength: Int { Int(nameEnd &- nameStart) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// The fields seen that frame or encode a message, or tell of its connection, so that the usual
    /// absence of some costs nothing.
    struct FramingNames: OptionSet {
        let rawValue: UInt8

        static let contentLength = Self(rawValue: 1)
        static let transferEncoding = Self(rawValue: 2)
        static let connection = Self(rawValue: 4)
        static let keepAlive = Self(rawValue: 8)
        static let contentEncoding = Self(rawValue: 16)
    }

    /// What is known of a section besides its bytes and its entries.
    private struct Layout {
        var sectionLength: UInt32
        var count: UInt32
        var reasonStart: UInt32
        var reasonEnd: UInt32
        var framingNames: FramingNames
    }

    /// The bytes of the section, then the entries in memory order, then the layout: one reference,
    /// because heads are handed from layer to layer.
    private let storage: [UInt8]

    private var layout: Layout {
        unsafe storage.withUnsafeBytes { bytes in
            // In bounds: the initializer wrote it at the end.
            let offset = bytes.count &- MemoryLayout<Layout>.size
            return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Layout.self)
        }
    }

    /// The number of fields.
    var count: Int { Int(layout.count) }
    /// The framing fields among them.
    var framingNames: FramingNames { layout.framingNames }

    /// Copies a section that the scanner has accepted.
    ///
    /// - Parameters:
    ///   - section: The bytes from the start of the section.
    ///   - entries: The fields in the order received, all inside `section`.
    ///   - framingNames: The framing fields among them.
    ///   - reason: Where the reason phrase of a status line lies.
    init(
        section: UnsafeRawBufferPointer,
        entries: [Entry],
        framingNames: FramingNames,
        reason: Range<Int>
    ) {
        let length = section.count
        let indexLength = entries.count &* MemoryLayout<Entry>.stride
        let layout = Layout(
            sectionLength: UInt32(length),
            count: UInt32(entries.count),
            reasonStart: UInt32(reason.lowerBound),
            reasonEnd: UInt32(reason.upperBound),
            framingNames: framingNames
        )
        let capacity = length &+ indexLength &+ MemoryLayout<Layout>.size
        // All parts are written in full before the count is set, and an `Entry` and a `Layout` are
        // plain bytes.
        storage = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initializedCount in
            if var target = UnsafeMutableRawPointer(buffer.baseAddress) {
                if let source = section.baseAddress {
                    unsafe target.copyMemory(from: source, byteCount: length)
                }
                unsafe target += length
                unsafe entries.withUnsafeBytes { bytes in
                    guard let source = bytes.baseAddress else { return }
                    unsafe target.copyMemory(from: source, byteCount: indexLength)
                }
                unsafe target += indexLength
                unsafe withUnsafeBytes(of: layout) { bytes in
                    guard let source = bytes.baseAddress else { return }
                    unsafe target.copyMemory(from: source, byteCount: MemoryLayout<Layout>.size)
                }
            }
            initializedCount = capacity
        }
    }

    /// Copies a section with folded lines: RFC 9112 §5.2 makes each fold, with the whitespace
    /// around it, a space.
    init(
        folded section: UnsafeRawBufferPointer,
        entries: [Entry],
        framingNames: FramingNames,
        reason: Range<Int>
    ) {
        // Safe: the bytes are copied here, while the caller keeps the section.
        var bytes = unsafe [UInt8](section)
        var entries = entries
        for position in entries.indices {
            entries[position].valueEnd = UInt32(Self.unfold(entries[position].value, in: &bytes))
        }
        self = unsafe bytes.withUnsafeBytes { section in
            // Safe: the other initializer copies the bytes before it returns.
            unsafe Self(section: section, entries: entries, framingNames: framingNames, reason: reason)
        }
    }

    /// Joins the lines of a value in place and returns its new end.
    private static func unfold(_ value: Range<Int>, in bytes: inout [UInt8]) -> Int {
        // Only the ends of folded lines are left in values.
        guard bytes[value].contains(ASCII.lineFeed) else { return value.upperBound }
        // In place: slices of the bytes would make each folded field copy the whole section.
        var (position, written) = (value.lowerBound, value.lowerBound)
        while position < value.upperBound {
            var lineEnd = position
            while lineEnd < value.upperBound, bytes[lineEnd] != ASCII.lineFeed,
                bytes[lineEnd] != ASCII.carriageReturn
            {
                lineEnd += 1
            }
            var (start, end) = (position, lineEnd)
            while start < end, ASCII.isBlank(bytes[start]) { start += 1 }
            while end > start, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
            if start < end {
                // The line end before it left room for the space.
                if written > value.lowerBound {
                    bytes[written] = ASCII.space
                    written += 1
                }
                for index in start..<end {
                    bytes[written] = bytes[index]
                    written += 1
                }
            }
            position = lineEnd + 1
        }
        return written
    }

    private subscript(position: Int) -> Entry {
        let sectionLength = Int(layout.sectionLength)
        return unsafe storage.withUnsafeBytes { bytes in
            // In bounds: the initializer wrote `count` entries behind the section.
            let offset = sectionLength &+ position &* MemoryLayout<Entry>.stride
            return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Entry.self)
        }
    }

    /// The bytes that it takes.
    var byteCount: Int { storage.count }

    /// The bytes of the reason phrase, possibly none.
    var reasonPhrase: ArraySlice<UInt8> {
        let layout = layout
        return storage[Int(layout.reasonStart)..<Int(layout.reasonEnd)]
    }

    /// The bytes of a name as received.
    func name(at position: Int) -> ArraySlice<UInt8> {
        let entry = self[position]
        return storage[Int(entry.nameStart)..<Int(entry.nameEnd)]
    }

    /// The bytes of a value, without the whitespace around it.
    func value(at position: Int) -> ArraySlice<UInt8> {
        storage[self[position].value]
    }

    /// The position of the first field at or after `start` with this name, in any case.
    func position(of name: HTTPField.Name, from start: Int = 0) -> Int? {
        let canonicalName = name.canonicalName
        let length = canonicalName.utf8.count
        let count = count
        return unsafe storage.withUnsafeBytes { bytes in
            var position = start
            while position < count {
                let entry = self[position]
                if entry.nameLength == length {
                    // In bounds: the scanner found the name inside the section.
                    let received = unsafe UnsafeRawBufferPointer(
                        rebasing: bytes[Int(entry.nameStart)..<Int(entry.nameEnd)]
                    )
                    if unsafe Self.matches(received, canonicalName) { return position }
                }
                position &+= 1
            }
            return nil
        }
    }

    /// Whether there is a field that makes a response fresh, or by which it can be confirmed:
    /// found in one pass, because most responses of a session with a cache are asked for it.
    var hasCachingField: Bool {
        let count = count
        return unsafe storage.withUnsafeBytes { bytes in
            for position in 0..<count {
                let entry = self[position]
                let names: (String, String?)
                switch entry.nameLength {
                case 4: names = ("etag", nil)
                case 7: names = ("expires", nil)
                case 13: names = ("cache-control", "last-modified")
                default: continue
                }
                // In bounds: the scanner found the name inside the section.
                let received = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[Int(entry.nameStart)..<Int(entry.nameEnd)]
                )
                if unsafe Self.matches(received, names.0) { return true }
                if let other = names.1, unsafe Self.matches(received, other) { return true }
            }
            return false
        }
    }

    /// Whether a received name is the lowercase name of the same length.
    private static func matches(_ received: UnsafeRawBufferPointer, _ canonicalName: String) -> Bool {
        // The bytes are only compared while the closure runs.
        let isMatch = unsafe canonicalName.utf8.withContiguousStorageIfAvailable { name in
            unsafe ASCII.isEqual(received, lowercased: UnsafeRawBufferPointer(name))
        }
        return isMatch ?? (unsafe received.map(ASCII.lowercased) == Array(canonicalName.utf8))
    }

    /// Whether a field with this name was received.
    func contains(_ name: HTTPField.Name) -> Bool {
        position(of: name) != nil
    }

    /// The values of all fields with this name, as `HTTPFields` shows them (UTF-8, repaired where
    /// it is not).
    func values(for name: HTTPField.Name) -> [String] {
        var values: [String] = []
        var next = position(of: name)
        while let position = next {
            values.append(String(decoding: value(at: position), as: UTF8.self))
            next = self.position(of: name, from: position + 1)
        }
        return values
    }

    /// The value of the field, several joined in order as `HTTPFields` joins them.
    subscript(name: HTTPField.Name) -> String? {
        guard let first = position(of: name) else { return nil }
        guard position(of: name, from: first + 1) != nil else {
            return String(decoding: value(at: first), as: UTF8.self)
        }
        return values(for: name).joined(separator: name == .cookie ? "; " : ", ")
    }

    /// The fields in the order received, with the spelling of their names and the bytes of their
    /// values.
    var httpFields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(count)
        for position in 0..<count {
            // The scanner accepted tokens only, so every name is valid.
            guard let name = HTTPField.Name(String(decoding: name(at: position), as: UTF8.self)) else { continue }
            fields.append(HTTPField(name: name, lenientValue: value(at: position)))
        }
        return fields
    }

    /// Names and values in the order received, each byte of a value as the character of the same
    /// number.
    var latin1Pairs: [(name: String, value: String)] {
        (0..<count).map { position in
            (String(decoding: name(at: position), as: UTF8.self), String(latin1: value(at: position)))
        }
    }
}
