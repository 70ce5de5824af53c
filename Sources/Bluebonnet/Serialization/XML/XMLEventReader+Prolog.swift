extension XMLEventReader {
    /// Reads over the XML declaration (XML 1.0 §2.8); the encoding has been looked at before.
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
                throw input.error(.malformed, "“\(name)” is not expected in the XML declaration", at: place)
            }
            expected = expected[(index + 1)...]
            input.skipBlanks()
            try input.expect("=", "in the XML declaration")
            input.skipBlanks()
            let value = try readAttributeValue()
            guard name != "version" || value.hasPrefix("1.") else {
                throw input.error(.malformed, "XML \(value) is not known", at: place)
            }
        }
        guard expected.first != "version" else { throw input.error(.malformed, "The XML declaration has no version") }
    }

    /// Reads over the document type, keeping the entities it declares (XML 1.0 §2.8, §4.2).
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

    private mutating func readExternalIdentifier() throws(XMLParsingError) -> Bool {
        if input.take("SYSTEM") {
            input.skipBlanks()
            _ = try readLiteral()
            return true
        }
        guard input.take("PUBLIC") else { return false }
        input.skipBlanks()
        _ = try readLiteral()
        input.skipBlanks()
        if input.peek == UInt8(ascii: "\"") || input.peek == UInt8(ascii: "'") { _ = try readLiteral() }
        return true
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
        if isParameter { input.skipBlanks() }
        let name = try input.name()
        guard input.skipBlanks() else { throw input.error(.malformed, "Expected the text of the entity “\(name)”") }
        let entity: XMLEntity
        if try readExternalIdentifier() {
            entity = .external
            input.skipBlanks()
            if input.take("NDATA") {
                input.skipBlanks()
                _ = try input.name()
            }
        } else {
            entity = .text(try resolvingCharacters(try readLiteral()))
        }
        input.skipBlanks()
        try input.expect(">", "at the end of the entity “\(name)”")
        // The first declaration counts (XML 1.0 §4.2).
        if !isParameter, entities[name] == nil { entities[name] = entity }
    }

    /// Character references in a declaration are resolved where it stands (XML 1.0 §4.5). One that makes `<` or `&`
    /// stays as it is, so that it stays a character when the entity is used.
    private func resolvingCharacters(_ literal: [UInt8]) throws(XMLParsingError) -> [UInt8] {
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
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")), end > rest.startIndex else {
                throw input.error(.malformed, "An entity has a reference without end")
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            let isText = ["#60", "#x3c", "#x3C"].contains(name) || !name.hasPrefix("#")
            let isAmpersand = ["#38", "#x26"].contains(name)
            if isText {
                text += Array("&\(name);".utf8)
            } else if isAmpersand {
                text.append(UInt8(ascii: "&"))
            } else {
                text += try characterReference(name, at: input.position)
            }
        }
        return text
    }
}
