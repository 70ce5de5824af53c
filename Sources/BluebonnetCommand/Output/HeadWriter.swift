import Bluebonnet
import FoundationEssentials

/// Writes heads and timings to a stream.
struct HeadWriter {
    let stream: StandardStream
    let style: OutputStyle
    /// Whether the secrets in fields and URLs are replaced.
    var hidesSecrets = false

    private var text: HeadText { HeadText(paint: Paint(isOn: style.colors), hidesSecrets: hidesSecrets) }

    /// Writes everything that is known when the head is there: redirects, request, informational
    /// responses, response.
    func write(_ response: TransportResponse) {
        for url in response.redirects {
            write(lines: [text.paint("redirected to \(text.shown(url: url.absoluteString))", .faint)])
        }
        write(response.request)
        for head in response.informational { write(head) }
        write(response.head)
    }

    func write(_ request: Request) {
        write(lines: text.request(request) + [""])
    }

    func write(_ head: ResponseHead) {
        write(lines: text.response(head) + [""])
    }

    func write(_ timings: Timings) {
        write(lines: [text.timings(timings)])
    }

    private func write(lines: [String]) {
        stream.write(line: lines.joined(separator: "\n") + "\n")
    }
}
