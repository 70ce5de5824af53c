import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// The arguments of a command that the settings have defaults for.
protocol SettledArguments: ParsableArguments {
    /// The arguments that are no options. No default changes them.
    var words: [String] { get }
    /// The headers among the arguments, as texts of items.
    var headerTexts: [String] { get }
    var connection: ConnectionOptions { get }
    /// Whether every option of requests is one here, with the same meaning.
    static var areOfRequests: Bool { get }
    /// The option for a header; nil where it is an item behind the others.
    static var headerOption: String? { get }
}

extension RequestOptions: SettledArguments {
    static let areOfRequests = true
    static let headerOption: String? = nil
    var words: [String] { [url] + items }
    var headerTexts: [String] { items }
}

extension WebSocketCommand: SettledArguments {
    static let areOfRequests = false
    static let headerOption: String? = nil
    var words: [String] { [url] + items }
    var headerTexts: [String] { items }
}

extension DownloadCommand: SettledArguments {
    static let areOfRequests = false
    static let headerOption: String? = "--header"
    var words: [String] { urls }
    var headerTexts: [String] { transfer.header }
}

extension UploadCommand: SettledArguments {
    static let areOfRequests = false
    static let headerOption: String? = "--header"
    var words: [String] { arguments }
    var headerTexts: [String] { transfer.header }
}

/// The options of requests that transfers and WebSockets have as well, and take from the settings:
/// those for connections, credentials, cookies, the cache, retries and redirects. What is shown,
/// and what is written, only the command line says there.
private struct SharedOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var authentication: AuthenticationOptions
    @OptionGroup var sessions: SessionOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var retries: RetryOptions
    @Flag(inversion: .prefixedNo) var insecureRedirects = true

    /// Those of the options of a rule that are among these. Some need another one beside them.
    static func chosen(from options: [String]) -> [String] {
        let alone = options.filter { areTaken([$0]) }
        return options.filter { alone.contains($0) || areTaken(alone + [$0]) }
    }

    private static func areTaken(_ options: [String]) -> Bool { (try? parse(options)) != nil }
}

extension UserSettings {
    /// The arguments of a command with those of the rules: an option in front of them, so that a
    /// later one wins, and a header behind them, unless they have it.
    ///
    /// An option that cannot be used together with what the arguments have is left out, and so is
    /// one that the command has not.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which can be parsed.
    ///   - parsed: What they say.
    ///   - rules: The rules.
    /// - Returns: The arguments.
    /// - Throws: ``CommandFailure`` for an option that does not exist.
    static func arguments<Arguments: SettledArguments>(
        _ arguments: [String],
        _ parsed: Arguments,
        with rules: [Rule]
    ) throws(CommandFailure) -> [String] {
        var chosen: [String] = []
        for rule in rules.reversed() {
            let isWhole = try check(rule)
            let options = Arguments.areOfRequests ? rule.options : SharedOptions.chosen(from: rule.options)
            // Some options need another one beside them.
            if isWhole, leaves(parsed, options + chosen + arguments) {
                chosen = options + chosen
                continue
            }
            for option in options.reversed() where leaves(parsed, [option] + chosen + arguments) {
                chosen.insert(option, at: 0)
            }
        }
        let (headers, names) = headers(of: rules, besides: parsed.headerTexts)
        // A redirect to another host must not take them there.
        for name in names { chosen.insert("--host-header=\(name)", at: 0) }
        if let others = trustOfOthers(chosen, for: rules, arguments, parsed) {
            chosen = ([SessionOptions.noTrust] + others).map { "--host-trust=\($0)" } + chosen
        }
        guard let option = Arguments.headerOption else { return chosen + arguments + headers }
        return chosen + headers.map { "\(option)=\($0)" } + arguments
    }

    /// Whether the options of a rule can be used together in a request.
    ///
    /// - Throws: ``CommandFailure`` for one that cannot be used alone either.
    private static func check(_ rule: Rule) throws(CommandFailure) -> Bool {
        // An option that takes the next argument as its value must not get the URL.
        func areOptions(_ options: [String]) -> Bool {
            (try? RequestOptions.parse(options + ["http://localhost/"]))?.words == ["http://localhost/"]
        }
        let isWhole = areOptions(rule.options)
        // What is behind “--” are no options any more.
        for option in rule.options where option == "--" || (!isWhole && !areOptions([option])) {
            throw .usage("has “\(option)”, which is not an option of requests; a value is written as --timeout=5.")
        }
        return isWhole
    }

    /// The headers of the rules, unless the arguments have them, and the names of those that are
    /// not for all hosts.
    private static func headers(
        of rules: [Rule],
        besides arguments: [String]
    ) -> (texts: [String], namesOfHosts: [String]) {
        var names = Set(arguments.compactMap { header($0)?.name.lowercased() })
        var headers: [String] = []
        var namesOfHosts: [String] = []
        for rule in rules.reversed() {
            for text in rule.headers.reversed() {
                guard let name = header(text)?.name.lowercased(), names.insert(name).inserted else { continue }
                headers.insert(text, at: 0)
                if rule.hosts != "*" { namesOfHosts.append(name) }
            }
        }
        return (headers, namesOfHosts)
    }

    /// The options of trust for other hosts than that of the URL; nil where they are the same.
    private static func trustOfOthers<Arguments: SettledArguments>(
        _ chosen: [String],
        for rules: [Rule],
        _ arguments: [String],
        _ parsed: Arguments
    ) -> [String]? {
        let general = rules.filter { $0.hosts == "*" }.flatMap(\.options).filter(chosen.contains)
        guard general.count < chosen.count, let whole = try? Arguments.parse(chosen + arguments) else { return nil }
        let others = ((try? Arguments.parse(general + arguments)) ?? parsed).connection.trust
        return whole.connection.trust == others ? nil : others
    }

    /// Whether arguments can be parsed, and leave the words as they are.
    private static func leaves<Arguments: SettledArguments>(_ parsed: Arguments, _ arguments: [String]) -> Bool {
        (try? Arguments.parse(arguments))?.words == parsed.words
    }
}
