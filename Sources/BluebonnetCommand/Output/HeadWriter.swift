import Bluebonnet
import FoundationEssentials

/// Writes heads and timings to a stream.
struct HeadWriter {
    let stream: StandardStream
    let style: OutputStyle
    /// Whether the secrets in fields and URLs are replaced.
    var hidesSecrets = false

    private var text: HeadText { HeadText(paint: Paint(isOn: style.colors), hidesSecrets: hidesSecrets) }

    /// Everything that is known when the head is there: request, interim responses, redirects,
    /// response.
    func write(_ answer: TransportResponse) {
        for url in answer.redirects {
            write(lines: [text.paint("redirected to \(text.shown(url: url.absoluteString))", .faint)])
        }
        write(answer.request)
        for head in answer.informational { write(head) }
        write(answer.head)
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
