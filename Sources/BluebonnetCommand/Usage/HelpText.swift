/// The help of a command as ArgumentParser writes it, in a better order, or short.
struct HelpText {
    /// A part of the help under its heading, such as `ARGUMENTS:`.
    private struct Section {
        var heading: String
        var lines: [Substring] = []
    }

    /// What is in front of the first heading: overview and usage.
    private var beginning: [Substring] = []
    private var sections: [Section] = []

    /// - Parameter help: The text of ArgumentParser. One that is not help stays as it is.
    init(_ help: String) {
        guard help.hasPrefix("OVERVIEW: ") || help.hasPrefix("USAGE: ") else {
            beginning = [help[...]]
            return
        }
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix(":"), line.utf8.allSatisfy({ Self.isOfHeading($0) }) {
                sections.append(Section(heading: String(line)))
            } else if sections.isEmpty {
                beginning.append(line)
            } else {
                sections[sections.count - 1].lines.append(line)
            }
        }
        while beginning.last?.isEmpty == true { beginning.removeLast() }
        for index in sections.indices {
            while sections[index].lines.last?.isEmpty == true { sections[index].lines.removeLast() }
        }
        // ArgumentParser puts the options without a title behind all others. Where they are more
        // than the first of those, they are what most people look for.
        if let own = sections.firstIndex(where: { $0.heading == "OPTIONS:" }),
            let first = sections.firstIndex(where: { $0.heading.hasSuffix(" OPTIONS:") }), first < own,
            sections[own].lines.count > sections[first].lines.count
        {
            sections.insert(sections.remove(at: own), at: first)
        }
    }

    private static func isOfHeading(_ byte: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":")
    }

    /// The whole help.
    var full: String {
        let parts = sections.map { ([$0.heading[...]] + $0.lines).joined(separator: "\n") }
        return ([beginning.joined(separator: "\n")] + parts).joined(separator: "\n\n")
    }

    /// Usage, arguments, and options with the beginning of what is said about each.
    ///
    /// - Parameter command: The words of the command, such as `bluebonnet get`.
    /// - Returns: The text.
    func short(of command: String) -> String {
        let usage = beginning.drop { !$0.hasPrefix("USAGE:") }.prefix { !$0.isEmpty }
        let parts = sections.map { section in
            let isOfOptions = section.heading.hasSuffix("OPTIONS:")
            let lines = isOfOptions ? Self.entries(section.lines).map(Self.shortened) : section.lines.map(String.init)
            return ([section.heading] + lines).joined(separator: "\n")
        }
        let more = "“\(command) --help” says more about each option, and shows examples."
        return ([usage.joined(separator: "\n")] + parts + [more]).joined(separator: "\n\n")
    }

    /// The column in which the descriptions begin, and the columns of a terminal behind it.
    private static let column = 26
    private static let room = 80 - column

    /// The names of each entry of a section, and its description.
    private static func entries(_ lines: [Substring]) -> [(names: String, text: String)] {
        var entries: [(names: String, text: String)] = []
        for line in lines {
            let text = line.drop { $0 == " " }
            let indentation = line.utf8.count - text.utf8.count
            if indentation == 2, text.hasPrefix("-") {
                let names = line.prefix(column)
                let rest = line.dropFirst(column)
                // Longer names have lines of their own.
                let isTwo = names.last == " " && !rest.isEmpty && rest.first != "<" && rest.first != "-"
                entries.append(isTwo ? (trimmed(names), String(rest)) : (trimmed(line), ""))
            } else if indentation == column, let last = entries.indices.last {
                entries[last].text += entries[last].text.isEmpty ? text : " \(text)"
            }
        }
        return entries
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(separator: " ").joined(separator: " ")
    }

    /// The entry with the first sentence of its description, or as much as a line takes of it, up
    /// to a comma, and not into a list.
    private static func shortened(_ entry: (names: String, text: String)) -> String {
        let sentence = entry.text.firstRange(of: ". ").map { entry.text[..<$0.lowerBound] } ?? entry.text[...]
        let ends = sentence.indices.filter { index in
            let rest = sentence[index...]
            return [", ", "; ", ": ", " ("].contains { rest.hasPrefix($0) }
        }
        let list = [": ", "; "].compactMap { sentence.firstRange(of: $0)?.lowerBound }.min() ?? sentence.endIndex
        let shorter = ends.filter { $0 <= list }.map { sentence[..<$0] }
        let text = ([sentence] + shorter.reversed()).first { $0.count <= room } ?? shorter.first ?? sentence
        let blanks = String(repeating: " ", count: column)
        let names = "  \(entry.names)"
        let gap = names.count < column ? String(blanks.dropFirst(names.count)) : "\n\(blanks)"
        return names + gap + wrapped(text.hasSuffix(".") ? text.dropLast() : text, behind: blanks)
    }

    /// The text in lines that a terminal takes.
    private static func wrapped(_ text: Substring, behind blanks: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if !line.isEmpty, line.count + word.count >= room {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] += line.isEmpty ? word : " \(word)"
            }
        }
        return lines.joined(separator: "\n\(blanks)")
    }
}
