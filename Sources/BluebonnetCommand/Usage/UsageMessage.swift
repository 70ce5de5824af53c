/// The message for arguments that cannot be used: a sentence, and a piece of advice.
struct UsageMessage {
    /// The message, without the name of the command in front.
    let text: String

    /// - Parameters:
    ///   - error: The message of ArgumentParser.
    ///   - command: The words that start the help of the command, such as `bluebonnet get`.
    ///   - options: Returns the options of the command, such as `--form`. Called where an option
    ///     does not exist, or may not.
    ///   - requestOptions: Returns those of requests, for another command. Default: none.
    ///   - arguments: The arguments: where one is missing, another may be an option that does not
    ///     exist. Default: none.
    init(
        _ error: String,
        command: String,
        options: () -> [String],
        requestOptions: () -> [String] = { [] },
        arguments: [String] = []
    ) {
        // Behind a line end are other ways to understand the arguments.
        let line = error.utf8.prefix { $0 != UInt8(ascii: "\n") }
        let sentence = Self.quoted(String(Substring(line)))
        let help = "“\(command) --help” lists the options."
        let unknown = Self.option(in: error) ?? Self.unknownOption(of: arguments, error, options)
        if let option = unknown ?? Self.foreignOption(of: arguments, options) {
            let beginning = "There is no option “\(option)”"
            if let hint = OptionHint.text(for: option) {
                text = "\(beginning). \(hint)"
            } else if requestOptions().contains(option) {
                text = "“\(command)” has no option “\(option)”; requests have it, such as “bluebonnet get”."
            } else if let nearest = Self.nearest(option, options()) {
                text = "\(beginning); did you mean “\(nearest)”?"
            } else {
                text = "\(beginning). \(help)"
            }
        } else if sentence.hasPrefix("Missing expected argument “"), let name = Self.quotation(in: error) {
            text = "The argument \(name) is missing. “\(command) --help” shows where it is written."
        } else if sentence.hasPrefix("Missing value for “"), let name = Self.quotation(in: error) {
            text = "The value of \(name) is missing. \(help)"
        } else if let flags = Self.flags(in: error) {
            text = "\(flags.0) and \(flags.1) cannot be used together."
        } else if let port = Self.port(in: error), options().contains("--port") {
            text = "\(Self.closed(sentence)) Write --port \(port)."
        } else if let fault = Self.valueFault(in: String(Substring(line)), otherwise: help) {
            text = fault
        } else if sentence.contains("nexpected argument") {
            text = "\(Self.closed(sentence)) \(help)"
        } else {
            text = Self.closed(sentence)
        }
    }

    /// The two flags that exclude each other, of which a message says that both are there.
    private static func flags(in message: String) -> (Substring, Substring)? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        return message.hasPrefix("Value to be set with flag '") && parts.count == 5 ? (parts[3], parts[1]) : nil
    }

    /// The unknown option that a message names.
    private static func option(in message: String) -> String? {
        message.hasPrefix("Unknown option '") ? quotation(in: message) : nil
    }

    /// The port that a message calls an unexpected argument: `8080`, `:8080`, `localhost:8080`.
    private static func port(in message: String) -> UInt16? {
        guard message.contains("nexpected argument") else { return nil }
        return message.split(separator: "'").lazy.compactMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }
            .first
    }

    /// The sentence about a value that an option cannot have, for a message such as “The value
    /// 'x' is invalid for '--auth-type <type>'. Please provide one of 'basic', 'digest' or
    /// 'bearer'.”
    private static func valueFault(in message: String, otherwise help: String) -> String? {
        // The value itself may have apostrophes.
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard message.hasPrefix("The value '"), let middle = parts.lastIndex(of: " is invalid for "),
            let words = parts[middle...].dropFirst().first?.split(separator: " "), let option = words.first
        else { return nil }
        let value = parts[1..<middle].joined(separator: "'")
        let texts = parts[middle...].dropFirst(3)
        let choices = texts.enumerated().filter { $0.offset % 2 == 0 }.dropLast(texts.count % 2).map(\.element)
        let wanted = choices.isEmpty ? kindsOfValues[words[words.count - 1]] : list(choices)
        let beginning = wanted.map { "\(option) must be \($0), not" } ?? "\(option) cannot be"
        let hint = OptionHint.text(forValueOf: String(option)) ?? (wanted == nil ? help : nil)
        return ["\(beginning) “\(value)”.", hint].compactMap(\.self).joined(separator: " ")
    }

    /// What options can have whose values are not listed, by the name of the value in the help.
    private static let kindsOfValues: [Substring: String] = [
        "<seconds>": "a number of seconds", "<bytes>": "a number of bytes", "<count>": "a whole number",
        "<number>": "a whole number", "<port>": "between 0 and 65535", "<parts>": "some of the letters HBhbm",
        "<number/unit>": "a number and a unit, as 10/s, 100/m or 5000/h",
    ]

    private static func list(_ choices: [Substring]) -> String {
        [choices.dropLast().joined(separator: ", "), String(choices.last ?? "")].joined(separator: " or ")
    }

    /// An option that does not exist, where ArgumentParser only says that an argument is missing.
    private static func unknownOption(
        of arguments: [String],
        _ message: String,
        _ options: () -> [String]
    ) -> String? {
        guard message.hasPrefix("Missing expected argument '") else { return nil }
        let given = arguments.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
        // Several short options in one word, and what could be a number, are left out.
        let words = given.filter { option in
            let isShort = option.utf8.count == 2 && option.last?.isLetter == true
            return option.hasPrefix("--") || option.hasPrefix("-") && isShort
        }
        guard !words.isEmpty else { return nil }
        let known = Set(options())
        return words.first { !known.contains($0) }
    }

    /// An option of curl or HTTPie with its value in one word, such as `-XPOST`, of which
    /// ArgumentParser takes the letters that are options, and complains of those.
    private static func foreignOption(of arguments: [String], _ options: () -> [String]) -> String? {
        let given = arguments.prefix { $0 != "--" }.filter { argument in
            guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 2 else { return false }
            return OptionHint.text(for: String(argument.prefix(2))) != nil
        }
        guard !given.isEmpty else { return nil }
        let known = Set(options())
        return given.first { !known.contains(String($0.prefix(2))) }
    }

    /// The option that a misspelt or a cut one was meant to be.
    private static func nearest(_ option: String, _ options: [String]) -> String? {
        let longer = Set(options.filter { $0.hasPrefix(option) })
        if let only = longer.first, longer.count == 1, option.hasPrefix("--") { return only }
        // Without the dashes, which are no letters that can be wrong.
        let names = options.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        return NearestWord.of(String(option.drop { $0 == "-" }), among: names).map { "--\($0)" }
    }

    /// The first text between apostrophes.
    private static func quotation(in message: String) -> String? {
        let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
    }

    /// The message with quotation marks for apostrophes.
    private static func quoted(_ message: String) -> String {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        // An even number of parts has an apostrophe that is a part of a text.
        guard parts.count % 2 == 1 else { return message }
        var text = ""
        for (number, part) in parts.enumerated() {
            if number > 0 { text += number % 2 == 1 ? "“" : "”" }
            text += part
        }
        return text
    }

    /// The sentence with its full stop.
    private static func closed(_ sentence: String) -> String {
        guard let last = sentence.utf8.last, ![UInt8(ascii: "."), UInt8(ascii: "?")].contains(last) else {
            return sentence
        }
        return sentence + "."
    }
}

extension UsageMessage {
    /// The options that a text of help names.
    static func options(in help: String) -> [String] {
        help.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
            .map { String($0.hasSuffix(".") ? $0.dropLast() : $0) }
            .filter { $0.hasPrefix("-") && $0 != "-" && $0 != "--" }
    }
}
