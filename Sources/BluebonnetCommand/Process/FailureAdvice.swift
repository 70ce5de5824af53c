import Bluebonnet

/// What a person can do about the error of a request, in options of the command.
enum FailureAdvice {
    /// What can be done about an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - ofRequest: Whether the command is one of requests, which has options and items that
    ///     `download`, `upload` and others do not have.
    /// - Returns: A sentence; nil where the error says enough.
    static func text(for error: NetworkingError, ofRequest: Bool) -> String? {
        switch error.code {
        case .connectFailed where error.message.contains("Connection refused"):
            "No server listens there: check the port."
        case .proxyConnectFailed: "Check --proxy, or the variables http_proxy, https_proxy and all_proxy."
        case .unsupportedScheme where error.message.contains("“ws"): "“bluebonnet ws” opens WebSockets."
        case .dnsLookupFailed: "Check the name, and the network."
        case .connectTimeout, .dnsLookupTimeout: "--connect-timeout SECONDS allows more time."
        case .requestTimeout, .firstByteTimeout, .betweenBytesTimeout: "--timeout SECONDS allows more time."
        case .tooManyRedirects where ofRequest: "--max-redirects N follows more."
        case .certificateUntrusted:
            "--cacert FILE trusts its authority, and --insecure (-k) every certificate."
        case .certificateExpired, .certificateNotYetValid, .certificateHostMismatch:
            "--insecure (-k) accepts every certificate."
        case .requestBodyNotReplayable where ofRequest && error.message.contains("expectsContinue"):
            "The item for this is Expect:100-continue."
        case .redirectRefused where error.message.contains("sendsBodiesOnInsecureRedirects"):
            "The option for this is --body-on-insecure-redirects."
        default: nil
        }
    }
}
