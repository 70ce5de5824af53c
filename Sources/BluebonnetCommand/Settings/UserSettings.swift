import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The configuration file of a user: options and headers that requests have without being asked
/// for, for all hosts and for some.
///
/// ```json
/// {"default_options": ["--style=dark"],
///  "hosts": {"api.example.org": ["--timeout=5", "Accept:application/json"]}}
/// ```
struct UserSettings: Equatable, Sendable {
    /// Options and headers for some hosts.
    struct Rule: Equatable, Sendable {
        /// `example.org`, `*.example.org`, `localhost:8080` or `*`.
        var hosts: String
        var options: [String] = []
        var headers: [String] = []
    }

    /// The rules. What a later one says counts more: the rule for all hosts comes first, and the
    /// one for a host with its port last.
    let rules: [Rule]

    /// Whether there are passwords, tokens or the like in it.
    private(set) var hasSecrets = false

    /// Reads the text of a file.
    ///
    /// - Parameter bytes: The text.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``, whose message goes on after the name
    ///   of the file.
    init(parsing bytes: [UInt8]) throws(CommandFailure) {
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .usage("is not JSON: \(error)")
        }
        guard let members = value.object else { throw .usage("must be an object, not \(value.kindWithArticle).") }
        var rules: [Rule] = []
        for (name, value) in members {
            switch name {
            case "default_options": rules.insert(try Self.rule("*", value), at: 0)
            case "hosts":
                guard let hosts = value.object else { throw .usage("has “hosts” that are not an object.") }
                for (host, value) in hosts {
                    guard let pattern = Self.pattern(host) else {
                        throw .usage(
                            "has “\(host)”, which is not a host: example.org, *.example.org, localhost:8080 or *."
                        )
                    }
                    rules.append(try Self.rule(pattern, value))
                }
            default: throw .usage("has the unknown member “\(name)”; it may have “default_options” and “hosts”.")
            }
        }
        self.rules = rules.sorted { Self.precision(of: $0.hosts) < Self.precision(of: $1.hosts) }
        hasSecrets = rules.contains {
            $0.options.contains(where: Self.isSecret) || $0.headers.contains(where: Self.hasSecret)
        }
    }

    private static func rule(_ hosts: String, _ value: JSONValue) throws(CommandFailure) -> Rule {
        guard let elements = value.array else { throw .usage("has something else than a list for “\(hosts)”.") }
        var rule = Rule(hosts: hosts)
        for element in elements {
            guard let text = element.string else { throw .usage("has something else than a string for “\(hosts)”.") }
            // Both are looked for before the file is read.
            guard text != "--json-errors", text != "--no-config" else {
                throw .usage("has “\(text)”, which is for the command line only.")
            }
            if text.hasPrefix("-") {
                rule.options.append(text)
            } else if header(text) != nil {
                rule.headers.append(text)
            } else {
                throw .usage("has “\(text)”, which is neither an option (--timeout=5) nor a header (Name:value).")
            }
        }
        return rule
    }

    /// The hosts of a rule in small letters, without the brackets of an IPv6 address that has no
    /// port; nil for a URL and the like.
    private static func pattern(_ text: String) -> String? {
        let isSimple = !text.isEmpty && !text.contains { "/@?# ,".contains($0) }
        let rest = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
        guard isSimple, text == "*" || !rest.isEmpty && !rest.contains("*") else { return nil }
        return text.hasPrefix("[") && text.hasSuffix("]")
            ? String(text.dropFirst().dropLast()).lowercased() : text.lowercased()
    }

    /// A host counts more than a pattern, a longer text more than a shorter one, and thus a port
    /// more than none.
    private static func precision(of hosts: String) -> (Int, Int) {
        (hosts == "*" ? 0 : hosts.hasPrefix("*.") ? 1 : 2, hosts.utf8.count)
    }

    /// The name and the value of a header; nil for another item.
    private static func header(_ text: String) -> (name: String, value: String)? {
        switch try? RequestItem(text) {
        case .header(let name, .text(let value)): (name, value)
        case .header(let name, .file), .unsetHeader(let name), .emptyHeader(let name): (name, "")
        default: nil
        }
    }

    private static let secretOptions = ["--auth", "-a", "--bearer", "--pass", "--proxy-user"]

    private static func isSecret(_ option: String) -> Bool {
        let name = option.prefix { $0 != "=" }
        return name != "--auth-type" && secretOptions.contains { name.hasPrefix($0) } || option.contains("@")
    }

    private static func hasSecret(_ header: String) -> Bool {
        // The name of a file is not a secret, and neither is a header without a value.
        guard let (name, value) = Self.header(header), !value.isEmpty, let fieldName = HTTPField.Name(name) else {
            return false
        }
        let field = HTTPField(name: fieldName, value: value)
        return SecretNames.redacted(field) != field.value
    }

    // MARK: What a request gets

    /// The rules for a host.
    ///
    /// - Parameter url: The URL of the request.
    /// - Returns: The rules in their order.
    func rules(for url: URL) -> [Rule] {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        let hostWithPort = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return rules.filter { rule in
            guard rule.hosts.hasPrefix("*.") else { return ["*", host, hostWithPort].contains(rule.hosts) }
            return [host, hostWithPort].contains { $0.hasSuffix(rule.hosts.dropFirst()) }
        }
    }

    /// The arguments of a request with those of the rules: an option in front of them, so that a
    /// later one wins, and a header behind them, unless they have it.
    ///
    /// An option that cannot be used together with what the arguments have is left out.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which can be parsed.
    ///   - options: What they say.
    ///   - rules: The rules.
    /// - Returns: The arguments.
    /// - Throws: ``CommandFailure`` for an option that does not exist.
    static func arguments(
        _ arguments: [String],
        _ options: RequestOptions,
        with rules: [Rule]
    ) throws(CommandFailure) -> [String] {
        var chosen: [String] = []
        for rule in rules.reversed() {
            // An option that takes the next argument as its value must not get the URL.
            let url = "http://localhost/"
            let isWhole = leaves([url], behind: rule.options)
            // What is behind “--” are no options any more.
            for option in rule.options where option == "--" || (!isWhole && !leaves([url], behind: [option])) {
                throw .usage("has “\(option)”, which is not an option of requests; a value is written as --timeout=5.")
            }
            // Some options need another one beside them.
            if isWhole, leaves([options.url] + options.items, behind: rule.options + chosen, before: arguments) {
                chosen = rule.options + chosen
                continue
            }
            for option in rule.options.reversed()
            where leaves([options.url] + options.items, behind: [option] + chosen, before: arguments) {
                chosen.insert(option, at: 0)
            }
        }
        var names = Set(options.items.compactMap { header($0)?.name.lowercased() })
        var headers: [String] = []
        for rule in rules.reversed() {
            for text in rule.headers.reversed() {
                guard let name = header(text)?.name.lowercased(), names.insert(name).inserted else { continue }
                headers.insert(text, at: 0)
                // A redirect to another host must not take it there.
                if rule.hosts != "*" { chosen.insert("--host-header=\(name)", at: 0) }
            }
        }
        if let others = trustOfOthers(chosen, for: rules, arguments, options) {
            chosen = ([""] + others).map { "--host-trust=\($0)" } + chosen
        }
        return chosen + arguments + headers
    }

    /// The options of trust for other hosts than that of the URL; nil where they are the same.
    private static func trustOfOthers(
        _ chosen: [String],
        for rules: [Rule],
        _ arguments: [String],
        _ options: RequestOptions
    ) -> [String]? {
        let general = rules.filter { $0.hosts == "*" }.flatMap(\.options).filter(chosen.contains)
        guard general.count < chosen.count, let whole = try? RequestOptions.parse(chosen + arguments) else {
            return nil
        }
        let others = ((try? RequestOptions.parse(general + arguments)) ?? options).connection.trust
        return whole.connection.trust == others ? nil : others
    }

    /// Whether arguments can be parsed with options in front of them, and have the same words then.
    private static func leaves(
        _ words: [String],
        behind options: [String],
        before arguments: [String]? = nil
    ) -> Bool {
        guard let parsed = try? RequestOptions.parse(options + (arguments ?? words)) else { return false }
        return [parsed.url] + parsed.items == words
    }
}
