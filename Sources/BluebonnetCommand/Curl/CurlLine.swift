/// A line for curl: its options in their order, and its URLs.
struct CurlLine {
    /// An option that is understood, with its value.
    struct Option {
        var name: CurlOption
        /// The name as it is written in the line, for messages.
        var written: String
        var value: [UInt8]
    }

    private(set) var options: [Option] = []
    private(set) var urls: [[UInt8]] = []

    /// Reads the words of a line.
    ///
    /// - Parameter words: The words, `curl` included.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a line of another program, and
    ///   for the first option that is not supported.
    init(_ words: [[UInt8]]) throws(CommandFailure) {
        // A prompt that was copied, too.
        var rest = (words.first == [UInt8(ascii: "$")] ? words.dropFirst() : words[...])
        let program = rest.popFirst().flatMap(Self.text) ?? ""
        guard ["curl", "curl.exe"].contains(program.split(separator: "/").last ?? "") else {
            throw .usage("The line does not begin with curl, but with “\(program.prefix(40))”.")
        }
        var isEnded = false
        while let word = rest.popFirst() {
            if isEnded || word.first != UInt8(ascii: "-") || word.count == 1 {
                urls.append(word)
            } else if word == Array("--".utf8) {
                isEnded = true
            } else if word.starts(with: "--".utf8) {
                let name = Self.text(word) ?? ""
                let option = try Self.option(named: String(name.dropFirst(2)), written: name)
                try add(option, written: name, attached: nil, &rest)
            } else {
                try addShort(word, &rest)
            }
        }
    }

    /// Adds the options of a word such as `-sSLo`, whose last one may have a value behind it.
    private mutating func addShort(_ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>) throws(CommandFailure) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let written = "-" + String(decoding: [letter], as: UTF8.self)
            guard let option = CurlOption(letter: letter) else { throw Self.refusal(written) }
            let takesValue = option.takesValue
            let attached = takesValue && !letters.isEmpty ? Array(letters) : nil
            try add(option, written: written, attached: attached, &rest)
            if takesValue { break }
        }
    }

    private mutating func add(
        _ option: CurlOption,
        written: String,
        attached: [UInt8]?,
        _ rest: inout ArraySlice<[UInt8]>
    ) throws(CommandFailure) {
        guard option.takesValue else {
            options.append(Option(name: option, written: written, value: []))
            return
        }
        guard let value = attached ?? rest.popFirst() else { throw .usage("The value of \(written) is missing.") }
        if option == .url {
            urls.append(value)
        } else {
            options.append(Option(name: option, written: written, value: value))
        }
    }

    private static func option(named name: String, written: String) throws(CommandFailure) -> CurlOption {
        guard let option = CurlOption(longName: name) else { throw refusal(written) }
        return option
    }

    private static func refusal(_ option: String) -> CommandFailure {
        .usage("The option \(option) of curl is not supported here.")
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }
}

/// The options of curl that are understood, by their long names.
enum CurlOption: String {
    // With a value.
    case request, header, data, json, form, user, cookie, proxy, output, retry, range, cert, key, pass, url, noproxy
    case interface, resolve, cacert, capath, crlfile, referer, proto
    case dataRaw = "data-raw", dataBinary = "data-binary", dataURLEncode = "data-urlencode"
    case formString = "form-string", cookieJar = "cookie-jar", userAgent = "user-agent", uploadFile = "upload-file"
    case urlQuery = "url-query", maxTime = "max-time", connectTimeout = "connect-timeout"
    case maxRedirects = "max-redirs", unixSocket = "unix-socket", proxyUser = "proxy-user"
    case dumpHeader = "dump-header", continueAt = "continue-at", outputDirectory = "output-dir"
    case writeOut = "write-out", retryDelay = "retry-delay"
    case bearer = "oauth2-bearer", pinnedKey = "pinnedpubkey", socks4, socks4a, socks5
    case socks5Hostname = "socks5-hostname", connectTo = "connect-to", proxyCacert = "proxy-cacert"
    // Without a value.
    case insecure, location, compressed, get, head, include, verbose, silent, fail, globoff, netrc, digest, basic
    case ipv4, ipv6, http2
    case http1 = "http1.1", priorKnowledge = "http2-prior-knowledge", remoteName = "remote-name"
    case showError = "show-error", pathAsIs = "path-as-is", noBuffer = "no-buffer", progressBar = "progress-bar"
    case noProgress = "no-progress-meter", noKeepalive = "no-keepalive", tcpNoDelay = "tcp-nodelay", disable
    case proxyInsecure = "proxy-insecure", proxyDigest = "proxy-digest", proxyBasic = "proxy-basic"
    case tls10 = "tlsv1.0", tls11 = "tlsv1.1", tls12 = "tlsv1.2", tls13 = "tlsv1.3"
    case failWithBody = "fail-with-body", proxyHTTP2 = "proxy-http2"
    case remoteHeaderName = "remote-header-name", createDirectories = "create-dirs"
    case retryAllErrors = "retry-all-errors", retryConnectionRefused = "retry-connrefused"

    /// - Parameter longName: The name without its dashes.
    init?(longName: String) {
        switch longName {
        case "data-ascii": self = .data
        case "tlsv1": self = .tls10
        default: self.init(rawValue: longName)
        }
    }

    /// - Parameter letter: The letter behind the dash.
    init?(letter: UInt8) {
        guard let option = Self.letters[Character(Unicode.Scalar(letter))] else { return nil }
        self = option
    }

    private static let letters: [Character: CurlOption] = [
        "X": .request, "H": .header, "d": .data, "F": .form, "u": .user, "b": .cookie, "c": .cookieJar, "x": .proxy,
        "o": .output, "O": .remoteName, "r": .range, "E": .cert, "A": .userAgent, "e": .referer, "T": .uploadFile,
        "m": .maxTime, "U": .proxyUser, "k": .insecure, "L": .location, "G": .get, "I": .head, "i": .include,
        "v": .verbose, "s": .silent, "S": .showError, "f": .fail, "g": .globoff, "n": .netrc, "4": .ipv4, "6": .ipv6,
        "N": .noBuffer, "#": .progressBar, "q": .disable, "C": .continueAt, "D": .dumpHeader, "J": .remoteHeaderName,
        "w": .writeOut,
    ]

    /// Whether a value follows it.
    var takesValue: Bool {
        switch self {
        case .insecure, .location, .compressed, .get, .head, .include, .verbose, .silent, .fail, .globoff, .netrc,
            .digest, .basic, .ipv4, .ipv6, .http2, .http1, .priorKnowledge, .remoteName, .showError, .pathAsIs,
            .noBuffer, .progressBar, .noProgress, .noKeepalive, .tcpNoDelay, .disable, .proxyInsecure, .proxyDigest,
            .proxyBasic, .tls10, .tls11, .tls12, .tls13, .failWithBody, .proxyHTTP2, .remoteHeaderName,
            .createDirectories, .retryAllErrors, .retryConnectionRefused:
            false
        default: true
        }
    }
}
