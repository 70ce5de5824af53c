extension RequestOptions {
    /// Reads a URL, items and flags, as most requests have them, with the result of ArgumentParser.
    /// That needs a third of the time of a short request to register all options. Nil where there
    /// is an option with a value, one that is not written out, a mistake, or no URL.
    ///
    /// - Parameter arguments: The arguments after the name of the command.
    init?(plain arguments: some Collection<String>) {
        let words = arguments.filter { $0.utf8.first != UInt8(ascii: "-") }
        guard let url = words.first else { return nil }
        self.init()
        setDefaults()
        self.url = url
        items = Array(words.dropFirst())
        guard words.count < arguments.count else { return }
        for argument in arguments where argument.utf8.first == UInt8(ascii: "-") {
            guard set(flag: argument) else { return nil }
        }
        // Its messages name the options, and are those of ArgumentParser then.
        guard (try? validate()) != nil, (try? shown.validate()) != nil else { return nil }
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
        case "--remote-name", "-O": saving.remoteName = true
        case "--headers": shown.headers = true
        case "--body": shown.body = true
        case "--meta": shown.meta = true
        case "--all": shown.all = true
        case "--quiet", "-q": shown.quiet = true
        case "--timings": observation.timings = true
        case "--json-errors": errors.jsonErrors = true
        case "--insecure", "-k": connection.insecure = true
        default: return false
        }
        return true
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
