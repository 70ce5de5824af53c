import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// The options for timeouts, versions of HTTP, TLS, addresses and proxies, which requests and
/// `batch` share.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The time for the whole request, body and redirects included.", valueName: "seconds")
    )
    var timeout: Double?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time until a connection is ready: name lookup, TCP and TLS. (default: 10)",
            valueName: "seconds"
        )
    )
    var connectTimeout: Double?

    @Flag(exclusivity: .exclusive)
    var version: VersionOption?

    @Flag(name: [.customShort("k"), .long], help: "Do not check the server's certificate. Anyone can then listen in.")
    var insecure = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the system's: a PEM file or a directory.",
            valueName: "path"
        ),
        completion: .file()
    )
    var cacert: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A pin of the server's key or of an authority above it: sha256/ and Base64, as `bluebonnet trust` prints "
                + "it. The chain must have one of the pins. (repeatable)",
            valueName: "pin"
        )
    )
    var pin: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The pins of hosts, as JSON; for a host that it names, they take the place of --pin.",
            valueName: "file"
        ),
        completion: .file()
    )
    var pins: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Lists of revoked certificates (CRLs), as PEM, or one as DER. As with curl, there must be a list for every "
                + "certificate but the trusted one.",
            valueName: "file"
        ),
        completion: .file()
    )
    var crlfile: String?

    @Option(name: .long, help: "The lowest version of TLS: 1.0, 1.1, 1.2 or 1.3. (default: 1.2)")
    var tlsMin: LowestTLSVersion?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The client certificate with its chain, as PEM, or with its key as .p12 or .pfx.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cert: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The key of the client certificate, as PEM. (default: the --cert file)", valueName: "file"),
        completion: .file()
    )
    var key: String?

    @Option(name: .long, help: ArgumentHelp("The password of the client certificate's key.", valueName: "password"))
    var pass: String?

    @OptionGroup
    var addresses: AddressOptions

    @OptionGroup
    var proxies: ProxyOptions

    func validate() throws {
        for (name, value) in [("--timeout", timeout), ("--connect-timeout", connectTimeout)] {
            guard let value else { continue }
            guard let seconds = Seconds(value), seconds.duration > .zero else {
                throw ValidationError("\(name) must be a number of seconds above 0 and up to \(Seconds.mostText).")
            }
        }
        if key != nil, cert == nil { throw ValidationError("--key needs --cert.") }
        if pass != nil, cert == nil { throw ValidationError("--pass needs --cert.") }
        do {
            _ = try pinnedKeys
            _ = try pinList
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Puts the options into a configuration.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        try checkFiles()
        configuration.timeouts = timeouts
        configuration.sparesMemory = true
        if let version { configuration.httpVersions = version.policy }
        try addresses.apply(to: &configuration)
        try proxies.apply(to: &configuration)
        try applyTrust(to: &configuration)
        do {
            configuration.pinList = try pinList
        } catch {
            throw .usage(error.message)
        }
        if let crlfile {
            configuration.tls.revocationLists = .file(crlfile)
            configuration.tls.revocationLists?.areRequired = true
        }
        if let cacert { configuration.tls.trustRoots = .file(cacert) }
        if let tlsMin { configuration.tls.minimumVersion = tlsMin.version }
        // As curl and browsers do.
        let log = EnvironmentVariables.all["SSLKEYLOGFILE"]
        if let log, !log.isEmpty { configuration.tls.keyLogFile = log }
    }

    /// Puts the options of ``trust`` into a configuration.
    fileprivate func applyTrust(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        if insecure { configuration.securityPolicy = .acceptingAnyCertificate }
        do {
            let keys = try pinnedKeys
            if !keys.isEmpty {
                configuration.securityPolicy.pinningMode = .publicKey
                configuration.securityPolicy.pinnedKeys = keys
            }
        } catch {
            throw .usage(error.message)
        }
        if let cert { configuration.tls.identity = identity(cert) }
    }

    /// The options of trust that can be for one host, and the certificate that the server gets.
    var trust: [String] {
        let files = [("cert", cert), ("key", key), ("pass", pass)]
        return (insecure ? ["--insecure"] : []) + pin.map { "--pin=\($0)" }
            + files.compactMap { name, value in value.map { "--\(name)=\($0)" } }
    }

    /// Looks for the files of the options, also those that the scheme of the URL makes useless: an
    /// option with a wrong path or another kind of file is bad usage, and not a server that is not
    /// trusted.
    private func checkFiles() throws(CommandFailure) {
        let files = [
            ("--cacert", cacert), ("--crlfile", crlfile), ("--cert", cert), ("--key", key),
            ("--proxy-cacert", proxies.proxyCacert),
        ]
        for (option, path) in files {
            guard let path else { continue }
            do throws(SystemFailure) {
                try InputFile.checkAccess(to: path)
            } catch {
                throw .usage("\(option): \(error).")
            }
        }
        let pem = isBundle ? nil : cert
        for (option, path) in [("--cacert", cacert), ("--cert", pem), ("--proxy-cacert", proxies.proxyCacert)] {
            if let path { try Self.check(path, of: option, for: "CERTIFICATE-----", "certificate") }
        }
        if let keyFile = key ?? pem {
            try Self.check(keyFile, of: key == nil ? "--cert" : "--key", for: "PRIVATE KEY-----", "private key")
        }
    }

    /// Looks for the label of PEM (RFC 7468 §2) in a file. A folder may be one of certificates, and
    /// a pipe can be read only once.
    private static func check(
        _ path: String,
        of option: String,
        for label: String,
        _ noun: String
    ) throws(CommandFailure) {
        guard FileKind(target: path) == .regular else { return }
        let bytes = try RequestPlan.readFile(path, until: nil)
        guard !String(decoding: bytes, as: UTF8.self).contains(label) else { return }
        throw CommandFailure(
            message: "\(option): \(path) has no \(noun) in PEM.",
            status: .usage,
            code: NetworkingError.Code.invalidTrustConfiguration.rawValue
        )
    }

    /// Whether `--cert` is a PKCS #12 file, which has the key too.
    private var isBundle: Bool {
        guard let cert, key == nil else { return false }
        return [".p12", ".pfx"].contains { cert.lowercased().hasSuffix($0) }
    }

    private var pinList: PinList? {
        get throws(NetworkingError) { try pins.map { path throws(NetworkingError) in try PinList(file: path) } }
    }

    private var pinnedKeys: Set<PublicKeyPin> {
        get throws(NetworkingError) {
            var pins: Set<PublicKeyPin> = []
            for text in pin { pins.insert(try PublicKeyPin(text)) }
            return pins
        }
    }

    private func identity(_ cert: String) -> TLSSettings.Identity {
        isBundle
            ? TLSSettings.Identity(pkcs12File: cert, password: pass)
            : TLSSettings.Identity(certificateFile: cert, privateKeyFile: key ?? cert, password: pass)
    }

    /// The library's timeouts, changed by the options.
    var timeouts: Timeouts {
        var timeouts = Timeouts()
        if let seconds = timeout.flatMap(Seconds.init) { timeouts.limitRequest(to: seconds.duration) }
        if let seconds = connectTimeout.flatMap(Seconds.init) { timeouts.connect = seconds.duration }
        return timeouts
    }
}

extension SessionConfiguration {
    /// Lets the policy of trust and the client certificate be for the hosts of URLs alone.
    ///
    /// - Parameters:
    ///   - urls: The URLs.
    ///   - others: The options of trust for the hosts to which they redirect.
    /// - Throws: ``CommandFailure`` for pins that are none.
    mutating func limitTrust(to urls: [URL], otherwise others: ConnectionOptions) throws(CommandFailure) {
        let hosts = urls.compactMap { $0.host(percentEncoded: false) }.filter { !$0.isEmpty }
        guard !hosts.isEmpty else { return }
        for host in hosts {
            hostSecurityPolicies[host] = securityPolicy
            if let identity = tls.identity { tls.hostIdentities[host] = identity }
        }
        securityPolicy = SecurityPolicy()
        tls.identity = nil
        try others.applyTrust(to: &self)
    }
}

/// The choices of `--tls-min`.
enum LowestTLSVersion: String, ExpressibleByArgument, CaseIterable, Sendable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"

    var version: TLSVersion {
        switch self {
        case .tls10: .tls1_0
        case .tls11: .tls1_1
        case .tls12: .tls1_2
        case .tls13: .tls1_3
        }
    }
}
