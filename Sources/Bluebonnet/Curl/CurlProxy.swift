import HTTPTypes

/// The proxy of a request as words for curl.
struct CurlProxy {
    private(set) var words: [String] = []
    /// What curl cannot be told, for a person.
    private(set) var note: String?

    private let redacts: Bool

    /// - Parameters:
    ///   - request: The request; the proxies of its session are not in it.
    ///   - origin: Its server.
    ///   - redacting: Whether passwords and tokens are left out.
    init(of request: Request, to origin: Origin, redacting: Bool) {
        redacts = redacting
        guard let source = request.proxies?.source, case .host = origin.endpoint else { return }
        switch source {
        // curl reads the same variables.
        case .environment: break
        case .resolver: leaveOut("Code chooses the proxy of this request: write its URL in place of PROXY.")
        case .rules(let rules):
            do throws(NetworkingError) {
                if let proxy = try rules.proxy(for: origin) {
                    add(proxy, except: rules.exceptions, for: request, to: origin)
                } else {
                    words = ["--noproxy '*'"]
                }
            } catch {
                leaveOut("The proxy of this request is none: write the URL of one in place of PROXY.")
            }
        }
    }

    /// The command must not go around the proxy: there is no host of this name.
    private mutating func leaveOut(_ reason: String) {
        words = ["--proxy PROXY", "--noproxy ''"]
        note = reason
    }

    private mutating func add(
        _ proxy: Proxy,
        except exceptions: ProxyExceptions,
        for request: Request,
        to origin: Origin
    ) {
        // A field of the request itself is sent in place of the credential.
        let credential = request.headerFields.contains(.proxyAuthorization) ? nil : proxy.credential
        var login = ""
        switch credential?.kind {
        case .password(let user, let password)? where !proxy.kind.isSOCKS || credential?.fits(.basic) == true:
            let encoded = { (bytes: [UInt8]) in ASCII.percentEncoded(bytes, keeping: ASCII.isUnreserved) }
            login = "\(encoded(user)):\(redacts ? SecretNames.replacement : encoded(password))@"
        case .token(let token)? where !proxy.kind.isSOCKS:
            let field = "Proxy-Authorization: Bearer \(redacts ? SecretNames.replacement : token)"
            words.append("--proxy-header \(ShellWord(field).text)")
        default: break
        }
        words.insert("--proxy \(ShellWord("\(proxy.kind)://\(login)\(proxy.origin.description)").text)", at: 0)
        if let credential, !login.isEmpty, !proxy.kind.isSOCKS {
            // curl sends Basic at once where nothing else is said.
            if !credential.fits(.basic) {
                words.append("--proxy-digest")
            } else if !credential.isPreemptive {
                words.append("--proxy-anyauth")
            }
        }
        // Without the option, a variable would count.
        words.append("--noproxy \(ShellWord(exceptions.curlList).text)")
        // curl adds this field, and the engine does not.
        if !proxy.kind.isSOCKS, !origin.isSecure { words.append("--header Proxy-Connection:") }
    }
}
