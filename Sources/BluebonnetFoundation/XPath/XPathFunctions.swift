import Bluebonnet
import Foundation

/// The functions of XPath 1.0 §4, without `id()`, which needs a DTD.
enum XPathFunctions {
    private static let argumentCounts: [String: ClosedRange<Int>] = [
        "last": 0...0, "position": 0...0, "count": 1...1, "local-name": 0...1, "namespace-uri": 0...1, "name": 0...1,
        "string": 0...1, "concat": 2...64, "starts-with": 2...2, "contains": 2...2, "substring-before": 2...2,
        "substring-after": 2...2, "substring": 2...3, "string-length": 0...1, "normalize-space": 0...1,
        "translate": 3...3, "boolean": 1...1, "not": 1...1, "true": 0...0, "false": 0...0, "lang": 1...1,
        "number": 0...1, "sum": 1...1, "floor": 1...1, "ceiling": 1...1, "round": 1...1,
    ]

    static func check(_ name: String, _ count: Int) throws(XPathError) {
        guard let counts = argumentCounts[name] else { throw XPathError("There is no function “\(name)”") }
        guard counts.contains(count) else { throw XPathError("“\(name)” does not take \(count) arguments") }
    }

    static func call(
        _ name: String,
        _ arguments: [XPathExpression],
        _ context: XPathContext,
        _ evaluator: inout XPathEvaluator
    ) throws(XPathError) -> XPathResult {
        switch name {
        case "last": return .number(Double(context.size))
        case "position": return .number(Double(context.position))
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "count": return .number(Double(try evaluator.nodes(arguments[0], context).count))
        case "sum":
            var sum = 0.0
            for node in try evaluator.nodes(arguments[0], context) {
                sum += try evaluator.number(of: .nodes([node]))
            }
            return .number(sum)
        case "boolean": return .boolean(try evaluator.boolean(arguments[0], context))
        case "not": return .boolean(!(try evaluator.boolean(arguments[0], context)))
        case "floor": return .number(try evaluator.number(arguments[0], context).rounded(.down))
        case "ceiling": return .number(try evaluator.number(arguments[0], context).rounded(.up))
        case "round": return .number(XPathNumber.rounded(try evaluator.number(arguments[0], context)))
        case "number":
            guard let argument = arguments.first else {
                return .number(try evaluator.number(of: .nodes([context.node])))
            }
            return .number(try evaluator.number(argument, context))
        case "local-name", "namespace-uri", "name": return .string(try nameText(name, arguments, context, &evaluator))
        case "lang": return .boolean(try isLanguage(try evaluator.string(arguments[0], context), context, &evaluator))
        default: return try text(name, arguments, context, &evaluator)
        }
    }

    private static func nameText(
        _ function: String,
        _ arguments: [XPathExpression],
        _ context: XPathContext,
        _ evaluator: inout XPathEvaluator
    ) throws(XPathError) -> String {
        var node: Int? = context.node
        if let argument = arguments.first { node = try evaluator.nodes(argument, context).first }
        guard let node, let name = evaluator.storage.name(node) else { return "" }
        try evaluator.spend(on: name.qualified)
        return switch function {
        case "local-name": name.local
        case "namespace-uri": name.namespace
        default: name.qualified
        }
    }

    /// Whether the nearest `xml:lang` is this language (XPath 1.0 §4.3).
    private static func isLanguage(
        _ language: String,
        _ context: XPathContext,
        _ evaluator: inout XPathEvaluator
    ) throws(XPathError) -> Bool {
        let language = Array(language.utf8.map(lowercased))
        var node = context.node
        while node != 0 {
            if case .element(let element) = evaluator.storage.records[node].content {
                try evaluator.spend(element.attributes.count)
                if let found = element["xml:lang"] {
                    let rest = found.utf8.dropFirst(language.count)
                    return found.utf8.lazy.map(lowercased).starts(with: language)
                        && (rest.isEmpty || rest.first == UInt8(ascii: "-"))
                }
            }
            try evaluator.spend(1)
            node = evaluator.storage.records[node].parent
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func text(
        _ name: String,
        _ arguments: [XPathExpression],
        _ context: XPathContext,
        _ evaluator: inout XPathEvaluator
    ) throws(XPathError) -> XPathResult {
        var texts: [String] = []
        // The numbers of `substring` are evaluated only where they are used: evaluating them twice
        // would double the cost with every level.
        let textual = name == "substring" ? arguments.prefix(1) : arguments[...]
        for argument in textual { texts.append(try evaluator.string(argument, context)) }
        if texts.isEmpty { texts.append(try evaluator.string(ofNode: context.node)) }
        for text in texts { try evaluator.spend(on: text) }
        let first = texts[0]
        switch name {
        // Each character costs something: a lookup in a table, an appended character, a comparison.
        case "translate", "substring": try evaluator.spend(first.utf8.count / 2)
        case "contains", "substring-before", "substring-after": try evaluator.spend(first.utf8.count / 8)
        default: break
        }
        switch name {
        case "string": return .string(first)
        case "concat":
            // A concatenation of concatenations doubles with every level; the cost of each has been
            // counted.
            return .string(texts.joined())
        case "starts-with":
            return .boolean(texts[1].isEmpty || first.unicodeScalars.starts(with: texts[1].unicodeScalars))
        case "contains": return .boolean(range(of: texts[1], in: first) != nil)
        case "substring-before":
            return .string(range(of: texts[1], in: first).map { String(first[..<$0.lowerBound]) } ?? "")
        case "substring-after":
            return .string(range(of: texts[1], in: first).map { String(first[$0.upperBound...]) } ?? "")
        case "string-length": return .number(Double(first.unicodeScalars.count))
        case "normalize-space": return .string(normalized(first))
        case "translate": return .string(translated(first, texts[1], texts[2]))
        default:
            let start = try evaluator.number(arguments[1], context)
            let length = arguments.count == 3 ? try evaluator.number(arguments[2], context) : nil
            return .string(substring(first, from: start, length: length))
        }
    }

    /// The place of a text in another. This is the search of Knuth, Morris and Pratt: both texts
    /// may come from the document, and a simple search costs the product of their lengths.
    private static func range(of word: String, in text: String) -> Range<String.Index>? {
        guard !word.isEmpty else { return text.startIndex..<text.startIndex }
        let word = Array(word.utf8)
        guard text.utf8.count >= word.count else { return nil }
        // For each prefix of the word, the length of its longest proper prefix that is also its
        // suffix.
        var borders = [0]
        var matched = 0
        for byte in word.dropFirst() {
            while matched > 0, word[matched] != byte { matched = borders[matched - 1] }
            if word[matched] == byte { matched += 1 }
            borders.append(matched)
        }
        matched = 0
        for (place, byte) in text.utf8.enumerated() {
            while matched > 0, word[matched] != byte { matched = borders[matched - 1] }
            if word[matched] == byte { matched += 1 }
            guard matched == word.count else { continue }
            let end = text.utf8.index(text.startIndex, offsetBy: place + 1)
            return text.utf8.index(end, offsetBy: -word.count)..<end
        }
        return nil
    }

    /// The words of a text with one space between them. White space is ASCII, so that bytes are
    /// compared.
    private static func normalized(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var isBetween = false
        for byte in text.utf8 {
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                isBetween = !bytes.isEmpty
            } else {
                if isBetween { bytes.append(0x20) }
                isBetween = false
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func translated(_ text: String, _ from: String, _ to: String) -> String {
        // Of two equal characters, the first counts (XPath 1.0 §4.2).
        let places = [Unicode.Scalar: Int](zip(from.unicodeScalars, 0...)) { first, _ in first }
        let to = Array(to.unicodeScalars)
        var result = ""
        for scalar in text.unicodeScalars {
            guard let place = places[scalar] else {
                result.unicodeScalars.append(scalar)
                continue
            }
            if place < to.count { result.unicodeScalars.append(to[place]) }
        }
        return result
    }

    /// The substring by XPath 1.0 §4.2: positions count from 1 and are rounded; NaN selects
    /// nothing.
    private static func substring(_ text: String, from start: Double, length: Double?) -> String {
        let first = XPathNumber.rounded(start)
        let end = length.map { first + XPathNumber.rounded($0) } ?? .infinity
        var result = ""
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            let position = Double(offset + 1)
            if position >= first, position < end { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
