import FoundationEssentials

/// Parses the binary form of property lists: objects that refer to each other by number, a table of
/// their offsets, and a trailer with the offset of the table.
struct BinaryPropertyListParser {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootIndex: Int
    private let tableOffset: Int

    /// The parsed values by their offsets, since any number of objects may have one offset.
    /// Numbers, dates and truth values are not kept; reading them again costs the same.
    private var parsed: [Int: Sized] = [:]
    /// The offsets of the containers that are being parsed: one that is inside itself is an error.
    private var open: Set<Int> = []
    private var frames: [Frame] = []
    /// The number of bytes of the objects that are kept. Objects must not overlap, so that these
    /// are never more than the property list has.
    private(set) var bytesRead = 0

    /// A value and its size: one for itself and for each value inside it, and one for every 16
    /// bytes of a text or of data, for every 8 of a key. An object with two references counts
    /// twice.
    private typealias Sized = (value: PropertyListValue, size: Int)

    /// A container that is being parsed.
    private struct Frame {
        let start: Int
        let isDictionary: Bool
        let references: ArraySlice<UInt8>
        let count: Int
        var next = 0
        var size = 1
        var keys: [String] = []
        var values: [PropertyListValue] = []
    }

    private static let trailerSize = 32

    init(_ data: Data, maximumDepth: Int) throws(PropertyListParsingError) {
        bytes = Array(data)
        self.maximumDepth = maximumDepth
        let trailer = bytes.count - Self.trailerSize
        guard trailer > 8, bytes[7] == UInt8(ascii: "0") || bytes[6] == UInt8(ascii: "0") else {
            throw PropertyListParsingError("The binary property list is too short or of an unknown version")
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let count = Self.number(bytes[trailer + 8..<trailer + 16])
        let root = Self.number(bytes[trailer + 16..<trailer + 24])
        let table = Self.number(bytes[trailer + 24..<trailer + 32])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), root < count, table >= 8,
            table < UInt64(trailer), count <= UInt64((trailer - Int(table)) / offsetSize)
        else { throw PropertyListParsingError("The trailer of the binary property list is broken") }
        objectCount = Int(count)
        rootIndex = Int(root)
        tableOffset = Int(table)
    }

    mutating func value() throws(PropertyListParsingError) -> PropertyListValue {
        // A loop and not a recursion: the stack must not depend on the depth of the property list.
        var done = try object(rootIndex)
        while let top = frames.indices.last {
            if let inner = done {
                frames[top].values.append(inner.value)
                try add(inner.size, to: top)
            }
            let next = frames[top].next
            if next < frames[top].count {
                frames[top].next = next + 1
                done = try object(try reference(frames[top].keys.count + next, in: frames[top].references))
            } else {
                done = try close(frames.removeLast())
            }
        }
        guard let done else { throw fault("There is no value", tableOffset) }
        return done.value
    }

    /// The number of the last eight bytes, the highest first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func fault(_ message: String, _ place: Int) -> PropertyListParsingError {
        PropertyListParsingError("\(message) (byte \(place))")
    }

    /// Bytes of an object, which must be before the table.
    private func slice(_ start: Int, _ count: Int) throws(PropertyListParsingError) -> ArraySlice<UInt8> {
        guard count >= 0, start <= tableOffset, count <= tableOffset - start else {
            throw fault("An object is longer than the property list", start)
        }
        return bytes[start..<start + count]
    }

    /// The value of an object; nil for a container that must be parsed first, which is the last
    /// frame then.
    private mutating func object(_ index: Int, isKey: Bool = false) throws(PropertyListParsingError) -> Sized? {
        let entry = tableOffset + index * offsetSize
        let offset = Self.number(bytes[entry..<entry + offsetSize])
        guard offset >= 8, offset < UInt64(tableOffset) else { throw fault("An object has an invalid offset", entry) }
        let start = Int(offset)
        if let known = parsed[start] { return known }
        let marker = bytes[start]
        switch marker >> 4 {
        case 4, 5, 6:
            let result = try text(marker, start)
            parsed[start] = result
            return result
        case 0xA, 0xC, 0xD:
            guard !isKey else { throw fault("A key is not a text", start) }
            guard frames.count < maximumDepth else {
                throw fault("Values are nested deeper than \(maximumDepth)", start)
            }
            guard open.insert(start).inserted else { throw fault("An object contains itself", start) }
            try begin(start, isDictionary: marker >> 4 == 0xD)
            return nil
        default:
            return (try scalar(marker, start), 1)
        }
    }

    /// Counts bytes that are read, and throws when there are more than there can be: objects that
    /// overlap could have the same bytes any number of times.
    private mutating func read(_ count: Int, at start: Int) throws(PropertyListParsingError) {
        bytesRead += count
        guard bytesRead <= tableOffset else { throw fault("Objects overlap", start) }
    }

    private func reference(
        _ place: Int,
        in references: ArraySlice<UInt8>
    ) throws(PropertyListParsingError) -> Int {
        let begin = references.startIndex + place * referenceSize
        let index = Self.number(references[begin..<begin + referenceSize])
        guard index < UInt64(objectCount) else { throw fault("A reference has no object", begin) }
        return Int(index)
    }

    /// Adds to the size of a container and limits it. Every reference takes a byte or more, so that
    /// a list without shared objects has fewer values than bytes. One with many more is an attack:
    /// it grows when it is read.
    private mutating func add(_ size: Int, to frame: Int) throws(PropertyListParsingError) {
        frames[frame].size += size
        guard frames[frame].size <= max(4 * bytes.count, 10_000) else {
            throw fault("Shared objects make more values than there are bytes", frames[frame].start)
        }
    }

    /// The count in the low half of a marker or in the whole number after it, and the offset of the
    /// contents.
    private func count(_ start: Int) throws(PropertyListParsingError) -> (count: Int, contents: Int) {
        let low = Int(bytes[start] & 0xF)
        guard low == 0xF else { return (low, start + 1) }
        let marker = try slice(start + 1, 1)[start + 1]
        guard marker >> 4 == 1, marker & 0xF <= 3 else { throw fault("A count is not a whole number", start + 1) }
        let size = 1 << Int(marker & 0xF)
        let number = Self.number(try slice(start + 2, size))
        guard number <= UInt64(bytes.count) else { throw fault("A count is larger than the property list", start) }
        return (Int(number), start + 2 + size)
    }

    private mutating func begin(_ start: Int, isDictionary: Bool) throws(PropertyListParsingError) {
        let (count, contents) = try count(start)
        let columns = isDictionary ? 2 : 1
        let (total, overflows) = (count * columns).multipliedReportingOverflow(by: referenceSize)
        guard !overflows else { throw fault("A count is larger than the property list", start) }
        let references = try slice(contents, total)
        try read(contents - start + total, at: start)
        // Keys differ, so that each is another object; this also limits the memory that is
        // reserved.
        guard !isDictionary || count <= objectCount else { throw fault("A dictionary has a key twice", start) }
        frames.append(Frame(start: start, isDictionary: isDictionary, references: references, count: count))
        let top = frames.count - 1
        if isDictionary {
            frames[top].keys.reserveCapacity(count)
            for place in 0..<count {
                guard let key = try object(try reference(place, in: references), isKey: true),
                    case .string(let name) = key.value
                else { throw fault("A key is not a text", contents) }
                frames[top].keys.append(name)
                // A key is hashed for every dictionary that it is in.
                try add(2 * key.size - 1, to: top)
            }
        }
        frames[top].values.reserveCapacity(count)
    }

    private mutating func close(_ frame: Frame) throws(PropertyListParsingError) -> Sized {
        open.remove(frame.start)
        var value = PropertyListValue.array(frame.values)
        if frame.isDictionary {
            let pairs = zip(frame.keys, frame.values)
            let values = [String: PropertyListValue](pairs) { _, last in last }
            guard values.count == frame.count else { throw fault("A dictionary has a key twice", frame.start) }
            value = .dictionary(values)
        }
        parsed[frame.start] = (value, frame.size)
        return (value, frame.size)
    }

    /// Data, or a text in ASCII or UTF-16.
    private mutating func text(_ marker: UInt8, _ start: Int) throws(PropertyListParsingError) -> Sized {
        let (count, contents) = try count(start)
        let bytes = try slice(contents, marker >> 4 == 6 ? count * 2 : count)
        try read(contents - start + bytes.count, at: start)
        let size = 1 + bytes.count / 16
        switch marker >> 4 {
        case 4: return (.data(Data(bytes)), size)
        case 5:
            guard bytes.allSatisfy({ $0 < 0x80 }) else { throw fault("A text is not ASCII", start) }
            return (.string(String(decoding: bytes, as: UTF8.self)), size)
        default:
            let text = Data(bytes)
            guard let string = try? Charset.utf16BigEndian.decode(text) else {
                throw fault("A text is not UTF-16", start)
            }
            // A byte-order mark in a binary property list is part of the text.
            return (.string(text.starts(with: [0xFE, 0xFF]) ? "\u{FEFF}" + string : string), size)
        }
    }

    private func scalar(_ marker: UInt8, _ start: Int) throws(PropertyListParsingError) -> PropertyListValue {
        let low = Int(marker & 0xF)
        switch marker >> 4 {
        case 0 where marker == 0x08: return .boolean(false)
        case 0 where marker == 0x09: return .boolean(true)
        case 1 where low <= 4:
            let digits = try slice(start + 1, 1 << low)
            let number = Self.number(digits)
            // A number of sixteen bytes is unsigned; its first eight bytes are zero.
            if low == 4 {
                guard digits.prefix(8).allSatisfy({ $0 == 0 }) else {
                    throw fault("A number has more than 64 bits", start)
                }
                return Int64(exactly: number).map { .integer($0) } ?? .unsignedInteger(number)
            }
            return .integer(low == 3 ? Int64(bitPattern: number) : Int64(number))
        case 2 where low == 2:
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: Self.number(try slice(start + 1, 4))))))
        case 2 where low == 3: return .real(Double(bitPattern: Self.number(try slice(start + 1, 8))))
        case 3 where low == 3:
            let seconds = Double(bitPattern: Self.number(try slice(start + 1, 8)))
            guard seconds.isFinite else { throw fault("A date is not a finite number", start) }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 8:
            guard low < 8 else { throw fault("A reference has more than 64 bits", start) }
            return .uid(Self.number(try slice(start + 1, low + 1)))
        default: throw fault("An object has the unknown kind \(marker)", start)
        }
    }
}
