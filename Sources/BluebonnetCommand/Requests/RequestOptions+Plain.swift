import ArgumentParser

extension RequestOptions {
    /// Reads the arguments of a request with the result of ArgumentParser, which needs a third of
    /// the time of a short request to register all options. Nil where there is no URL, a mistake,
    /// or something unusual: an option that is not written out, a value that begins with a dash,
    /// one that is joined to a short option, or “--”.
    ///
    /// - Parameter arguments: The arguments after the name of the command.
    init?(plain arguments: some Collection<String>) {
        self.init()
        setDefaults()
        var words: [String] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            if argument.utf8.first != UInt8(ascii: "-") {
                words.append(argument)
            } else if !set(flags: argument) {
                guard let (name, value) = Self.option(argument, next: { rest.next() }), set(name, to: value) else {
                    return nil
                }
            }
        }
        guard let url = words.first else { return nil }
        self.url = url
        items = Array(words.dropFirst())
        guard words.count == arguments.count || isValid else { return nil }
    }

    /// Whether the options can be used together. Where they cannot, the message is that of
    /// ArgumentParser.
    private var isValid: Bool {
        let groups: [any ParsableArguments] = [
            self, saving, shown, retries, cache, sessions.cookies, sessions, observation, errors, authentication,
            connection.addresses, connection.proxies, connection,
        ]
        for var group in groups {
            guard (try? group.validate()) != nil else { return false }
        }
        return true
    }

    /// The name and the value of `--name=value`, or of `--name` and the next argument. Nil where
    /// ArgumentParser has rules of its own: for an empty value behind the sign, and for a next
    /// argument that begins with a dash, unless it is nothing else.
    private static func option(_ argument: String, next: () -> String?) -> (name: String, value: String)? {
        if let sign = argument.firstIndex(of: "=") {
            let value = argument[sign...].dropFirst()
            return value.isEmpty ? nil : (String(argument[..<sign]), String(value))
        }
        guard let value = next(), value == "-" || value.utf8.first != UInt8(ascii: "-") else { return nil }
        return (argument, value)
    }

    /// Sets what a flag says, or several short ones in one word, as `-kv`; false for any other
    /// argument.
    private mutating func set(flags argument: String) -> Bool {
        if set(flag: argument) { return true }
        let letters = argument.dropFirst()
        return letters.count > 1 && letters.allSatisfy { set(flag: "-\($0)") }
    }

    /// Sets what a flag says; false for any other argument.
    private mutating func set(flag: String) -> Bool {
        switch flag {
        case "--json", "-j": json = true
        case "--form", "-f": form = true
        case "--multipart": multipart = true
        case "--chunked": chunked = true
        case "--compress", "-x": compress = true
        case "--ignore-stdin", "-I": ignoreStdin = true
        case "--verbose", "-v": verbose = true
        case "--include", "-i": include = true
        case "--stream": stream = true
        case "--raw-output", "-r": rawOutput = true
        case "--offline": offline = true
        case "--curl": curl = true
        case "--location", "-L": followsAsCurl = true
        case "--follow": follow = true
        case "--no-follow": follow = false
        case "--check-status": checkStatus = true
        case "--no-check-status": checkStatus = false
        case "--path-as-is": pathAsIs = true
        case "--body-on-insecure-redirects": bodyOnInsecureRedirects = true
        case "--insecure-redirects": insecureRedirects = true
        case "--no-insecure-redirects": insecureRedirects = false
        case "--remote-name", "--download", "-O": saving.remoteName = true
        case "--continue": saving.continues = true
        case "--headers": shown.headers = true
        case "--body": shown.body = true
        case "--meta": shown.meta = true
        case "--all": shown.all = true
        case "--quiet", "-q": shown.quiet = true
        case "--wait-for-network": retries.waitForNetwork = true
        case "--no-config": sessions.ignoresSettings = true
        case "--timings": observation.timings = true
        case "--json-errors": errors.jsonErrors = true
        case "--netrc": authentication.netrc = true
        case "--http1.1": return set(version: .http1)
        case "--http2": return set(version: .http2)
        case "--http2-prior-knowledge": return set(version: .priorKnowledge)
        case "--insecure", "-k": connection.insecure = true
        case "--ipv4", "-4": connection.addresses.ipv4 = true
        case "--ipv6", "-6": connection.addresses.ipv6 = true
        case "--proxy-digest": connection.proxies.proxyDigest = true
        case "--proxy-insecure": connection.proxies.proxyInsecure = true
        default: return false
        }
        return true
    }

    /// Sets the version of HTTP; false where there is another one already.
    private mutating func set(version: VersionOption) -> Bool {
        guard connection.version ?? version == version else { return false }
        connection.version = version
        return true
    }

    /// Sets an option that has a value; false for any other name, and for a value that it cannot
    /// have.
    private mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "--raw": raw = value
        case "--boundary": boundary = value
        case "--output", "-o": output = value
        case "--pretty": return Self.read(value, into: &pretty)
        case "--filter": filter = value
        case "--max-redirects": return Self.read(value, into: &maxRedirects)
        case "--unix-socket": unixSocket = value
        case "--default-scheme": defaultScheme = value
        case "--print", "-p": return Self.read(value, into: &shown.printed)
        case "--style": return Self.read(value, into: &shown.style)
        case "--response-mime": shown.responseMime = value
        case "--response-charset": shown.responseCharset = value
        case "--retry": return Self.read(value, into: &retries.retry)
        case "--rate": return Self.read(value, into: &retries.rate)
        case "--cache": cache.cache = value
        case "--cookies": sessions.cookies.cookies = value
        case "--session": sessions.session = value
        case "--session-read-only": sessions.sessionReadOnly = value
        case "--host-header": sessions.hostHeader.append(value)
        case "--host-trust": sessions.hostTrust.append(value)
        case "--har": observation.har = value
        case "--auth", "-a": authentication.auth.append(value)
        case "--auth-type", "-A": return Self.read(value, into: &authentication.authType)
        case "--bearer": authentication.bearer = value
        case "--timeout": return Self.read(value, into: &connection.timeout)
        case "--connect-timeout": return Self.read(value, into: &connection.connectTimeout)
        case "--cacert": connection.cacert = value
        case "--pin": connection.pin.append(value)
        case "--pins": connection.pins = value
        case "--crlfile": connection.crlfile = value
        case "--tls-min": return Self.read(value, into: &connection.tlsMin)
        case "--cert": connection.cert = value
        case "--key": connection.key = value
        case "--pass": connection.pass = value
        case "--resolve": connection.addresses.resolve.append(value)
        case "--connect-to": connection.addresses.connectTo.append(value)
        case "--interface": connection.addresses.interface = value
        case "--proxy": connection.proxies.proxy = value
        case "--noproxy": connection.proxies.noproxy = value
        case "--proxy-user": connection.proxies.proxyUser = value
        case "--proxy-cacert": connection.proxies.proxyCacert = value
        default: return false
        }
        return true
    }

    /// Reads the value of an option; false for a text that is none.
    private static func read<Value: ExpressibleByArgument>(_ text: String, into value: inout Value) -> Bool {
        guard let read = Value(argument: text) else { return false }
        value = read
        return true
    }

    /// Reads the value of an option without a default; false for a text that is none.
    private static func read<Value: ExpressibleByArgument>(_ text: String, into value: inout Value?) -> Bool {
        value = Value(argument: text)
        return value != nil
    }

    /// Gives each option its default.
    private mutating func setDefaults() {
        (json, form, multipart, compress, ignoreStdin, followsAsCurl) = (false, false, false, false, false, false)
        (verbose, include, stream, rawOutput, offline, curl) = (false, false, false, false, false, false)
        (raw, boundary, chunked) = (nil, nil, false)
        (output, pretty, filter) = (nil, .auto, nil)
        (follow, maxRedirects, bodyOnInsecureRedirects, checkStatus) = (true, 20, false, true)
        insecureRedirects = true
        (unixSocket, defaultScheme, pathAsIs) = (nil, "http", false)
        var saving = SavingOptions()
        (saving.remoteName, saving.continues) = (false, false)
        self.saving = saving
        var shown = OutputOptions()
        (shown.printed, shown.headers, shown.body, shown.meta) = (nil, false, false, false)
        (shown.all, shown.quiet, shown.style) = (false, false, nil)
        (shown.responseMime, shown.responseCharset) = (nil, nil)
        self.shown = shown
        var cookies = CookieOptions()
        cookies.cookies = nil
        var sessions = SessionOptions()
        (sessions.cookies, sessions.session, sessions.sessionReadOnly) = (cookies, nil, nil)
        (sessions.hostHeader, sessions.hostTrust, sessions.ignoresSettings) = ([], [], false)
        self.sessions = sessions
        var cache = CacheOptions()
        cache.cache = nil
        self.cache = cache
        var retries = RetryOptions()
        (retries.retry, retries.rate, retries.waitForNetwork) = (0, nil, false)
        self.retries = retries
        var observation = ObservationOptions()
        (observation.timings, observation.har) = (false, nil)
        self.observation = observation
        var errors = ErrorOptions()
        errors.jsonErrors = false
        self.errors = errors
        var authentication = AuthenticationOptions()
        (authentication.auth, authentication.authType, authentication.bearer) = ([], nil, nil)
        authentication.netrc = false
        self.authentication = authentication
        var connection = ConnectionOptions()
        (connection.timeout, connection.connectTimeout, connection.insecure) = (nil, nil, false)
        connection.version = nil
        (connection.cacert, connection.cert, connection.key, connection.pass) = (nil, nil, nil, nil)
        (connection.pin, connection.pins, connection.crlfile, connection.tlsMin) = ([], nil, nil, nil)
        var proxies = ProxyOptions()
        (proxies.proxy, proxies.noproxy, proxies.proxyUser) = (nil, nil, nil)
        (proxies.proxyDigest, proxies.proxyCacert, proxies.proxyInsecure) = (false, nil, false)
        connection.proxies = proxies
        var addresses = AddressOptions()
        (addresses.resolve, addresses.connectTo, addresses.interface) = ([], [], nil)
        (addresses.ipv4, addresses.ipv6) = (false, false)
        connection.addresses = addresses
        self.connection = connection
    }
}
