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
enum ExitStatus: Int32, Error, Sendable, CaseIterable {
    case success = 0
    case transport = 1
    case usage = 2
    case timeout = 3
    case clientError = 4
    case serverError = 5
    case trust = 6

    /// The text of `--help` about the status.
    private var meaning: String {
        switch self {
        case .success: "a response with status 2xx or 3xx"
        case .transport: "no complete response: connection, protocol, limits, files"
        case .usage: "bad usage: options, items or a URL that cannot be a request"
        case .timeout: "a timeout"
        case .clientError: "a response with status 4xx"
        case .serverError: "a response with status 5xx"
        case .trust: "the certificate is not trusted, or TLS failed"
        }
    }

    /// The table for `--help`.
    static let help = allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")

    /// The exit status of a response.
    ///
    /// - Parameter statusCode: The status of the last response.
    init(statusCode: Int) {
        switch statusCode {
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
            .invalidProxy:
            self = .usage
        case .tlsFailed, .proxyTLSFailed: self = .trust
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
