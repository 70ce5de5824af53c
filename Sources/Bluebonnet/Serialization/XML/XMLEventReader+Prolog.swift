extension XMLEventReader {
    /// Checks and skips the XML declaration (XML 1.0 §2.8); `XMLInput` has read the encoding
    /// before.
    mutating func readDeclaration() throws(XMLParsingError) {
        guard input.has("<?xml"), let next = input.byte(after: 5), XMLInput.isBlank(next) else { return }
        _ = input.take("<?xml")
        var expected = ["version", "encoding", "standalone"][...]
        while true {
            let hasBlank = input.skipBlanks()
            if input.take("?>") { break }
            let place = input.position
            let name = try input.name()
            guard hasBlank, let index = expected.firstIndex(of: name), index == 0 || expected.first != "version" else {
                throw input.error(.malformed, "“\(name.shortened)” is not expected in the XML declaration", at: place)
            }
            expected = expected[(index + 1)...]
            input.skipBlanks()
            try input.expect("=", "in the XML declaration")
            input.skipBlanks()
            let value = try readLiteral()
            guard Self.isAllowed(name, value) else {
                let text = String(decoding: value, as: UTF8.self).shortened
                throw input.error(.malformed, "“\(text)” is not a value of “\(name)”", at: place)
            }
        }
        guard expected.first != "version" else { throw input.error(.malformed, "The XML declaration has no version") }
    }

    /// Whether the XML declaration may have such a value (XML 1.0 §2.8, §4.3.3, §2.9).
    private static func isAllowed(_ name: String, _ value: [UInt8]) -> Bool {
        switch name {
        case "version":
            return value.starts(with: "1.".utf8) && value.count > 2 && value.dropFirst(2).allSatisfy(ASCII.isDigit)
        case "encoding":
            guard let first = value.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20) else {
                return false
            }
            return value.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: ":") && XMLInput.isNameByte($0) }
        default: return value == Array("yes".utf8) || value == Array("no".utf8)
        }
    }

    /// Skips the document type, and keeps the entities that it declares (XML 1.0 §2.8, §4.2).
    mutating func readDocumentType() throws(XMLParsingError) {
        guard !hasDocumentType else { throw input.error(.malformed, "There are two document types") }
        hasDocumentType = true
        guard input.skipBlanks() else { throw input.error(.malformed, "Expected a name after “<!DOCTYPE”") }
        _ = try input.name()
        input.skipBlanks()
        _ = try readExternalIdentifier()
        input.skipBlanks()
        if input.take("[") { try readInternalSubset() }
        input.skipBlanks()
        try input.expect(">", "at the end of the document type")
    }

    /// Skips an external identifier (XML 1.0 §4.2.2); returns false without one.
    private mutating func readExternalIdentifier() throws(XMLParsingError) -> Bool {
        let isPublic = input.take("PUBLIC")
        guard isPublic || input.take("SYSTEM") else { return false }
        try expectBlank()
        if isPublic {
            let place = input.position
            guard try readLiteral().allSatisfy(Self.isPublicIdentifierByte) else {
                throw input.error(.malformed, "A public identifier has a character that is not allowed", at: place)
            }
            try expectBlank()
        }
        _ = try readLiteral()
        return true
    }

    private mutating func expectBlank() throws(XMLParsingError) {
        guard input.skipBlanks() else { throw input.error(.malformed, "Expected a blank in a declaration") }
    }

    private static func isPublicIdentifierByte(_ byte: UInt8) -> Bool {
        XMLInput.isNameByte(byte) || " \n-'()+,./:=?;!*#@$_%".utf8.contains(byte)
    }

    private mutating func readLiteral() throws(XMLParsingError) -> [UInt8] {
        guard let quote = input.peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw input.error(.malformed, "Expected a quoted text")
        }
        input.advance()
        var literal: [UInt8] = []
        while let byte = input.peek, byte != quote { try input.character(into: &literal) }
        guard input.peek != nil else { throw input.error(.malformed, "The document ends inside a quoted text") }
        input.advance()
        return literal
    }

    private mutating func readInternalSubset() throws(XMLParsingError) {
        while true {
            input.skipBlanks()
            if input.take("]") { return }
            if input.take("<!--") {
                _ = try readComment()
            } else if input.take("<?") {
                _ = try readInstruction()
            } else if input.take("<!ENTITY") {
                try readEntityDeclaration()
            } else if input.has("<!ELEMENT") || input.has("<!ATTLIST") || input.has("<!NOTATION") {
                try skipDeclaration()
            } else if input.peek == UInt8(ascii: "%") {
                throw input.error(.externalEntity, "Parameter entities are not expanded")
            } else {
                throw input.error(.malformed, "Expected a declaration in the document type")
            }
        }
    }

    private mutating func skipDeclaration() throws(XMLParsingError) {
        var skipped: [UInt8] = []
        while let byte = input.peek, byte != UInt8(ascii: ">") {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                _ = try readLiteral()
            } else {
                try input.character(into: &skipped)
            }
        }
        try input.expect(">", "at the end of a declaration")
    }

    private mutating func readEntityDeclaration() throws(XMLParsingError) {
        guard input.skipBlanks() else { throw input.error(.malformed, "Expected a name after “<!ENTITY”") }
        let isParameter = input.take("%")
        if isParameter { try expectBlank() }
        let place = input.position
        let name = try input.name()
        // Namespaces in XML §7.
        guard !name.utf8.contains(UInt8(ascii: ":")) else {
            throw input.error(.malformed, "The entity “\(name.shortened)” has a colon in its name", at: place)
        }
        guard input.skipBlanks() else {
            throw input.error(.malformed, "Expected the text of the entity “\(name.shortened)”")
        }
        let entity: XMLEntity
        if try readExternalIdentifier() {
            entity = .external
            if input.skipBlanks(), !isParameter, input.take("NDATA") {
                try expectBlank()
                _ = try input.name()
            }
        } else {
            let place = input.position
            let literal = try readLiteral()
            entity = .text(try resolvingCharacters(literal, at: place))
        }
        input.skipBlanks()
        try input.expect(">", "at the end of the entity “\(name.shortened)”")
        // The first declaration counts (XML 1.0 §4.2).
        if !isParameter, entities[XMLNameKey(name)] == nil { entities[XMLNameKey(name)] = entity }
    }

    /// Resolves character references in the text of an entity. References to entities are resolved
    /// where the entity is used (XML 1.0 §4.4.5, §4.4.7). A character reference to `<` in a
    /// declaration is therefore markup where the entity is used.
    private func resolvingCharacters(_ literal: [UInt8], at place: Int) throws(XMLParsingError) -> [UInt8] {
        guard !literal.contains(UInt8(ascii: "%")) else {
            throw input.error(.externalEntity, "Parameter entities are not expanded")
        }
        var text: [UInt8] = []
        var rest = literal[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                text.append(byte)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
                throw input.error(.malformed, "An entity has a reference without end", at: place)
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if name.utf8.first == UInt8(ascii: "#") {
                text += try characterReference(name, at: place)
            } else if XMLInput.isName(name) {
                text += Array("&\(name);".utf8)
            } else {
                throw input.error(.malformed, "“&\(name.shortened);” is not a reference", at: place)
            }
        }
        return text
    }
}

/// The declaration of an entity.
enum XMLEntity: Sendable {
    /// A text in UTF-8, its character references resolved and its entity references not.
    case text([UInt8])
    /// An entity outside the document, which is never loaded.
    case external
}
