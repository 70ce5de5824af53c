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
        /// The index of the parent; for the document, its own.
        var parent: Int
        /// The number of attributes, which follow their element.
        var attributeCount = 0
        var children: [Int] = []
        /// The children that are elements; the same array where all children are.
        var elements: [Int] = []
        /// The index after the last node inside this one.
        var end: Int
    }

    let records: [Record]
    let rootIndex: Int
    /// The number of bytes of all texts, with those of attributes and comments.
    let textSize: Int
    #if DEBUG
        /// The number of bytes that were moved to join texts, for the tests of the cost of a
        /// document.
        let gathered: Int
    #endif

    init(_ reader: XMLEventReader) throws(XMLParsingError) {
        var builder = Builder()
        try builder.read(reader)
        records = builder.records
        rootIndex = builder.rootIndex
        textSize = builder.textSize
        #if DEBUG
            gathered = builder.gathered
        #endif
    }

    private struct Builder {
        var records = [Record(content: .document, parent: 0, end: 1)]
        var rootIndex = 0
        var textSize = 0
        var gathered = 0
        private var open = [0]
        /// Text that is not a node yet. In XPath, text and CDATA beside each other are one text
        /// node (XPath 1.0 §5.7), and they come in any number of pieces.
        private var text = ""

        mutating func read(_ reader: XMLEventReader) throws(XMLParsingError) {
            var reader = reader
            while let event = try reader.next() {
                switch event {
                case .characters(let piece), .cdata(let piece):
                    // The first piece is usually the only one, and is not copied.
                    if text.isEmpty {
                        text = piece
                    } else {
                        text += piece
                        gathered += piece.utf8.count
                    }
                case .startElement(let element): start(element)
                case .endElement: end()
                case .comment(let text):
                    textSize += text.utf8.count
                    append(.comment(text))
                case .processingInstruction(let target, let data):
                    textSize += data.utf8.count
                    append(.instruction(target: target, data: data))
                }
            }
            records[0].end = records.count
            records[0].elements = [rootIndex]
        }

        private mutating func append(_ content: Content) {
            flush()
            add(content)
        }

        private mutating func flush() {
            guard !text.isEmpty else { return }
            textSize += text.utf8.count
            add(.text(text))
            text = ""
        }

        private mutating func add(_ content: Content) {
            let parent = open[open.count - 1]
            let index = records.count
            records.append(Record(content: content, parent: parent, end: index + 1))
            records[parent].children.append(index)
        }

        private mutating func start(_ element: XMLStartElement) {
            append(.element(element))
            let index = records.count - 1
            if open.count == 1 { rootIndex = index }
            records[index].attributeCount = element.attributes.count
            for attribute in element.attributes {
                textSize += attribute.value.utf8.count
                records.append(Record(content: .attribute(attribute), parent: index, end: records.count + 1))
            }
            open.append(index)
        }

        private mutating func end() {
            flush()
            let index = open.removeLast()
            records[index].end = records.count
            let children = records[index].children
            let count = children.count { isElement($0) }
            records[index].elements = count == children.count ? children : children.filter { isElement($0) }
        }

        private func isElement(_ index: Int) -> Bool {
            if case .element = records[index].content { true } else { false }
        }
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

    /// The string value of a node (XPath 1.0 §5).
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
