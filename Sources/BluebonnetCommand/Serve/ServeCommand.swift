import ArgumentParser
import FoundationEssentials
import LocalServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `bluebonnet serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        _superCommandName: MainCommand.name,
        abstract: "Runs a server with httpbin's endpoints.",
        discussion: """
            Prints its URL and runs until it is interrupted. Among its endpoints:
            /get /post /headers /status/404 /delay/2 /redirect/3 /gzip /stream/10
            /bytes/1024 /basic-auth/user/password /cookies /etag/x /json /protocol /trailers.

            And a small service with logins and a chat, the user is ada, the password secret:
            /v1/users /v1/users/1 /v1/token /v1/revoke /v1/profile /v1/chat/completions;
            and pictures: /v1/pictures?count=100 /v1/pictures/1.png.

            Examples:
              bluebonnet serve --port 8080
              bluebonnet serve --tls --http2
              bluebonnet serve --unix /tmp/bluebonnet.sock
            """
    )

    @Option(name: .long, help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "port"))
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

    @Option(name: .long, help: ArgumentHelp("Listen on a Unix-domain socket instead.", valueName: "path"))
    var unix: String?

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
            StandardStream.error.write(line: "To trust the certificate, use --cacert \(files.authority)")
            try await serve(ServerTLS(certificates.localhost), until: ends)
        }
    }

    private func serve(_ tls: ServerTLS?, until ends: AsyncStream<Void>) async throws {
        let address: LocalServer.Options.Address = unix.map { .unixSocket($0) } ?? .tcp(host: host, port: port)
        let server: LocalServer
        do {
            server = try await LocalServer.start(LocalServer.Options(address: address, tls: tls, http2: http2))
        } catch {
            throw CommandFailure(message: "The server cannot listen: \(error)", status: .transport)
        }
        StandardStream.output.write(line: try url(of: server))
        for await _ in ends { break }
        await server.shutdown()
    }

    private func url(of server: LocalServer) throws -> String {
        guard let path = server.socketPath, let url = URL(string: server.baseURL) else { return server.baseURL }
        return try URLShorthand.overUnixSocket(url, path: path).absoluteString
    }
}
