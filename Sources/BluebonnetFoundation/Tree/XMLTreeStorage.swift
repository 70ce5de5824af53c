import Bluebonnet

/// The nodes of a tree in the order of the document, made once and never changed.
final class XMLTreeStorage: Sendable {
    enum Content: Sendable {
        case document
        case element(XMLStartElement)
        case attribute(XMLAttribute)
        case text(String)
        case comment(String)
        case instruction(target: String, data: String)
    }

    struct Record: Sendable {
        var content: Content
        /// The place of the parent; that of the document is itself.
        var parent: Int
        /// How many attributes follow an element right away.
        var attributeCount = 0
        var children: [Int] = []
        /// The place after the last node inside this one.
        var end: Int
    }

    let records: [Record]
    let rootIndex: Int

    init(_ reader: XMLEventReader) throws(XMLParsingError) {
        var reader = reader
        var records = [Record(content: .document, parent: 0, end: 1)]
        var open = [0]
        var rootIndex = 0
        func append(_ content: Content) -> Int {
            let parent = open.last ?? 0
            let index = records.count
            // XPath knows one text where the document has text and CDATA beside each other (XPath 1.0 §5.7).
            if case .text(let more) = content, let last = records[parent].children.last,
                case .text(let text) = records[last].content
            {
                records[last].content = .text(text + more)
                return last
            }
            records.append(Record(content: content, parent: parent, end: index + 1))
            records[parent].children.append(index)
            return index
        }
        while let event = try reader.next() {
            switch event {
            case .startElement(let element):
                let index = append(.element(element))
                if open.count == 1 { rootIndex = index }
                records[index].attributeCount = element.attributes.count
                for attribute in element.attributes {
                    records.append(Record(content: .attribute(attribute), parent: index, end: records.count + 1))
                }
                open.append(index)
            case .endElement: records[open.removeLast()].end = records.count
            case .characters(let text), .cdata(let text): if !text.isEmpty { _ = append(.text(text)) }
            case .comment(let text): _ = append(.comment(text))
            case .processingInstruction(let target, let data): _ = append(.instruction(target: target, data: data))
            }
        }
        records[0].end = records.count
        self.records = records
        self.rootIndex = rootIndex
    }

    /// The attributes of an element, which follow it.
    func attributes(of index: Int) -> Range<Int> {
        index + 1..<index + 1 + records[index].attributeCount
    }

    func isAttribute(_ index: Int) -> Bool {
        if case .attribute = records[index].content { true } else { false }
    }

    func name(_ index: Int) -> XMLName? {
        switch records[index].content {
        case .element(let element): element.name
        case .attribute(let attribute): attribute.name
        case .instruction(let target, _): XMLName(target)
        default: nil
        }
    }

    /// XPath 1.0 §5.
    func string(_ index: Int) -> String {
        switch records[index].content {
        case .attribute(let attribute): return attribute.value
        case .text(let text), .comment(let text): return text
        case .instruction(_, let data): return data
        case .document, .element:
            var string = ""
            for record in records[index..<records[index].end] {
                if case .text(let text) = record.content { string += text }
            }
            return string
        }
    }
}
