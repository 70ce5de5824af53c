import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Heads and timings as text.
struct HeadText {
    let paint: Paint
    /// Whether the secrets in fields and URLs are replaced, by the rules of `curlDescription`.
    var hidesSecrets = false
    /// Whether characters that steer a terminal are replaced. In a pipe, fields stay as they are.
    var isTerminal = false

    /// The request as it was sent, with the fields that the engine adds. With HTTP/2 the first two
    /// lines stand for its pseudo-header fields (RFC 9113 §8.3.1). The version is left out where it
    /// is nil, since it is not known before there is a connection.
    func request(_ request: Request, version: HTTPVersion? = .http1_1) -> [String] {
        let url = request.url
        var path = url.path(percentEncoded: true)
        if !path.hasPrefix("/") { path = "/" + path }
        if let query = url.query(percentEncoded: true) { path += "?" + query }
        let protocolName = version.map { " HTTP/\($0)" } ?? ""
        var lines = ["\(request.method.rawValue) \(shown(url: path))\(protocolName)"]
        let host = request.headerFields.first { $0.name.canonicalName == "host" }?.value ?? URLShorthand.host(of: url)
        lines.append(field("Host", host))
        for header in request.headerFields where header.name.canonicalName != "host" {
            lines.append(field(header.name.rawName, shown(header)))
        }
        guard !request.headerFields.contains(.contentLength), !request.headerFields.contains(.transferEncoding) else {
            return lines
        }
        if let body = request.body {
            if let length = body.length {
                lines.append(field("Content-Length", "\(length)"))
            } else if let version, version < .http2 {
                lines.append(field("Transfer-Encoding", "chunked"))
            }
        } else if [.post, .put, .patch].contains(request.method) {
            lines.append(field("Content-Length", "0"))
        }
        return lines
    }

    /// The lines of the head of a response.
    func response(_ head: ResponseHead) -> [String] {
        let part: Paint.Part =
            switch head.status.code {
            case ..<300: .success
            case ..<400: .redirection
            default: .failure
            }
        return [paint(harmless(head.description), part)] + head.headerFields.map { field($0.name.rawName, shown($0)) }
    }

    /// The times of all phases, in one line, and the stream of HTTP/2.
    ///
    /// - Parameters:
    ///   - timings: The times.
    ///   - stream: The stream of HTTP/2. Default: none.
    ///   - all: The number of all requests, where it was not the only one, and the time that they
    ///     took. Default: none.
    ///   - showsPhases: Whether the times are in it. Default: yes.
    /// - Returns: The line.
    func timings(
        _ timings: Timings,
        stream: Int? = nil,
        of all: (count: Int, duration: Duration)? = nil,
        showsPhases: Bool = true
    ) -> String {
        let parts: [(String, Duration?)] = [
            ("queue", timings.queue), ("dns", timings.dns), ("connect", timings.connect), ("proxy", timings.proxy),
            ("tls", timings.tls),
            ("first byte", timings.firstByte), ("total", timings.total),
        ]
        let text = parts.compactMap { name, duration in duration.map { "\(name) \(Self.milliseconds($0))" } }
        var connection = timings.isConnectionReused ? "reused connection" : "new connection"
        if let stream { connection = "stream \(stream) of a \(connection)" }
        let start = showsPhases ? "\(text.joined(separator: ", ")) (\(connection))" : connection
        let end = all.map { "; \($0.count) requests in \(Self.milliseconds($0.duration))" } ?? ""
        return paint(start + end, .faint)
    }

    private func shown(_ header: HTTPField) -> String {
        hidesSecrets ? shown(url: SecretNames.redacted(header)) : header.value
    }

    /// A URL, the target of a request, or a text with URLs in it, without user and password and
    /// without the values of secrets in queries, in fragments and behind semicolons, where servers
    /// put tokens too.
    func shown(url: String) -> String {
        guard hidesSecrets else { return url }
        return SecretText().hidden(in: url)
    }

    private func field(_ name: String, _ value: String) -> String {
        "\(paint(name, .name)): \(harmless(value))"
    }

    private func harmless(_ text: String) -> String { isTerminal ? ShownText.harmless(text) : text }

    /// For people: `0.31 ms`, `12.5 ms`, `1304 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .microseconds(10)).rounded())
        if hundredths >= 10_000 { return "\(hundredths / 100) ms" }
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
