extension XMLEventReader {
    // MARK: Text and references

    /// Text up to the next markup or the end.
    mutating func readText() throws(XMLParsingError) -> String {
        var text: [UInt8] = []
        while let byte = input.peek, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                try readReference(into: &text, isAttribute: false)
            } else {
                let place = input.position
                guard byte != UInt8(ascii: "]") || !input.has("]]>") else {
                    throw input.error(.malformed, "“]]>” is not allowed in text", at: place)
                }
                try input.character(into: &text)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    mutating func readAttributeValue() throws(XMLParsingError) -> String {
        guard let quote = input.peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw input.error(.malformed, "Expected a quoted value")
        }
        input.advance()
        var value: [UInt8] = []
        while let byte = input.peek, byte != quote {
            switch byte {
            case UInt8(ascii: "&"): try readReference(into: &value, isAttribute: true)
            case UInt8(ascii: "<"): throw input.error(.malformed, "“<” is not allowed in an attribute")
            default:
                let start = value.count
                try input.character(into: &value)
                // XML 1.0 §3.3.3.
                if value.count == start + 1, XMLInput.isBlank(value[start]) { value[start] = UInt8(ascii: " ") }
            }
        }
        guard input.peek != nil else { throw input.error(.malformed, "The document ends inside an attribute") }
        input.advance()
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func readReference(into text: inout [UInt8], isAttribute: Bool) throws(XMLParsingError) {
        let place = input.position
        input.advance()
        let name = try input.referenceName(at: place)
        if name.hasPrefix("#") {
            text.append(contentsOf: try characterReference(name, at: place))
        } else {
            try expand(name, into: &text, isAttribute: isAttribute, depth: 0, at: place)
        }
    }

    func characterReference(_ name: String, at place: Int) throws(XMLParsingError) -> [UInt8] {
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        let isSigned = digits.hasPrefix("+") || digits.hasPrefix("-")
        guard !isSigned, let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number), XMLInput.isCharacter(scalar)
        else { throw input.error(.malformed, "“&\(name.shortened);” is not a character", at: place) }
        return Array(String(scalar).utf8)
    }

    private static let predefined: [String: UInt8] = [
        "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "amp": UInt8(ascii: "&"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    private static let maximumEntityDepth = 20

    private mutating func expand(
        _ name: String,
        into text: inout [UInt8],
        isAttribute: Bool,
        depth: Int,
        at place: Int
    ) throws(XMLParsingError) {
        if let byte = Self.predefined[name] {
            text.append(byte)
            return
        }
        switch entities[XMLNameKey(name)] {
        case nil: throw input.error(.undefinedEntity, "The entity “\(name.shortened)” is not declared", at: place)
        case .external:
            throw input.error(
                .externalEntity,
                "The entity “\(name.shortened)” is outside the document, and is never loaded",
                at: place
            )
        case .text(let replacement):
            guard depth < Self.maximumEntityDepth else {
                throw input.error(.limitExceeded, "Entities refer to each other too deeply or to themselves", at: place)
            }
            expansionLeft -= max(replacement.count, 1)
            guard expansionLeft >= 0 else {
                let message = "Entities expand to more than \(limits.entityExpansion) bytes"
                throw input.error(.limitExceeded, message, at: place)
            }
            var rest = replacement[...]
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "<"):
                    throw input.error(
                        .externalEntity,
                        "The entity “\(name.shortened)” has markup, which is never expanded",
                        at: place
                    )
                case UInt8(ascii: "&"):
                    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
                        throw input.error(
                            .malformed,
                            "The entity “\(name.shortened)” has a reference without end",
                            at: place
                        )
                    }
                    let inner = String(decoding: rest[..<end], as: UTF8.self)
                    rest = rest[(end + 1)...]
                    if inner.hasPrefix("#") {
                        text.append(contentsOf: try characterReference(inner, at: place))
                    } else {
                        try expand(inner, into: &text, isAttribute: isAttribute, depth: depth + 1, at: place)
                    }
                default: text.append(isAttribute && XMLInput.isBlank(byte) ? UInt8(ascii: " ") : byte)
                }
            }
        }
    }

    // MARK: Comments and instructions

    mutating func readComment() throws(XMLParsingError) -> String {
        let text = try input.text(upTo: "--", of: "comment")
        try input.expect(">", "after “--” in a comment")
        return text
    }

    mutating func readInstruction() throws(XMLParsingError) -> XMLEvent {
        let place = input.position
        let target = try input.name()
        // Namespaces in XML §7.
        guard !target.utf8.contains(UInt8(ascii: ":")) else {
            throw input.error(.malformed, "The instruction “\(target.shortened)” has a colon in its name", at: place)
        }
        guard target.lowercased() != "xml" else {
            throw input.error(.malformed, "The XML declaration is not at the beginning", at: place)
        }
        guard input.skipBlanks() else {
            try input.expect("?>", "in the instruction “\(target.shortened)”")
            return .processingInstruction(target: target, data: "")
        }
        return .processingInstruction(target: target, data: try input.text(upTo: "?>", of: "instruction"))
    }
}
