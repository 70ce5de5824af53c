/// A word of an XPath expression (XPath 1.0 §3.7).
enum XPathToken: Equatable, Sendable {
    case symbol(String)
    /// A name that may have a prefix; `*` as local name for `prefix:*`.
    case name(String)
    case literal(String)
    case number(Double)
    case end

    /// Splits an expression into words.
    static func tokens(of text: String) throws(XPathError) -> [XPathToken] {
        var tokens: [XPathToken] = []
        let scalars = Array(text.unicodeScalars)
        var place = 0
        func has(_ symbol: String) -> Bool { scalars[place...].starts(with: symbol.unicodeScalars) }
        func string(_ range: Range<Int>) -> String {
            var string = ""
            string.unicodeScalars.append(contentsOf: scalars[range])
            return string
        }
        while place < scalars.count {
            let scalar = scalars[place]
            if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
                place += 1
            } else if scalar == "\"" || scalar == "'" {
                guard let end = scalars[(place + 1)...].firstIndex(of: scalar) else {
                    throw XPathError("“\(text)” has a text without end")
                }
                tokens.append(.literal(string(place + 1..<end)))
                place = end + 1
            } else if isDigit(scalar) || (scalar == "." && place + 1 < scalars.count && isDigit(scalars[place + 1])) {
                let start = place
                while place < scalars.count, isDigit(scalars[place]) { place += 1 }
                if place < scalars.count, scalars[place] == "." {
                    place += 1
                    while place < scalars.count, isDigit(scalars[place]) { place += 1 }
                }
                tokens.append(.number(XPathNumber.parse(string(start..<place))))
            } else if isNameStart(scalar) {
                let start = place
                while place < scalars.count, isNamePart(scalars[place]) { place += 1 }
                // A single colon ends a prefix, `::` the name of an axis.
                if place + 1 < scalars.count, scalars[place] == ":",
                    isNameStart(scalars[place + 1]) || scalars[place + 1] == "*"
                {
                    place += 2
                    if scalars[place - 1] != "*" {
                        while place < scalars.count, isNamePart(scalars[place]) { place += 1 }
                    }
                }
                tokens.append(.name(string(start..<place)))
            } else if let symbol = symbols.first(where: has) {
                tokens.append(.symbol(symbol))
                place += symbol.unicodeScalars.count
            } else {
                throw XPathError("“\(scalar)” is not expected in “\(text)”")
            }
        }
        return tokens + [.end]
    }

    private static let symbols = [
        "::", "//", "..", "!=", "<=", ">=", "(", ")", "[", "]", ".", "@", ",", "/", "|", "+", "-", "=", "<", ">", "*",
    ]

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || (scalar.value > 0x7F && scalar.properties.isXIDStart)
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        isNameStart(scalar) || isDigit(scalar) || scalar == "-" || scalar == "." || scalar.value == 0xB7
            || (scalar.value > 0x7F && scalar.properties.isXIDContinue)
    }
}
