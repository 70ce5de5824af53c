import ArgumentParser
import FoundationEssentials
import LocalServer
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `bluebonnet serve`.
struct ServeCommand: NamedCommand {
    static let name = "serve"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Runs a server with httpbin's endpoints.",
        discussion: """
            Prints its URL and runs until it is interrupted. The page at / lists all endpoints with
            their parameters, also those that fail on purpose, such as /fault/reset. The one at
            /websocket sends the messages of a WebSocket back.

            Examples:
              bluebonnet serve --port 8080
              bluebonnet serve --tls --http2
              bluebonnet serve --unix /tmp/bluebonnet.sock
            """
    )

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "port"))
    var port = 0

    @Option(name: .long, help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Flag(
        name: .long,
        help: "Use TLS with a certificate made at the start; standard error shows how a client can trust it."
    )
    var tls = false

    @Flag(
        name: .customLong("http2"),
        help: "Speak HTTP/2: with --tls beside HTTP/1.1, else only to clients with --http2-prior-knowledge."
    )
    var http2 = false

    @Option(
        name: .long,
        help: ArgumentHelp("Listen on a Unix-domain socket instead.", valueName: "path"),
        completion: .file()
    )
    var unix: String?

    @Flag(
        name: .long,
        inversion: .prefixedNo,
        help: "Write a line for each request to standard error. (default: where that is a terminal)"
    )
    var log: Bool?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let signals = TerminationSignals([SIGINT, SIGTERM]) { _ in end.yield() }
        defer { signals.stop() }
        guard tls else { return try await serve(nil, until: ends) }
        let certificates = try TestCertificates.shared()
        try await certificates.withFiles { files in
            let fingerprint = Self.fingerprint(certificates.authority.certificateSHA256)
            StandardStream.error.write(
                line: """
                    The certificate is from an authority made at the start, which ends with the server.
                    Its file: \(files.authority)
                    Its fingerprint (SHA-256): \(fingerprint)
                    To trust it: bluebonnet --cacert FILE, curl --cacert FILE, or import the file into a browser.
                    The pin of the server's key: sha256/\(certificates.localhost.publicKeyPin)
                    """
            )
            try await serve(ServerTLS(certificates.localhost), until: ends)
        }
    }

    private func serve(_ tls: ServerTLS?, until ends: AsyncStream<Void>) async throws {
        let address: LocalServer.Options.Address = unix.map { .unixSocket($0) } ?? .tcp(host: host, port: port)
        let server: LocalServer
        do {
            var options = LocalServer.Options(address: address, tls: tls, http2: http2)
            if log ?? StandardStream.error.isTerminal { options.log = Self.write }
            server = try await LocalServer.start(options)
        } catch {
            throw CommandFailure(message: "The server cannot listen: \(sentence(about: error))", status: .transport)
        }
        StandardStream.output.write(line: try url(of: server))
        for await _ in ends { break }
        await server.shutdown()
    }

    /// The reason of a server that cannot listen, and what can be done.
    private func sentence(about error: any Error) -> String {
        if let unknown = error as? SocketAddressError.UnknownHost {
            return "the host name “\(host)” could not be resolved: \(unknown.errorDescription)."
        }
        if case SocketAddressError.unixDomainSocketPathTooLong = error {
            return "the path “\(unix ?? "")” is too long for a socket."
        }
        guard let code = (error as? IOError)?.errnoCode else { return "\(error)." }
        switch code {
        case EADDRINUSE where unix == nil:
            return "port \(port) is in use. --port takes another one, and --port 0 one that is free."
        case EACCES where unix == nil && port < 1024:
            return "a port below 1024 needs rights that you do not have. --port takes another one."
        case EADDRNOTAVAIL: return "\(host) is not an address of this machine. --host takes another one."
        default: return "\(SystemFailure(unix ?? "\(host):\(port)", code: code))."
        }
    }

    /// The bytes as certificate viewers show them: `AB:CD:…`.
    private static func fingerprint(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// Writes a line for a request: `127.0.0.1 GET /get HTTP/1.1 200 179 B 0.31 ms`.
    private static func write(_ record: AccessRecord) {
        let paint = Paint(OutputStyle(.auto, for: .error))
        let part: Paint.Part =
            record.isCut || record.status >= 400 ? .failure : record.status >= 300 ? .redirection : .success
        let request = ShownText.harmless("\(record.origin) \(record.method) \(record.target) \(record.version)")
        let end = record.isCut ? ", cut off" : ""
        let size = "\(ProgressBar.size(record.bytes)) in \(HeadText.milliseconds(record.duration))\(end)"
        StandardStream.error.write(line: "\(request) \(paint("\(record.status)", part)) \(size)")
    }

    private func url(of server: LocalServer) throws -> String {
        guard let path = server.socketPath, let url = URL(string: server.baseURL) else { return server.baseURL }
        return try URLShorthand.overUnixSocket(url, path: path).absoluteString
    }
}
