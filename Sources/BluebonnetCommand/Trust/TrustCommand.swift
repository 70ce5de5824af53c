import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// `bluebonnet trust`.
struct TrustCommand: NamedCommand {
    static let name = "trust"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Shows the certificates of a server, and whether they are trusted.",
        discussion: """
            Makes a TLS connection and sends no request. Shows the certificates, each rule that they \
            break, the pins of their keys, and the policy that would pin them.

            Examples:
              bluebonnet trust example.org
              bluebonnet trust localhost:8443 --cacert ca.pem
              bluebonnet trust example.org --pin sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

            Exit status:
               0  the server is trusted
               1  no TLS connection
               2  bad usage
              28  a timeout
              60  the server is not trusted, or TLS failed
            """
    )

    @Argument(help: ArgumentHelp("The server, as HOST, HOST:PORT or an https URL.", valueName: "host"))
    var server: String

    @OptionGroup
    var errors: ErrorOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func validate() throws {
        if connection.insecure { throw ValidationError("--insecure would hide what trust is to show.") }
    }

    func run() async throws {
        NIOSingletons.groupLoopCountSuggestion = 1
        let url = try Self.url(server)
        var configuration = SessionConfiguration()
        try connection.apply(to: &configuration)
        let known = KnownReport()
        // The server is refused after the report, whatever it says, so that nothing is sent.
        configuration.securityPolicy.decision = { report in
            known.report.withLock { $0 = report }
            return .refuse("nothing was to be sent")
        }
        let session = SessionManager(configuration: configuration)
        var failure: NetworkingError?
        do {
            _ = try await TerminationSignals.cancelling {
                try await session.data(for: Request(method: .head, url: url))
            }
        } catch let error as NetworkingError {
            failure = error
        }
        await session.shutdown()
        guard let report = known.report.withLock({ $0 }) else {
            throw failure.map { CommandFailure($0) }
                ?? CommandFailure(
                    message: "\(Credentials.removed(from: url)) has shown no certificate.",
                    status: .trust
                )
        }
        let style = OutputStyle(.auto, for: .output)
        let text = TrustText(
            paint: Paint(style),
            now: Date(),
            hasRevocationLists: configuration.tls.revocationLists != nil
        ).text(report)
        StandardStream.output.write(line: text)
        if !report.isAccepted { throw ExitStatus.trust }
    }

    private final class KnownReport: Sendable {
        let report = Mutex<TrustReport?>(nil)
    }

    /// The URL of a server; the scheme can only be `https`.
    static func url(_ server: String) throws(CommandFailure) -> URL {
        let text = URLShorthand.expand(server, scheme: "https")
        guard let url = URL(string: text), url.host(percentEncoded: false)?.isEmpty == false else {
            // The text before the at sign may be a password.
            guard !text.contains("@") else { throw .usage("The URL of the server is not valid.") }
            throw .usage("“\(ShownText.harmless(server))” is not a server.")
        }
        guard ["https", "https+unix"].contains(url.scheme?.lowercased()) else {
            throw .usage("Only a server for https has certificates.")
        }
        return url
    }
}
