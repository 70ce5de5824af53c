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
    /// `name@path` or `name@path;type=image/png`: a file as a part of a multipart form.
    case file(name: String, path: String, mimeType: String?)
}

extension RequestItem {
    /// Longer separators come before their beginnings: the first match is taken.
    private static let separators = [":=@", "==@", ":=", "==", "=@", ":@", ":", "=", "@", ";"]
        .map { Array($0.unicodeScalars) }

    /// Reads an item.
    ///
    /// The first separator decides, the longest where several begin at one place. A backslash makes
    /// the separator after it plain text (`a\:b:c` is the header `a:b`); before any other
    /// character it has no meaning.
    ///
    /// - Parameter argument: The argument as the shell passes it.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(_ argument: String) throws(CommandFailure) {
        guard let (name, separator, rest) = Self.split(argument) else {
            throw .usage(
                "“\(argument)” is not an item; write Name:value, name==value, name=value, name:=json, name@file or @file."
            )
        }
        guard !name.isEmpty || separator == "@" else {
            throw .usage("“\(argument)” has no name before “\(separator)”.")
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
        let parts = rest.split(separator: ";type=", maxSplits: 1)
        guard parts.count == 2 else { return .file(name: name, path: rest, mimeType: nil) }
        return .file(name: name, path: String(parts[0]), mimeType: String(parts[1]))
    }

    /// The name with its escapes undone, the separator, and the rest as it is.
    ///
    /// Compares scalars, since a separator and a combining character at the beginning of the value
    /// are one `Character`.
    private static func split(_ argument: String) -> (name: String, separator: String, rest: String)? {
        let scalars = Array(argument.unicodeScalars)
        var name: [Unicode.Scalar] = []
        var position = 0
        while position < scalars.count {
            if scalars[position] == "\\", let escaped = separator(in: scalars, at: position + 1) {
                name += escaped
                position += 1 + escaped.count
            } else if let found = separator(in: scalars, at: position) {
                return (text(name), text(found), text(scalars[(position + found.count)...]))
            } else {
                name.append(scalars[position])
                position += 1
            }
        }
        return nil
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private static func separator(in scalars: [Unicode.Scalar], at position: Int) -> [Unicode.Scalar]? {
        separators.first { scalars[min(position, scalars.count)...].starts(with: $0) }
    }
}
