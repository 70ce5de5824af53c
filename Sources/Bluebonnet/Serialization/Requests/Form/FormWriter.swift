import FoundationEssentials

/// Makes a name of the path of each value, and writes the pairs.
struct FormWriter {
    private(set) var output: [UInt8] = []

    /// The pairs themselves, not escaped, for the parts of a multipart form; a null has no content.
    /// Nil where the pairs are written as text.
    private(set) var pairs: [(name: String, content: Data)]?

    private let encoder: URLEncodedFormEncoder
    private let allowedInValues: URLEncodedFormEncoder.AllowedCharacters
    private let allowedInNames: URLEncodedFormEncoder.AllowedCharacters
    /// The name of the value that is being written, not escaped.
    private var name: [UInt8] = []

    init(_ encoder: URLEncodedFormEncoder, collectsPairs: Bool = false) {
        self.encoder = encoder
        pairs = collectsPairs ? [] : nil
        var allowed = encoder.allowedCharacters.subtracting(.neverAllowed)
        if encoder.spaceEncoding == .plusReplaced { allowed = allowed.subtracting("+") }
        allowedInValues = allowed
        allowedInNames = allowed.subtracting("=")
    }

    /// Writes the top of a form.
    mutating func write(_ root: FormValue) {
        if case .object(let object) = root.resolved { write(object, isTop: true) }
    }

    private mutating func write(value: FormValue) {
        switch value {
        case .nothing: break
        case .null: writeNull()
        case .text(let text): writePair(text)
        case .data(let data): collectPair(data)
        case .array(let array) where array.isSet: writeSet(array.elements)
        case .array(let array): write(array.elements)
        case .object(let object): write(object, isTop: false)
        case .deferred: write(value: value.resolved)
        }
    }

    // MARK: Objects

    private mutating func write(_ object: FormObject, isTop: Bool) {
        let length = name.count
        for (key, value) in members(of: object) {
            if isTop {
                name += key.utf8
            } else {
                appendInner(key)
            }
            write(value: value)
            name.removeLast(name.count - length)
        }
    }

    private func members(of object: FormObject) -> [(key: String, value: FormValue)] {
        var members = object.pairs
        if case .useDefaultKeys = encoder.keyEncoding {
        } else {
            for index in members.indices { members[index].key = encoder.keyEncoding.encode(members[index].key) }
        }
        if encoder.sortsKeys { members.sort { QueryString.precedes($0.key, $1.key) } }
        return members
    }

    private mutating func appendInner(_ key: String) {
        switch encoder.keyPathEncoding {
        case .brackets:
            name.append(UInt8(ascii: "["))
            name += key.utf8
            name.append(UInt8(ascii: "]"))
        case .dots:
            name.append(UInt8(ascii: "."))
            name += key.utf8
        case .custom(let join):
            name += join(key).utf8
        }
    }

    // MARK: Arrays

    private mutating func write(_ elements: [FormValue]) {
        let length = name.count
        var index = 0
        for element in elements {
            let element = element.resolved
            if case .null = element, dropsNull { continue }
            switch encoder.arrayEncoding {
            case .noBrackets:
                write(value: element)
            case .brackets:
                name += "[]".utf8
                write(value: element)
                name.removeLast(name.count - length)
            case .indexInBrackets:
                name += "[\(index)]".utf8
                write(value: element)
                name.removeLast(name.count - length)
            case .custom(let makeName):
                let outer = name
                name = Array(makeName(String(decoding: outer, as: UTF8.self), index).utf8)
                write(value: element)
                name = outer
            }
            index += 1
        }
    }

    /// Writes the elements sorted, because the order of a set changes from run to run.
    private mutating func writeSet(_ elements: [FormValue]) {
        let sorted = elements.map { (text: sortingText(of: $0), element: $0) }
            .sorted { QueryString.precedes($0.text, $1.text) }
        for (_, element) in sorted { write(value: element) }
    }

    private func sortingText(of element: FormValue) -> String {
        if case .text(let text) = element.resolved { return text }
        if case .data(let data) = element.resolved { return data.base64EncodedString() }
        var writer = FormWriter(encoder)
        writer.write(value: element)
        return String(decoding: writer.output, as: UTF8.self)
    }

    // MARK: Pairs

    private var dropsNull: Bool {
        if case .dropKey = encoder.nilEncoding { true } else { false }
    }

    private mutating func writeNull() {
        switch encoder.nilEncoding {
        case .dropKey: break
        case .dropValue: writePair("")
        case .null: writePair("null")
        case .bareKey: if pairs == nil { writeName() } else { collectPair(Data()) }
        case .custom(let write):
            if let text = write() { writePair(text) }
        }
    }

    private mutating func collectPair(_ content: Data) {
        pairs?.append((String(decoding: name, as: UTF8.self), content))
    }

    private mutating func writePair(_ text: String) {
        guard pairs == nil else { return collectPair(Data(text.utf8)) }
        writeName()
        output.append(UInt8(ascii: "="))
        append(escaped: text.utf8, leaving: allowedInValues)
    }

    private mutating func writeName() {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        append(escaped: name, leaving: allowedInNames)
    }

    private mutating func append(
        escaped bytes: some Sequence<UInt8>,
        leaving allowed: URLEncodedFormEncoder.AllowedCharacters
    ) {
        for byte in bytes {
            if allowed.contains(byte) {
                output.append(byte)
            } else if byte == UInt8(ascii: " "), encoder.spaceEncoding == .plusReplaced {
                output.append(UInt8(ascii: "+"))
            } else {
                QueryString.append(percentEscaped: byte, to: &output)
            }
        }
    }
}
