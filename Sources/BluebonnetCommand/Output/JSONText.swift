import Bluebonnet

/// JSON as text for people: one line for each value, and colours, where the style has them. Keys
/// keep their order, numbers their digits.
struct JSONText {
    private let paint: Paint
    private let formats: Bool
    private var text = ""
    private var depth = 0

    private init(_ style: OutputStyle) {
        paint = Paint(isOn: style.colors)
        formats = style.formats
    }

    /// Writes a value.
    static func render(_ value: JSONValue, style: OutputStyle) -> String {
        var writer = JSONText(style)
        writer.write(value)
        return writer.text
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null, .bool: text += paint(value.description, .word)
        case .number: text += paint(value.description, .number)
        case .string: text += paint(value.description, .string)
        case .array(let elements):
            write(elements, between: "[", and: "]") { writer, element in writer.write(element) }
        case .object(let object):
            write(object, between: "{", and: "}") { writer, pair in
                writer.text += writer.paint(JSONValue.string(pair.key).description, .key)
                writer.text += writer.formats ? ": " : ":"
                writer.write(pair.value)
            }
        }
    }

    private mutating func write<Elements: Collection>(
        _ elements: Elements,
        between open: String,
        and close: String,
        writeElement: (inout JSONText, Elements.Element) -> Void
    ) {
        text += open
        guard !elements.isEmpty else {
            text += close
            return
        }
        depth += 1
        var isFirst = true
        for element in elements {
            if !isFirst { text += "," }
            isFirst = false
            breakLine()
            writeElement(&self, element)
        }
        depth -= 1
        breakLine()
        text += close
    }

    private mutating func breakLine() {
        guard formats else { return }
        text += "\n"
        text += String(repeating: "  ", count: depth)
    }
}
