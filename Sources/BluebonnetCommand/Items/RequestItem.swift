/// One argument after the URL, in HTTPie's syntax: what it adds to the request, still as text.
enum RequestItem: Equatable, Sendable {
    /// Where the value of an item comes from.
    enum Value: Equatable, Sendable {
        case text(String)
        /// The contents of the file at a path; `-` is standard input.
        case file(String)
    }

    /// `Name:value` or `Name:@path`.
    case header(name: String, value: Value)
    /// `Name:` leaves out a header field that is sent by default.
    case unsetHeader(name: String)
    /// `Name;` sends the field with an empty value.
    case emptyHeader(name: String)
    /// `name==value` or `name==@path`.
    case query(name: String, value: Value)
    /// `name=value` or `name=@path`: a string.
    case field(name: String, value: Value)
    /// `name:=json` or `name:=@path`: any JSON.
    case jsonField(name: String, value: Value)
    /// `@path`: the file is the whole body.
    case body(path: String)
    /// `name@path`, also with `;type=image/png` and `;filename=cat.png` behind it: a file as a part
    /// of a multipart form.
    case file(name: String, file: PartFile)

    /// A text as a part of a multipart form, with its type. No item of the command line has one.
    case part(name: String, value: Value, type: String?)

    /// A file as a part of a form, with its type and its name where they are given.
    struct PartFile: Equatable, Sendable {
        var path: String
        var type: String?
        var name: String?
    }
}

extension RequestItem {
    /// Longer separators come before their beginnings: the first match is taken.
    private static let separators = [":=@", "==@", ":=", "==", "=@", ":@", ":", "=", "@", ";"]
        .map(\.unicodeScalars)

    /// The characters of separators, from which a backslash takes the meaning.
    private static let special: Set<Unicode.Scalar> = [":", ";", "=", "@"]

    /// Reads an item.
    ///
    /// The first separator decides, the longest where several begin at one place. A backslash
    /// before a character of a separator makes it plain text, in the name and in the value
    /// (`a\:b:c` is the header `a:b`); before any other character it stays.
    ///
    /// - Parameter argument: The argument as the shell passes it.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(_ argument: String) throws(CommandFailure) {
        guard let (name, separator, rest) = Self.split(argument) else {
            throw .usage(
                "“\(argument)” is not an item; write Name:value, name==value, name=value, name:=json, name@file or @file."
            )
        }
        if separator == ":", ["http", "https"].contains(name.lowercased()), rest.utf8.starts(with: "//".utf8) {
            throw .usage("“\(argument)” is a second URL; a request has one. “download” and “batch” take several.")
        }
        guard !name.isEmpty || separator == "@" else {
            let isURL = separator == ":" && rest.first.map { $0.isNumber || $0 == "/" } == true
            let advice = isURL ? " The URL comes first, and there is only one." : ""
            throw .usage("“\(argument)” has no name before “\(separator)”.\(advice)")
        }
        switch separator {
        case ":" where rest.isEmpty: self = .unsetHeader(name: name)
        case ":": self = .header(name: name, value: .text(rest))
        case ":@": self = .header(name: name, value: .file(rest))
        case ";":
            guard rest.isEmpty else {
                throw .usage("“\(argument)”: “\(name);” is a header without a value; write “\(name):value” to set it.")
            }
            self = .emptyHeader(name: name)
        case "==": self = .query(name: name, value: .text(rest))
        case "==@": self = .query(name: name, value: .file(rest))
        case "=": self = .field(name: name, value: .text(rest))
        case "=@": self = .field(name: name, value: .file(rest))
        case ":=": self = .jsonField(name: name, value: .text(rest))
        case ":=@": self = .jsonField(name: name, value: .file(rest))
        default: self = name.isEmpty ? .body(path: rest) : Self.file(name, rest)
        }
        if separator.hasSuffix("@"), rest.isEmpty { throw .usage("“\(argument)” has no file name after “@”.") }
    }

    private static func file(_ name: String, _ rest: String) -> RequestItem {
        var file = PartFile(path: rest)
        // From the last one to the first, so that each value ends where the next one begins.
        while true {
            let marks = [";type=", ";filename="].compactMap { mark in file.path.utf8.ranges(of: mark.utf8).last }
            guard let range = marks.max(by: { $0.lowerBound < $1.lowerBound }) else { break }
            let value = file.path[range] == ";type=" ? \PartFile.type : \PartFile.name
            guard file[keyPath: value] == nil else { break }
            file[keyPath: value] = String(file.path[range.upperBound...])
            file.path = String(file.path[..<range.lowerBound])
        }
        return .file(name: name, file: file)
    }

    /// A character of an argument.
    private struct Sign {
        var scalar: Unicode.Scalar
        /// Whether it is plain text because of a backslash.
        var isPlain: Bool
    }

    /// The name, the separator and the rest, without the backslashes that had a meaning.
    ///
    /// Compares scalars, since a separator and a combining character at the beginning of the value
    /// are one `Character`.
    private static func split(_ argument: String) -> (name: String, separator: String, rest: String)? {
        let signs = signs(argument)
        for position in signs.indices {
            guard let found = separators.first(where: { isSeparator($0, in: signs[position...]) }) else { continue }
            return (text(signs[..<position]), String(found), text(signs[(position + found.count)...]))
        }
        return nil
    }

    private static func signs(_ argument: String) -> [Sign] {
        var signs: [Sign] = []
        var rest = argument.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let next = rest.popFirst() else {
                signs.append(Sign(scalar: scalar, isPlain: false))
                continue
            }
            // A backslash that stays has its next character with it: that one escapes nothing.
            if !special.contains(next) { signs.append(Sign(scalar: scalar, isPlain: true)) }
            signs.append(Sign(scalar: next, isPlain: true))
        }
        return signs
    }

    private static func isSeparator(_ separator: String.UnicodeScalarView, in signs: ArraySlice<Sign>) -> Bool {
        signs.count >= separator.count && zip(signs, separator).allSatisfy { !$0.isPlain && $0.scalar == $1 }
    }

    private static func text(_ signs: ArraySlice<Sign>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: signs.map(\.scalar))
        return String(text)
    }
}
