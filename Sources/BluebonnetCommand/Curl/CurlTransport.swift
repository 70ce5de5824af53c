import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Prints the request that the engine would send as a command for curl, and sends nothing.
struct CurlTransport: Transport {
    /// The options of the connection.
    let words: [String]
    /// Comments about what curl has no option for.
    let notes: [String]

    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        // Like --offline, it shows what the user has given, secrets included.
        var words = words
        // What is sent at once is among the header fields.
        if let credential = request.credential, !credential.isPreemptive,
            let user = credential.user, let password = credential.password
        {
            words += ["--digest", "--user \(ShellWord("\(user):\(password)").text)"]
        }
        let command = ([request.curlDescription(redacting: false)] + words).joined(separator: " \\\n  ")
        StandardStream.output.write(line: (notes + [command]).joined(separator: "\n"))
        return TransportResponse(head: ResponseHead(status: .ok), request: request)
    }
}

/// The cookies of a request as options of curl.
struct CurlCookies: Equatable {
    /// The options.
    private(set) var words: [String] = []
    /// Comments about what curl does in another way.
    private(set) var notes: [String] = []
    /// Whether curl reads them from their file, so that they are no field of the request.
    private(set) var areRead = false

    /// - Parameters:
    ///   - options: The options of the request.
    ///   - named: Its session; nil without one.
    ///   - hasOwn: Whether the request has a field `Cookie` of the user's, beside which curl would
    ///     send another one.
    init(_ options: RequestOptions, _ named: NamedSession?, hasOwn: Bool) {
        let choice = options.sessions.cookies.cookies
        // Without a file, curl handles cookies only where one is named.
        let forRedirects = options.follow && choice != "off" ? ["--cookie ''"] : []
        let isFile = choice != nil && choice != "off" && choice != "memory"
        guard let path = named?.cookieFile.path(percentEncoded: false) ?? (isFile ? choice : nil) else {
            words = forRedirects
            return
        }
        // For curl, a text with “=” is cookies, and “-” is standard input.
        guard !hasOwn, !path.contains("=") else {
            words = forRedirects
            notes = ["# The cookies that are set are not kept in \(ShellWord(path).text)."]
            return
        }
        areRead = true
        let word = ShellWord(path == "-" ? "./-" : HomeFolder.literal(path)).text
        words = ["--cookie \(word)"]
        if options.sessions.sessionReadOnly == nil { words.append("--cookie-jar \(word)") }
    }
}

extension RequestOptions {
    /// A comment about `--pins`, for which curl has no option.
    var curlNotes: [String] {
        connection.pins == nil ? [] : ["# The pins of --pins are not in it: curl has none for several hosts."]
    }

    /// The options of curl for the connection, redirects and the output.
    var curlWords: [String] {
        let (addresses, proxies) = (connection.addresses, connection.proxies)
        let version: String? =
            switch connection.version {
            case .http1: "--http1.1"
            case .http2: "--http2"
            case .priorKnowledge: "--http2-prior-knowledge"
            case nil: nil
            }
        let flags = [
            ("--insecure", connection.insecure), ("--fail-with-body", checkStatus),
            ("--ipv4", addresses.ipv4), ("--ipv6", addresses.ipv6), ("--netrc", authentication.netrc),
            ("--proxy-insecure", proxies.proxyInsecure), ("--proxy-digest", proxies.proxyDigest),
            ("--remote-name", saving.remoteName),
            // With --continue-at, curl refuses it.
            ("--remote-header-name", saving.remoteName && !saving.continues),
            ("--continue-at -", saving.continues),
        ]
        let isSecure = URLShorthand.expand(url, scheme: defaultScheme).lowercased().hasPrefix("https://")
        let values: [(String, String?)] = [
            ("--proto-redir", !insecureRedirects && isSecure ? "=https" : nil),
            ("--max-redirs", follow ? "\(maxRedirects)" : nil), ("--output", output),
            ("--max-time", connection.timeout.map { "\($0)" }),
            ("--connect-timeout", connection.connectTimeout.map { "\($0)" }), ("--cacert", connection.cacert),
            ("--cert", connection.cert), ("--key", connection.key), ("--pass", connection.pass),
            ("--crlfile", connection.crlfile), ("--interface", addresses.interface), ("--proxy", proxies.proxy),
            ("--noproxy", proxies.noproxy), ("--proxy-user", proxies.proxyUser),
            ("--proxy-cacert", proxies.proxyCacert), ("--retry", retries.retry > 0 ? "\(retries.retry)" : nil),
        ]
        let pins = connection.pin.map { "sha256//" + $0.drop { $0 != "/" }.dropFirst() }.joined(separator: ";")
        var words = follow ? ["--location"] : []
        words += flags.compactMap { $1 ? $0 : nil } + [version].compactMap(\.self)
        if let lowest = connection.tlsMin { words.append("--tlsv\(lowest.rawValue)") }
        words += values.compactMap { name, value in value.map { "\(name) \(ShellWord($0).text)" } }
        words += addresses.resolve.map { "--resolve \(ShellWord($0).text)" }
        words += addresses.connectTo.map { "--connect-to \(ShellWord($0).text)" }
        if !pins.isEmpty { words.append("--pinnedpubkey \(ShellWord(pins).text)") }
        return words
    }
}
