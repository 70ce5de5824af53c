import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// The options for proxies, which all commands that send requests share.
struct ProxyOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The proxy: [scheme://][user:password@]host[:port]; an empty one is none.",
            discussion: """
                The schemes are http, https, socks4, socks4a, socks5 and socks5h. (default: those of the variables \
                http_proxy, https_proxy and all_proxy)
                """,
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The hosts that need no proxy, with commas between them: names, addresses, networks as 10.0.0.0/8, or *. "
                + "(default: those of the variable no_proxy)",
            valueName: "list"
        )
    )
    var noproxy: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The credential for the proxy. Other users can see it.", valueName: "user:password")
    )
    var proxyUser: String?

    @Flag(name: .long, help: "Send the proxy's user and password by Digest alone, when it asks.")
    var proxyDigest = false

    @Option(
        name: .long,
        help: ArgumentHelp("The certificate authorities to trust for an https proxy.", valueName: "path"),
        completion: .file()
    )
    var proxyCacert: String?

    @Flag(name: .long, help: "Do not check the certificate of an https proxy.")
    var proxyInsecure = false

    func validate() throws {
        // HTTPie names the scheme of the URLs that the proxy is for.
        for scheme in ["http:", "https:", "all:"] {
            guard let proxy, proxy.hasPrefix(scheme), proxy.dropFirst(scheme.count).contains("://") else { continue }
            throw ValidationError("--proxy is for all URLs here: write the URL of the proxy without “\(scheme)”.")
        }
        do {
            _ = try configuration
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Puts the options into a configuration.
    ///
    /// - Throws: ``CommandFailure`` for a proxy that is none.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        do throws(NetworkingError) {
            configuration.proxies = try self.configuration
        } catch {
            throw .usage(error.message)
        }
        if let proxyCacert { configuration.proxyTLS.trustRoots = .file(proxyCacert) }
        if proxyInsecure { configuration.proxySecurityPolicy = .acceptingAnyCertificate }
    }

    private var configuration: ProxyConfiguration {
        get throws(NetworkingError) {
            var variables = EnvironmentVariables.all
            if let noproxy {
                variables["NO_PROXY"] = nil
                variables["no_proxy"] = noproxy
            }
            let credential = credential
            guard let proxy else {
                return proxyDigest
                    ? .environment(variables, credential: credential, schemes: [.digest])
                    : .environment(variables, credential: credential)
            }
            guard !proxy.isEmpty else { return .direct }
            var fixed = try Proxy(proxy)
            if let credential { fixed.credential = credential }
            if proxyDigest { fixed = fixed.limited(to: [.digest]) }
            let lower = variables["no_proxy"].flatMap { $0.isEmpty ? nil : $0 }
            return .proxy(fixed, except: ProxyExceptions(lower ?? variables["NO_PROXY"] ?? ""))
        }
    }

    private var credential: Credential? {
        guard let proxyUser else { return nil }
        let parts = proxyUser.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var credential = Credential(user: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : "")
        credential.isPreemptive = true
        return credential
    }
}
