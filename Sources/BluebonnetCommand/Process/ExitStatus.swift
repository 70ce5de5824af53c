import Bluebonnet
import HTTPTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The exit statuses, so that scripts need not read the output.
///
/// From 3 to 6 they are those of HTTPie. What has another number there, or none, has that of curl,
/// so that no number of HTTPie has another meaning here but 2, which is bad usage as in shells.
enum ExitStatus: Int32, Error, Sendable, CaseIterable {
    case success = 0
    case transport = 1
    case usage = 2
    case redirect = 3
    case clientError = 4
    case serverError = 5
    case tooManyRedirects = 6
    case timeout = 28
    case trust = 60

    /// The text of `--help` about the status.
    private var meaning: String {
        switch self {
        case .success: "a response with status 2xx or 3xx"
        case .transport: "no complete response: connection, protocol, limits, files"
        case .usage: "bad usage: options, items or a URL that cannot be a request"
        case .redirect: "a redirect that --no-follow shows"
        case .clientError: "a response with status 4xx"
        case .serverError: "a response with status 5xx"
        case .tooManyRedirects: "more redirects than --max-redirects allows"
        case .timeout: "a timeout"
        case .trust: "the certificate is not trusted, or TLS failed"
        }
    }

    /// The table for `--help`.
    static let help = allCases.map { status in
        "  \(status.rawValue < 10 ? " " : "")\(status.rawValue)  \(status.meaning)"
    }
    .joined(separator: "\n")

    /// The exit status of a response.
    ///
    /// - Parameters:
    ///   - statusCode: The status of the last response.
    ///   - followsRedirects: Whether a redirect would have been followed, where it could be.
    ///     Default: true.
    init(statusCode: Int, followsRedirects: Bool = true) {
        switch statusCode {
        // 304 is for a stored response, and no redirect (RFC 9110 §15.4.5).
        case 300..<400 where !followsRedirects && statusCode != 304: self = .redirect
        case 400..<500: self = .clientError
        case 500...: self = .serverError
        default: self = .success
        }
    }

    /// The exit status of an error.
    ///
    /// - Parameter error: The error of the library.
    init(_ error: NetworkingError) {
        switch error.code {
        case .invalidURL, .unsupportedScheme, .unsupportedFeature, .invalidRequest, .requestSerializationFailed,
            .invalidProxy, .invalidTrustConfiguration:
            self = .usage
        case .tlsFailed, .proxyTLSFailed: self = .trust
        case .tooManyRedirects: self = .tooManyRedirects
        case .unacceptableStatusCode, .webSocketRefused:
            let status = error.response.map { ExitStatus(statusCode: $0.status.code) } ?? .transport
            // A redirect without a target, for example, is not what was asked for.
            self = status == .success ? .transport : status
        default:
            self = error.isTimeout ? .timeout : error.code.family == .trust ? .trust : .transport
        }
    }

    /// Ends the process.
    func exit() -> Never {
        #if canImport(Glibc)
            Glibc.exit(rawValue)
        #elseif canImport(Musl)
            Musl.exit(rawValue)
        #else
            Darwin.exit(rawValue)
        #endif
    }
}
