#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the binary form of property lists: objects that refer to each other by number, a table of where they are, and
/// a trailer that says where the table is.
struct BinaryPropertyListParser {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootIndex: Int
    private let tableOffset: Int

    /// What has been parsed. An object that several refer to is parsed once.
    private var parsed: [Int: (value: PropertyListValue, size: Int)] = [:]
    /// The containers that are being parsed: one of them inside itself is a circle.
    private var open: Set<Int> = []

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
        try object(rootIndex, depth: 0).value
    }

    /// At most eight bytes, the highest first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func fault(_ message: String, _ place: Int) -> PropertyListParsingError {
        PropertyListParsingError("\(message) (byte \(place))")
    }

    /// Bytes of an object, all of which come before the table.
    private func slice(_ start: Int, _ count: Int) throws(PropertyListParsingError) -> ArraySlice<UInt8> {
        guard count >= 0, start <= tableOffset, count <= tableOffset - start else {
            throw fault("An object is longer than the property list", start)
        }
        return bytes[start..<start + count]
    }

    private mutating func object(
        _ index: Int,
        depth: Int
    ) throws(PropertyListParsingError) -> (value: PropertyListValue, size: Int) {
        if let known = parsed[index] { return known }
        let entry = tableOffset + index * offsetSize
        let offset = Self.number(bytes[entry..<entry + offsetSize])
        guard offset >= 8, offset < UInt64(tableOffset) else { throw fault("An object is outside of its place", entry) }
        let start = Int(offset)
        let marker = bytes[start]
        let result: (value: PropertyListValue, size: Int)
        switch marker >> 4 {
        case 0xA, 0xC, 0xD:
            guard depth < maximumDepth else { throw fault("Values are nested deeper than \(maximumDepth)", start) }
            guard open.insert(index).inserted else { throw fault("An object contains itself", start) }
            result = try container(start, isDictionary: marker >> 4 == 0xD, depth: depth + 1)
            open.remove(index)
        default:
            result = (try scalar(marker, start), 1)
        }
        parsed[index] = result
        return result
    }

    /// The low half of a marker, or the whole number after it: the count, and where the contents begin.
    private func count(_ start: Int) throws(PropertyListParsingError) -> (count: Int, contents: Int) {
        let low = Int(bytes[start] & 0xF)
        guard low == 0xF else { return (low, start + 1) }
        let marker = try slice(start + 1, 1)[start + 1]
        guard marker >> 4 == 1, marker & 0xF <= 3 else { throw fault("A count is no whole number", start + 1) }
        let size = 1 << Int(marker & 0xF)
        let number = Self.number(try slice(start + 2, size))
        guard number <= UInt64(bytes.count) else { throw fault("A count is larger than the property list", start) }
        return (Int(number), start + 2 + size)
    }

    private mutating func container(
        _ start: Int,
        isDictionary: Bool,
        depth: Int
    ) throws(PropertyListParsingError) -> (value: PropertyListValue, size: Int) {
        let (count, contents) = try count(start)
        let columns = isDictionary ? 2 : 1
        let (total, overflows) = (count * columns).multipliedReportingOverflow(by: referenceSize)
        guard !overflows else { throw fault("A count is larger than the property list", start) }
        let references = try slice(contents, total)
        var size = 1
        func reference(_ place: Int) throws(PropertyListParsingError) -> Int {
            let begin = references.startIndex + place * referenceSize
            let index = Self.number(references[begin..<begin + referenceSize])
            guard index < UInt64(objectCount) else { throw fault("A reference leads to no object", begin) }
            return Int(index)
        }
        // Every reference takes a byte or more, so that a list without shared containers has fewer values than bytes. One
        // with many more is made to grow when it is looked at.
        func add(_ inner: Int) throws(PropertyListParsingError) {
            size += inner
            guard size <= 16 * bytes.count else {
                throw fault("Shared objects make more values than there are bytes", start)
            }
        }
        guard isDictionary else {
            var values: [PropertyListValue] = []
            values.reserveCapacity(count)
            for place in 0..<count {
                let (value, inner) = try object(try reference(place), depth: depth)
                try add(inner)
                values.append(value)
            }
            return (.array(values), size)
        }
        var values: [String: PropertyListValue] = [:]
        values.reserveCapacity(count)
        for place in 0..<count {
            let key = try object(try reference(place), depth: depth)
            guard case .string(let name) = key.value else { throw fault("A key is no text", contents) }
            let (value, inner) = try object(try reference(count + place), depth: depth)
            try add(inner)
            values[name] = value
        }
        return (.dictionary(values), size)
    }

    private func scalar(_ marker: UInt8, _ start: Int) throws(PropertyListParsingError) -> PropertyListValue {
        let low = Int(marker & 0xF)
        switch marker >> 4 {
        case 0 where marker == 0x08: return .boolean(false)
        case 0 where marker == 0x09: return .boolean(true)
        case 1 where low <= 4:
            let digits = try slice(start + 1, 1 << low)
            let number = Self.number(digits)
            // Of sixteen bytes the first eight say that the number is unsigned.
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
            guard seconds.isFinite else { throw fault("A date is no number", start) }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 4:
            let (count, contents) = try count(start)
            return .data(Data(try slice(contents, count)))
        case 5:
            let (count, contents) = try count(start)
            let text = try slice(contents, count)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw fault("A text is not ASCII", start) }
            return .string(String(decoding: text, as: UTF8.self))
        case 6:
            let (count, contents) = try count(start)
            let text = Data(try slice(contents, count * 2))
            guard let string = try? Charset.utf16BigEndian.decode(text) else {
                throw fault("A text is not UTF-16", start)
            }
            // A mark is part of a text in memory.
            return .string(text.starts(with: [0xFE, 0xFF]) ? "\u{FEFF}" + string : string)
        case 8:
            guard low < 8 else { throw fault("A reference has more than 64 bits", start) }
            return .uid(Self.number(try slice(start + 1, low + 1)))
        default: throw fault("An object of the unknown kind \(marker)", start)
        }
    }
}
