import ArgumentParser
import Bluebonnet

/// The options for timeouts and TLS, which requests and `batch` share.
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

    @Flag(name: .long, help: "Do not check the server's certificate. Anyone can then listen in.")
    var insecure = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the system's: a PEM file or a directory.",
            valueName: "path"
        )
    )
    var cacert: String?

    @Option(name: .long, help: ArgumentHelp("The client certificate with its chain, as PEM.", valueName: "file"))
    var cert: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The key of the client certificate, as PEM. (default: the --cert file)", valueName: "file")
    )
    var key: String?

    func validate() throws {
        for (name, value) in [("--timeout", timeout), ("--connect-timeout", connectTimeout)] {
            guard let value else { continue }
            guard let seconds = Seconds(value), seconds.duration > .zero else {
                throw ValidationError("\(name) must be a number of seconds above 0 and up to \(Seconds.mostText).")
            }
        }
        if key != nil, cert == nil { throw ValidationError("--key needs --cert.") }
    }

    /// Puts the options into a configuration.
    func apply(to configuration: inout SessionConfiguration) {
        configuration.timeouts = timeouts
        configuration.tls.verifiesCertificates = !insecure
        if let cacert { configuration.tls.trustRoots = .file(cacert) }
        if let cert {
            configuration.tls.identity = TLSSettings.Identity(certificateFile: cert, privateKeyFile: key ?? cert)
        }
    }

    /// The library's timeouts, changed by the options.
    var timeouts: Timeouts {
        var timeouts = Timeouts()
        if let seconds = timeout.flatMap(Seconds.init) { timeouts.limitRequest(to: seconds.duration) }
        if let seconds = connectTimeout.flatMap(Seconds.init) { timeouts.connect = seconds.duration }
        return timeouts
    }
}
