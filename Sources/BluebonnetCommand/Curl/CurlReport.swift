import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The text of curl's `-w`, in which the facts of a transfer take the place of variables.
struct CurlReport: Equatable, Sendable {
    private enum Part: Equatable, Sendable {
        case text(String)
        case variable(Variable)
        /// The value of a header field of the response.
        case header(String)
        /// Standard error or standard output, for what follows.
        case stream(isError: Bool)
    }

    /// The variables, by their names.
    enum Variable: String, Equatable, Sendable {
        case contentType = "content_type", fileName = "filename_effective"
        case httpCode = "http_code", responseCode = "response_code", httpVersion = "http_version"
        case localAddress = "local_ip", localPort = "local_port", method, connectCount = "num_connects"
        case headerCount = "num_headers", redirectCount = "num_redirects", redirectURL = "redirect_url"
        case remoteAddress = "remote_ip", remotePort = "remote_port", scheme, downloadSize = "size_download"
        case uploadSize = "size_upload", downloadSpeed = "speed_download", uploadSpeed = "speed_upload"
        case timeTLS = "time_appconnect", timeConnect = "time_connect", timeLookup = "time_namelookup"
        case timeSending = "time_pretransfer", timeRedirects = "time_redirect"
        case timeFirstByte = "time_starttransfer", timeTotal = "time_total", url, lastURL = "url_effective"
    }

    private var parts: [Part] = []

    /// Reads the value of `-w`.
    ///
    /// - Parameter format: The value; the text of the file for one with `@`.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a variable that is not supported.
    init(_ format: String) throws(CommandFailure) {
        var text = String.UnicodeScalarView()
        var rest = format.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.popFirst() {
                text += Self.escapes[next].map { [$0] } ?? [scalar, next]
            } else if scalar == "%", rest.first == "%" {
                text.append(rest.removeFirst())
            } else if scalar == "%", let name = Self.name(behind: "{", in: &rest) {
                append(text: &text)
                parts.append(try Self.part(named: name))
            } else if scalar == "%", let name = Self.name(behind: "header{", in: &rest) {
                append(text: &text)
                parts.append(.header(name))
            } else {
                text.append(scalar)
            }
        }
        append(text: &text)
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]

    private mutating func append(text: inout String.UnicodeScalarView) {
        if !text.isEmpty { parts.append(.text(String(text))) }
        text = String.UnicodeScalarView()
    }

    /// Takes a name in braces from the beginning of a text; nil where there is none.
    private static func name(behind start: String, in rest: inout Substring.UnicodeScalarView) -> String? {
        guard rest.starts(with: start.unicodeScalars), let end = rest.firstIndex(of: "}") else { return nil }
        let name = String(rest[..<end].dropFirst(start.unicodeScalars.count))
        rest = rest[rest.index(after: end)...]
        return name
    }

    private static func part(named name: String) throws(CommandFailure) -> Part {
        switch name.lowercased() {
        case "stderr": return .stream(isError: true)
        case "stdout": return .stream(isError: false)
        case let lower:
            guard let variable = Variable(rawValue: lower) else {
                throw .usage("The variable %{\(name)} of curl's -w is not supported here.")
            }
            return .variable(variable)
        }
    }

    /// Writes the text.
    ///
    /// - Parameter transfer: The transfer.
    func write(_ transfer: CurlTransfer) {
        var stream = StandardStream.output
        for part in parts {
            switch part {
            case .text(let text): stream.write(text.utf8)
            case .variable(let variable): write(transfer.value(of: variable), to: stream)
            case .header(let name): write(transfer.header(name), to: stream)
            case .stream(let isError): stream = isError ? .error : .output
            }
        }
    }

    /// Writes what may be the server's words.
    private func write(_ value: String, to stream: StandardStream) {
        stream.write((stream.isTerminal ? ShownText.harmless(value) : value).utf8)
    }
}

/// The facts of a transfer for ``CurlReport``, as far as it came.
struct CurlTransfer: Sendable {
    /// The URL of the line.
    let url: String
    /// The request of the line, for one that was not sent.
    let request: Request
    let metrics: TaskMetrics?
    /// The file that the body was written to; nil for standard output.
    let file: String?
    /// Whether the body of the response was left unread.
    let isBodyHidden: Bool

    private var last: TransactionMetrics? { metrics?.transactions.last }

    /// The last response that came.
    private var response: (head: ResponseHead, url: URL)? {
        let transaction = metrics?.transactions.last { $0.response != nil }
        return transaction.flatMap { transaction in transaction.response.map { ($0, transaction.request.url) } }
    }

    /// The last request that had a connection.
    private var connected: TransactionMetrics? { metrics?.transactions.last { $0.remoteEndpoint != nil } }

    /// The value of a header field of the last response; empty without one.
    func header(_ name: String) -> String {
        guard let name = HTTPField.Name(name) else { return "" }
        return response?.head.values(for: name).first ?? ""
    }

    /// The value of a variable as curl writes it.
    func value(of variable: CurlReport.Variable) -> String {
        switch variable {
        case .httpCode, .responseCode: response.map { "\($0.head.status.code)" } ?? "000"
        case .contentType: header("Content-Type")
        case .headerCount: "\(response?.head.headerFields.count ?? 0)"
        case .httpVersion: response.map { $0.head.httpVersion == .http1_0 ? "1" : "\($0.head.httpVersion)" } ?? "0"
        case .redirectCount: "\(metrics?.redirectCount ?? 0)"
        case .redirectURL: redirectURL
        case .method: (last?.request ?? request).method.rawValue
        case .scheme: connected == nil ? "" : Self.scheme(of: lastURL)
        case .url: url
        case .lastURL: lastURL
        case .fileName: file ?? ""
        case .localAddress: connected?.localEndpoint?.address ?? ""
        case .localPort: "\(connected?.localEndpoint?.port ?? 0)"
        case .remoteAddress: connected?.remoteEndpoint?.address ?? ""
        case .remotePort: "\(connected?.remoteEndpoint?.port ?? 0)"
        case .connectCount: "\(Set(metrics?.transactions.compactMap(\.connectionIdentifier) ?? []).count)"
        case .downloadSize: "\(downloadSize)"
        case .uploadSize: "\(last?.bytes.requestBody ?? 0)"
        case .downloadSpeed: speed(of: downloadSize)
        case .uploadSpeed: speed(of: last?.bytes.requestBody ?? 0)
        default: Self.text(time(variable))
        }
    }

    // MARK: URLs

    private var redirectURL: String {
        guard let response, (300..<400).contains(response.head.status.code), metrics?.redirectCount == 0 else {
            return ""
        }
        let location = response.head.values(for: .location).first
        return location.flatMap { URL(string: URLText.encoded($0), relativeTo: response.url)?.absoluteString } ?? ""
    }

    private var lastURL: String {
        let url = last?.request.url ?? request.url
        // The path of a Unix-domain socket is in it.
        guard url.scheme?.hasSuffix("+unix") != true else { return self.url }
        let text = url.absoluteString
        guard let start = text.utf8.firstRange(of: "://".utf8)?.upperBound else { return text }
        // Curl writes the path of the root (RFC 9110 §4.2.3).
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        return text[end...].hasPrefix("/") ? text : "\(text[..<end])/\(text[end...])"
    }

    private static func scheme(of url: String) -> String { String(url.prefix { $0 != ":" }).uppercased() }

    // MARK: Sizes and times

    /// The size of the body without framing, and with its content coding.
    private var downloadSize: Int {
        guard let last, !isBodyHidden else { return 0 }
        return last.bytes.decodedResponseBody - (last.bytesSavedByCoding ?? 0)
    }

    private func speed(of bytes: Int) -> String {
        let seconds = time(.timeTotal) / .seconds(1)
        return seconds > 0 ? "\(Int(Double(bytes) / seconds))" : "0"
    }

    /// A time since the beginning, which is of all requests together where there were redirects.
    private func time(_ variable: CurlReport.Variable) -> Duration {
        func sum(_ end: (TransactionMetrics) -> Duration?) -> Duration {
            (metrics?.transactions ?? []).reduce(.zero) { sum, transaction in
                sum + (end(transaction).map { $0 - transaction.start } ?? .zero)
            }
        }
        switch variable {
        case .timeLookup: return sum { $0.nameLookup?.end ?? $0.queue?.end }
        case .timeConnect: return sum { ($0.proxyEntry ?? $0.connect)?.end ?? $0.sending?.start }
        case .timeTLS: return sum { $0.tls?.end }
        case .timeSending: return sum { $0.sending?.start }
        case .timeFirstByte: return sum { $0.receiving?.start }
        case .timeRedirects: return metrics?.redirectCount ?? 0 > 0 ? last?.start ?? .zero : .zero
        default: return metrics?.duration ?? .zero
        }
    }

    /// Seconds with six digits behind the point.
    private static func text(_ time: Duration) -> String {
        let microseconds = Int(time / .microseconds(1))
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }
}

extension RequestRunner {
    /// Writes what `-w` of a line for curl wants to be written.
    ///
    /// - Parameters:
    ///   - request: The request of the line.
    ///   - metrics: What happened.
    ///   - status: The status of a response that was shown; nil for a failure.
    func report(_ request: Request, _ metrics: TaskMetrics?, status: Int?) {
        guard let curl, let report = curl.report else { return }
        report.write(
            CurlTransfer(
                url: curl.url,
                request: request,
                metrics: metrics,
                file: savedPath,
                isBodyHidden: curl.hidesFailures && status.map { $0 >= 400 } ?? false
            )
        )
    }
}
