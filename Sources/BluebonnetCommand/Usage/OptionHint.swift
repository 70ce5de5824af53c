/// What users of curl, HTTPie and wget write in this command for an option that they know from
/// there.
enum OptionHint {
    /// The hint for an option.
    ///
    /// - Parameter option: The option as it was given, such as `-X`, `-XPOST`, `-fsSL`, `--header`.
    /// - Returns: A sentence, or nil where there is none.
    static func text(for option: String) -> String? {
        if let hint = hints[option] { return hint }
        guard !option.utf8.starts(with: "--".utf8) else { return nil }
        // Of several short options in one word, the first with a hint; behind it may be a value.
        return option.unicodeScalars.dropFirst().lazy.compactMap { hints["-\($0)"] }.first
    }

    /// The hint for an option with a value that it does not take here, but for curl.
    ///
    /// - Parameter option: The option, as `-A`.
    /// - Returns: A sentence, or nil where there is none.
    static func text(forValueOf option: String) -> String? {
        option == "-A" ? "For curl's -A, write User-Agent:NAME behind the URL." : nil
    }

    /// The message for a value of curl's `-x` and `-r`, which take none here: it counts as the URL
    /// and the URL as an item, or the other way round.
    ///
    /// - Parameters:
    ///   - options: The options of a request.
    ///   - arguments: The arguments. Default: those of the process.
    /// - Returns: A sentence, or nil where the first item cannot be a URL.
    static func text(
        forValueAsURLOf options: RequestOptions,
        in arguments: [String] = CommandLine.arguments
    ) -> String? {
        guard options.compress || options.rawOutput, !RequestWords.isMethod(options.url),
            let item = options.items.first, RequestWords.isURL(item)
        else { return nil }
        return options.compress
            ? advice(forProxy: wordBehindX(of: options, in: arguments) ?? "PROXY")
            : "-r is --raw-output; for curl's -r write Range:bytes=\(options.url) behind the URL."
    }

    /// The message for a proxy behind curl's `-x` that counts as a header: `-x proxy:3128`.
    ///
    /// - Parameters:
    ///   - options: The options of a request without a body, which has nothing to compress.
    ///   - arguments: The arguments. Default: those of the process.
    /// - Returns: A sentence, or nil where `-x` is followed by something else.
    static func text(
        forProxyInItemsOf options: RequestOptions,
        in arguments: [String] = CommandLine.arguments
    ) -> String? {
        guard options.compress, let word = wordBehindX(of: options, in: arguments), options.items.contains(word) else {
            return nil
        }
        guard let colon = word.lastIndex(of: ":"), let port = UInt16(word[colon...].dropFirst()), port > 0 else {
            return nil
        }
        // With a user and a password, it would send them to the server.
        let host = word[..<colon]
        return host.contains("@") || !host.isEmpty && !host.contains(":") ? advice(forProxy: word) : nil
    }

    private static func advice(forProxy proxy: String) -> String {
        "-x is --compress, as in HTTPie; for curl's -x write --proxy \(proxy)."
    }

    /// The word of a request that stands behind `-x`.
    private static func wordBehindX(of options: RequestOptions, in arguments: [String]) -> String? {
        guard let place = arguments.firstIndex(of: "-x"), let word = arguments[place...].dropFirst().first else {
            return nil
        }
        return options.words.contains(word) ? word : nil
    }

    private static let hints: [String: String] = {
        var hints: [String: String] = [:]
        for (options, hint) in table {
            for option in options { hints[option] = hint }
        }
        return hints
    }()

    private static let table: [([String], String)] = [
        (["-X", "--request", "--method"], "Write the method in front of the URL: bluebonnet PUT example.org."),
        (["-H", "--header"], "Write a header behind the URL, as an item: Name:value."),
        (
            ["-F"],
            "Write fields behind the URL for curl's -F: --form a=1 f@cat.png. HTTPie's -F is the default."
        ),
        (["--form-string"], "Write the fields behind the URL: --form name=value."),
        (["-u", "--user"], "Write --auth USER:PASSWORD, or -a USER:PASSWORD."),
        (["-G", "--get", "--url-query"], "Write the parameters behind the URL: name==value."),
        (["-T", "--upload-file"], "Write the file behind the URL: bluebonnet PUT example.org @photo.png."),
        (["--range"], "Write it behind the URL: Range:bytes=0-99."),
        (["--url"], "It is not needed: write the URL alone."),
        (["-e", "--referer"], "Write it behind the URL: Referer:http://example.org/."),
        (["--user-agent"], "Write it behind the URL: User-Agent:name."),
        (["-V"], "Write --version."),
        (["--cookie"], "Write Cookie:name=value behind the URL, or --cookies FILE."),
        (["-b"], "Write Cookie:name=value behind the URL for curl's -b, and --body for HTTPie's."),
        (["--cookie-jar", "--load-cookies", "--save-cookies"], "Write --cookies FILE."),
        (["-c"], "Write --cookies FILE for curl's -c, and --continue for HTTPie's."),
        (
            ["--data", "--data-raw", "--data-binary", "--data-urlencode", "--post-data", "--body-data"],
            "Write --raw TEXT, or @FILE behind the URL."
        ),
        (["-d"], "Write --raw TEXT, or fields behind the URL, for curl's -d, and -O for HTTPie's."),
        (["-C", "--continue-at"], "Write --continue, with -O or -o FILE."),
        (["-J", "--remote-header-name"], "It is not needed: -O takes the name that the server suggests."),
        (["--max-time"], "Write --timeout SECONDS."),
        (["-m"], "Write --timeout SECONDS for curl's -m, and --meta for HTTPie's."),
        (["-N", "--no-buffer"], "Write --stream."),
        (["-E", "--client-cert"], "Write --cert FILE."),
        (["--cert-key"], "Write --key FILE."),
        (["--cert-key-pass"], "Write --pass PASSWORD."),
        (["--ssl"], "Write --tls-min VERSION for the lowest version of TLS."),
        (["--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2", "--tlsv1.3"], "Write --tls-min 1.2, or another version."),
        (["--ciphers"], "The cipher suites cannot be chosen; --tls-min VERSION leaves out older ones."),
        (["--pinnedpubkey"], "Write --pin sha256/BASE64."),
        (["--oauth2-bearer"], "Write --bearer TOKEN."),
        (["--digest"], "Write -A digest, with -a USER:PASSWORD."),
        (["--basic"], "It is not needed: -a USER:PASSWORD is sent by Basic."),
        (["-n"], "Write --netrc."),
        (["--no-check-certificate"], "Write --insecure, or -k."),
        (["--output-document"], "Write --output FILE, or -o FILE."),
        (["--tries"], "Write --retry N."),
        (["--limit-rate"], "The speed cannot be limited; --rate limits the number of requests."),
        (
            ["--socks4", "--socks4a", "--socks5", "--socks5-hostname"],
            "Write --proxy with the scheme of the proxy: --proxy socks5h://HOST:PORT."
        ),
        (["--verify"], "Write --insecure for no check, or --cacert FILE for authorities of your own."),
        (["-U"], "Write --proxy-user USER:PASSWORD."),
        (["-w", "--write-out"], "Write --timings, or -v."),
        (["-s", "--silent"], "It is not needed: progress is shown on a terminal only. HTTPie's -s is --style."),
        (["--show-error"], "It is not needed: an error is always shown."),
        (["-S"], "It is not needed for curl's -S: an error is always shown. HTTPie's -S is --stream."),
        (["-g", "--globoff"], "It is not needed: brackets and braces have no meaning in a URL."),
        (["--fail"], "It is not needed: the exit status is 4 or 5 for a response of 4xx or 5xx."),
        (["--compressed"], "It is not needed: compression is asked for, and undone."),
        (["--ignore-netrc"], "It is not needed: a .netrc is read with --netrc only."),
        (["--max-redirs"], "Write --max-redirects N."),
        (["--head", "--spider"], "Write head in front of the URL: bluebonnet head example.org."),
        (["-D", "--dump-header"], "Write -i or --headers, which show the head of the response."),
        (["-z", "--time-cond"], "Write If-Modified-Since:DATE behind the URL."),
        (["-#", "--progress-bar"], "It is not needed: progress is shown on a terminal."),
        (["-P", "--history-print"], "Write --all, which shows the heads of every hop."),
        (["--sorted", "--unsorted"], "It is not needed: the order is always that of the server."),
        (["--format-options"], "Nothing is sorted, and JSON is indented by two spaces; --pretty says what is done."),
        (["--max-headers"], "It is not needed: a head of a response may have 64 KiB."),
        (["-Z", "--parallel"], "Write bluebonnet batch --jobs N, or bluebonnet download -j N."),
    ]
}
