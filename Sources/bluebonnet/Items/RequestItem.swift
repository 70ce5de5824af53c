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
    /// `Name:` leaves out a field that would be sent by itself.
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
    /// In the order in which they are tried where several match at one place: the longer first.
    private static let separators = [":=@", "==@", ":=", "==", "=@", ":@", ":", "=", "@", ";"].map { Array($0) }

    /// Reads an item.
    ///
    /// The separator that comes first decides, the longest where several begin at one place. A backslash takes the meaning from
    /// a separator behind it (`a\:b:c` is the header `a:b`); before any other character it is a character like others.
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
                throw .usage("“\(argument)”: “\(name);” is a header without a value; write “\(name):value” for one.")
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
        if separator.hasSuffix("@"), rest.isEmpty { throw .usage("“\(argument)” names no file after “@”.") }
    }

    private static func file(_ name: String, _ rest: String) -> RequestItem {
        let parts = rest.split(separator: ";type=", maxSplits: 1)
        guard parts.count == 2 else { return .file(name: name, path: rest, mimeType: nil) }
        return .file(name: name, path: String(parts[0]), mimeType: String(parts[1]))
    }

    /// The name with its escapes undone, the separator, and what follows as it is.
    private static func split(_ argument: String) -> (name: String, separator: String, rest: String)? {
        let characters = Array(argument)
        var name = ""
        var position = 0
        while position < characters.count {
            if characters[position] == "\\", let escaped = separator(in: characters, at: position + 1) {
                name += String(escaped)
                position += 1 + escaped.count
            } else if let found = separator(in: characters, at: position) {
                return (name, String(found), String(characters[(position + found.count)...]))
            } else {
                name.append(characters[position])
                position += 1
            }
        }
        return nil
    }

    private static func separator(in characters: [Character], at position: Int) -> [Character]? {
        separators.first { characters[min(position, characters.count)...].starts(with: $0) }
    }
}
