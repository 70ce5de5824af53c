extension RequestOptions {
    /// Reads a URL and items without options, as most requests have them, with the result of
    /// ArgumentParser. That needs a third of the time of a short request to register all options.
    /// Nil where an argument begins with a dash or there is none.
    ///
    /// - Parameter arguments: The arguments after the name of the command.
    init?(plain arguments: some Collection<String>) {
        guard let url = arguments.first, !arguments.contains(where: { $0.utf8.first == UInt8(ascii: "-") }) else {
            return nil
        }
        self.init()
        self.url = url
        items = Array(arguments.dropFirst())
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
