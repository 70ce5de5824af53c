import Bluebonnet

/// The data of a line for curl: the values of `-d`, `--data-urlencode` and their like, in one body
/// or one query.
struct CurlData {
    /// Reads a file whole; `-` is standard input.
    let read: (String) throws(CommandFailure) -> [UInt8]

    private(set) var bytes: [UInt8]?
    /// The file that is all of the data, unchanged.
    private(set) var file: String?

    init(read: @escaping (String) throws(CommandFailure) -> [UInt8]) {
        self.read = read
    }

    var isEmpty: Bool { bytes == nil && file == nil }

    /// Adds the value of an option for data.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    mutating func add(_ option: CurlLine.Option) throws(CommandFailure) {
        let path = option.value.first == UInt8(ascii: "@") ? try path(option.value.dropFirst(), option) : nil
        switch option.name {
        case .dataRaw: try append(option.value)
        case .dataURLEncode: try append(try encoded(option))
        case .dataBinary:
            guard let path else { return try append(option.value) }
            if isEmpty { file = path } else { try append(try read(path)) }
        case .json:
            // Values of --json are one text.
            guard let path else { return try append(option.value, separator: []) }
            if isEmpty { file = path } else { try append(try read(path), separator: []) }
        default:
            guard let path else { return try append(option.value) }
            // Curl leaves line ends out.
            try append(try read(path).filter { ![0, 0x0A, 0x0D].contains($0) })
        }
    }

    /// All data in memory.
    mutating func collect() throws(CommandFailure) -> [UInt8] {
        if let file { bytes = try read(file) }
        file = nil
        return bytes ?? []
    }

    private mutating func append(_ value: [UInt8], separator: [UInt8] = [UInt8(ascii: "&")]) throws(CommandFailure) {
        if !isEmpty { bytes = try collect() + separator }
        bytes = (bytes ?? []) + value
    }

    private func path(_ bytes: ArraySlice<UInt8>, _ option: CurlLine.Option) throws(CommandFailure) -> String {
        guard let path = String(validating: bytes, as: UTF8.self), !path.isEmpty else {
            throw .usage("\(option.written) has no name of a file behind “@”.")
        }
        return path
    }

    /// The data of `--data-urlencode`, which is `content`, `=content`, `name=content`, `@file` or
    /// `name@file`.
    func encoded(_ option: CurlLine.Option) throws(CommandFailure) -> [UInt8] {
        let value = option.value
        let signs = [UInt8(ascii: "="), UInt8(ascii: "@")]
        guard let position = value.firstIndex(where: signs.contains) else { return Self.escaped(value) }
        let rest = value[(position + 1)...]
        let content = value[position] == UInt8(ascii: "=") ? Array(rest) : try read(try path(rest, option))
        let name = value[..<position]
        return name.isEmpty ? Self.escaped(content) : name + [UInt8(ascii: "=")] + Self.escaped(content)
    }

    /// The percent-encoding of curl, with a plus sign for a space.
    private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.append(byte)
            case UInt8(ascii: " "): text.append(UInt8(ascii: "+"))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += Array("%\(byte < 16 ? "0" : "")\(digits)".utf8)
            }
        }
        return text
    }
}
