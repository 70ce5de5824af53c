import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The configuration file of a user: options and headers that requests, transfers and WebSockets
/// have without being asked for, for all hosts and for some.
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
    static func header(_ text: String) -> (name: String, value: String)? {
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
        let port = url.port ?? (URLShorthand.schemeOfHTTP(url) == "https" ? 443 : 80)
        let hostWithPort = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return rules.filter { rule in
            guard rule.hosts.hasPrefix("*.") else { return ["*", host, hostWithPort].contains(rule.hosts) }
            return [host, hostWithPort].contains { $0.hasSuffix(rule.hosts.dropFirst()) }
        }
    }
}
