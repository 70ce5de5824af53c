import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Shows the request that the engine would send, and sends nothing.
struct OfflineTransport: Transport {
    let style: OutputStyle
    let output: StandardStream

    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        HeadWriter(stream: output, style: style).write(request)
        if let body = request.body { try await write(body, contentType: request.headerFields[.contentType]) }
        return TransportResponse(head: ResponseHead(status: .ok), request: request)
    }

    private func write(_ body: RequestBody, contentType: String?) async throws {
        if let data = body.data {
            let printer = BodyPrinter(style: style, output: output)
            let outcome = try await printer.print(.data(data), contentType: contentType)
            if outcome == .withheld { tell("it is binary") }
        } else if style.isTerminal {
            tell(body.length.map { "it is \($0) bytes from a file" } ?? "its length is not known")
        } else {
            try await body.read { [output] piece in output.write(piece) }
        }
    }

    private func tell(_ reason: String) {
        StandardStream.error.write(line: "bluebonnet: The body is not shown on a terminal: \(reason).")
    }
}
