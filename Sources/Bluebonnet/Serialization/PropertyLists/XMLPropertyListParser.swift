import FoundationEssentials

/// Parses the XML form of property lists.
struct XMLPropertyListParser {
    private var reader: XMLEventReader
    private let maximumDepth: Int

    init(_ bytes: Data, maximumDepth: Int) {
        var limits = XMLLimits()
        // The root element and the key or scalar inside the deepest value do not count as depth.
        limits.depth = maximumDepth + 2
        limits.entityExpansion = 0
        reader = XMLEventReader(bytes, limits: limits)
        self.maximumDepth = maximumDepth
    }

    mutating func value() throws(PropertyListParsingError) -> PropertyListValue {
        guard let root = try nextElement(), case .start(let name) = root else { throw fault("There is no value") }
        let result: PropertyListValue
        if name == "plist" {
            guard case .start(let name) = try nextElement() else { throw fault("There is no value in “plist”") }
            result = try value(of: name)
            guard case .end = try nextElement() else { throw fault("There is more than one value in “plist”") }
        } else {
            result = try value(of: name)
        }
        guard try nextElement() == nil else { throw fault("There is another element after the value") }
        return result
    }

    /// A dictionary or an array that is being parsed.
    private struct Frame {
        let isDictionary: Bool
        var key = ""
        var values: [PropertyListValue] = []
        var dictionary: [String: PropertyListValue] = [:]

        mutating func add(_ value: PropertyListValue) {
            if isDictionary { dictionary[key] = value } else { values.append(value) }
        }

        var value: PropertyListValue {
            guard isDictionary else { return .array(values) }
            // A keyed archive writes references in this form.
            if dictionary.count == 1, case .integer(let uid)? = dictionary["CF$UID"], uid >= 0 {
                return .uid(UInt64(uid))
            }
            return .dictionary(dictionary)
        }
    }

    /// Parses a value. It is a loop and not a recursion: the stack must not depend on the depth of
    /// the property list.
    private mutating func value(of name: String) throws(PropertyListParsingError) -> PropertyListValue {
        var frames: [Frame] = []
        var name = name
        while true {
            var done: PropertyListValue?
            if name == "dict" || name == "array" {
                guard frames.count < maximumDepth else { throw fault("Values are nested deeper than \(maximumDepth)") }
                frames.append(Frame(isDictionary: name == "dict"))
            } else {
                done = try scalar(of: name)
            }
            while true {
                guard let top = frames.indices.last else {
                    guard let done else { throw fault("There is no value") }
                    return done
                }
                if let done { frames[top].add(done) }
                if let next = try nextValue(in: &frames[top]) {
                    name = next
                    break
                }
                done = frames.removeLast().value
            }
        }
    }

    /// The name of the next value in a container; nil at its end.
    private mutating func nextValue(in frame: inout Frame) throws(PropertyListParsingError) -> String? {
        guard case .start(let name) = try nextElement() else { return nil }
        guard frame.isDictionary else { return name }
        guard name == "key" else { throw fault("Expected a key but found “\(name.shortened)”") }
        frame.key = try text(of: name)
        guard case .start(let value) = try nextElement() else {
            throw fault("The key “\(frame.key.shortened)” has no value")
        }
        return value
    }

    private enum Tag: Equatable {
        case start(String)
        case end
    }

    private func fault(_ message: String) -> PropertyListParsingError {
        let (line, column) = reader.location
        return PropertyListParsingError("\(message) (line \(line), column \(column))")
    }

    private mutating func next() throws(PropertyListParsingError) -> XMLEvent? {
        do {
            return try reader.next()
        } catch {
            throw PropertyListParsingError(error.description, underlying: error)
        }
    }

    /// The next tag; between tags only blanks are allowed.
    private mutating func nextElement() throws(PropertyListParsingError) -> Tag? {
        while let event = try next() {
            switch event {
            case .startElement(let element): return .start(element.name.qualified)
            case .endElement: return .end
            case .characters(let text), .cdata(let text):
                guard text.utf8.allSatisfy(XMLInput.isBlank) else { throw fault("Expected a tag but found text") }
            case .comment, .processingInstruction: break
            }
        }
        return nil
    }

    /// The text up to the end tag of the element that was begun.
    private mutating func text(of name: String) throws(PropertyListParsingError) -> String {
        var text = ""
        while let event = try next() {
            switch event {
            case .endElement: return text
            case .characters(let piece), .cdata(let piece): text += piece
            case .startElement(let element):
                throw fault("“\(element.name.qualified.shortened)” is not allowed in “\(name)”")
            case .comment, .processingInstruction: break
            }
        }
        return text
    }

    private mutating func scalar(of name: String) throws(PropertyListParsingError) -> PropertyListValue {
        switch name {
        case "string": return .string(try text(of: name))
        case "integer": return try integer(try text(of: name))
        case "real":
            let text = Self.trimmed(try text(of: name))
            guard let number = Double(text) else { throw fault("“\(text.shortened)” is not a number") }
            return .real(number)
        case "true", "false":
            guard try text(of: name).isEmpty else { throw fault("“\(name)” is not empty") }
            return .boolean(name == "true")
        case "date":
            let text = Self.trimmed(try text(of: name))
            guard let date = PropertyListDate.parse(text) else { throw fault("“\(text.shortened)” is not a date") }
            return .date(date)
        case "data":
            let text = try text(of: name).utf8.filter { !XMLInput.isBlank($0) }
            guard let data = Data(base64Encoded: Data(text)) else { throw fault("The data is not Base64") }
            return .data(data)
        default: throw fault("“\(name.shortened)” is not an element of property lists")
        }
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8.drop(while: XMLInput.isBlank).reversed().drop(while: XMLInput.isBlank).reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }

    private func integer(_ text: String) throws(PropertyListParsingError) -> PropertyListValue {
        let text = Self.trimmed(text)
        let sign = text.hasPrefix("-") ? "-" : ""
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number = isHexadecimal ? digits.dropFirst(2) : digits
        guard number.first?.isHexDigit == true else { throw fault("“\(text.shortened)” is not a whole number") }
        let radix = isHexadecimal ? 16 : 10
        if let small = Int64(sign + number, radix: radix) { return .integer(small) }
        if let large = UInt64(sign + number, radix: radix) { return .unsignedInteger(large) }
        throw fault("“\(text.shortened)” is not a whole number of 64 bits")
    }
}
