extension RequestOptions {
    /// Takes over an option of curl for the connection, the output, credentials or retries.
    ///
    /// - Parameters:
    ///   - option: The option, which has a value.
    ///   - value: Its value.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a value that is not supported.
    mutating func apply(_ option: CurlLine.Option, _ value: String) throws(CommandFailure) {
        switch option.name {
        case .user: authentication.auth = [value]
        case .bearer: authentication.bearer = value
        case .output: output = value
        case .maxRedirects: maxRedirects = value == "-1" ? .max : try number(option, value)
        case .retry: retries.retry = try number(option, value)
        case .maxTime: connection.timeout = try seconds(option, value)
        case .connectTimeout: connection.connectTimeout = try seconds(option, value)
        case .cacert, .capath: connection.cacert = value
        case .crlfile: connection.crlfile = value
        case .key: connection.key = value
        case .pass: connection.pass = value
        case .cert:
            let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            connection.cert = String(parts[0])
            if parts.count == 2 { connection.pass = String(parts[1]) }
        case .pinnedKey:
            let pins = value.split(separator: ";")
            guard pins.allSatisfy({ $0.hasPrefix("sha256//") }) else {
                throw .usage("\(option.written) with a file is not supported here.")
            }
            connection.pin = pins.map { "sha256/\($0.dropFirst("sha256//".count))" }
        case .proto:
            guard ["https", "=https"].contains(value), url.lowercased().hasPrefix("https://") else {
                throw .usage("\(option.written) is supported here as “=https” with an https URL only.")
            }
            insecureRedirects = false
        case .unixSocket: unixSocket = value
        case .resolve: connection.addresses.resolve.append(value)
        case .connectTo: connection.addresses.connectTo.append(value)
        case .interface: connection.addresses.interface = value
        default: applyProxy(option.name, value)
        }
    }

    private mutating func applyProxy(_ option: CurlOption, _ value: String) {
        switch option {
        case .proxy: connection.proxies.proxy = value
        case .noproxy: connection.proxies.noproxy = value
        case .proxyUser: connection.proxies.proxyUser = value
        case .proxyCacert: connection.proxies.proxyCacert = value
        case .socks4: connection.proxies.proxy = "socks4://\(value)"
        case .socks4a: connection.proxies.proxy = "socks4a://\(value)"
        case .socks5: connection.proxies.proxy = "socks5://\(value)"
        case .socks5Hostname: connection.proxies.proxy = "socks5h://\(value)"
        default: break
        }
    }

    private func number(_ option: CurlLine.Option, _ value: String) throws(CommandFailure) -> Int {
        guard let number = Int(value), number >= 0 else {
            throw .usage("“\(value)” is not a value of \(option.written).")
        }
        return number
    }

    /// The number of seconds of an option; nil for 0, which is curl's own time.
    func seconds(_ option: CurlLine.Option, _ value: String) throws(CommandFailure) -> Double? {
        guard let number = Double(value), let seconds = Seconds(number) else {
            throw .usage("“\(value)” is not a value of \(option.written).")
        }
        return seconds.duration > .zero ? number : nil
    }
}
