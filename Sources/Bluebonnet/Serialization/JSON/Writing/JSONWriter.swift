/// Writes JSON values as UTF-8.
struct JSONWriter {
    /// Values nested deeper than this are refused, as the parser refuses them.
    static let maximumDepth = JSONTape.largestDepth

    private let options: JSONWritingOptions
    /// Whether infinity and NaN are written as words that are not JSON, for descriptions, and not
    /// refused.
    private let isLenient: Bool
    private(set) var bytes: [UInt8] = []
    private var depth = 0
    /// After a failure, the path of the value, its last part first.
    private var path: [String] = []

    init(options: JSONWritingOptions, isLenient: Bool = false) {
        self.options = options
        self.isLenient = isLenient
    }

    /// Appends a value.
    mutating func write(_ value: JSONValue) throws(JSONWritingError) {
        do {
            try writeValue(value)
        } catch {
            throw JSONWritingError(message: error.message, path: CodingPath.text(of: path.reversed()))
        }
    }

    private mutating func writeValue(_ value: JSONValue) throws(JSONWritingError) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .number(let number): try write(number)
        case .string(let string): write(string)
        case .array(let array): try write(array)
        case .object(let object): try write(object)
        }
    }

    private mutating func write(_ number: JSONNumber) throws(JSONWritingError) {
        guard number.isFinite || isLenient else {
            throw JSONWritingError(message: "JSON has no number for \(number)", path: "")
        }
        append(number.description)
    }

    private mutating func write(_ array: [JSONValue]) throws(JSONWritingError) {
        try enter()
        guard !array.isEmpty else {
            depth -= 1
            return append("[]")
        }
        bytes.append(UInt8(ascii: "["))
        for (position, element) in array.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            do {
                try writeValue(element)
            } catch {
                path.append("[\(position)]")
                throw error
            }
        }
        depth -= 1
        breakLine()
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSONObject) throws(JSONWritingError) {
        try enter()
        guard !object.isEmpty else {
            depth -= 1
            return append("{}")
        }
        bytes.append(UInt8(ascii: "{"))
        let pairs = options.contains(.sortedKeys) ? object.pairs.sorted { $0.key < $1.key } : object.pairs
        for (position, pair) in pairs.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            write(pair.key)
            append(options.contains(.prettyPrinted) ? ": " : ":")
            do {
                try writeValue(pair.value)
            } catch {
                path.append(pair.key.shortened)
                throw error
            }
        }
        depth -= 1
        breakLine()
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func enter() throws(JSONWritingError) {
        guard depth < Self.maximumDepth else {
            throw JSONWritingError(message: "The value is nested deeper than \(Self.maximumDepth) levels", path: "")
        }
        depth += 1
    }

    private mutating func breakLine() {
        guard options.contains(.prettyPrinted) else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a string between quotes, and escapes only the characters that RFC 8259 §7 demands.
    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        let escapesSlashes = options.contains(.escapingSlashes)
        if string.utf8.allSatisfy({ !Self.needsEscape($0, escapesSlashes) }) {
            bytes.append(contentsOf: string.utf8)
        } else {
            for byte in string.utf8 {
                writeEscaped(byte, escapesSlashes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8, _ escapesSlashes: Bool) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || (escapesSlashes && byte == UInt8(ascii: "/"))
    }

    private mutating func writeEscaped(_ byte: UInt8, _ escapesSlashes: Bool) {
        guard Self.needsEscape(byte, escapesSlashes) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            append("u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(Array("0123456789abcdef".utf8)[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }
}
