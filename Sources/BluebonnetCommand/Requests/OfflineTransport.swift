import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Shows the request that the engine would send, and sends nothing.
struct OfflineTransport: Transport {
    let style: OutputStyle
    let output: StandardStream
    /// What is shown of the request.
    let parts: PrintedParts

    /// The largest body of a file that a terminal shows.
    private static let mostShown = 64 * 1024

    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        try request.checkHead()
        var heads = HeadWriter(stream: output, style: style)
        // Without a style it is a message as it is sent (RFC 9112 §2.1).
        if !style.isTerminal, !style.formats, !style.colors { heads.lineEnd = "\r\n" }
        if parts.contains(.requestHead) { heads.write(request) }
        if parts.contains(.requestBody), let body = request.body {
            try await write(body, contentType: request.headerFields[.contentType])
        }
        return TransportResponse(head: ResponseHead(status: .ok), request: request)
    }

    private func write(_ body: RequestBody, contentType: String?) async throws {
        if let data = try await data(of: body) {
            let printer = BodyPrinter(style: style, output: output)
            let outcome = try await printer.print(.data(data), contentType: contentType)
            if outcome == .withheld { tell("it is binary") }
        } else if style.isTerminal {
            tell(body.length.map { "it is \($0) bytes from a file" } ?? "its length is not known")
        } else {
            try await body.read { [output] piece in output.write(piece) }
        }
    }

    /// The body, where it is in memory, or is to be shown on a terminal and small.
    private func data(of body: RequestBody) async throws -> Data? {
        if let data = body.data { return data }
        guard style.isTerminal, body.length ?? .max <= Self.mostShown else { return nil }
        let pieces = Mutex(Data())
        try await body.read { piece in pieces.withLock { $0 += piece } }
        return pieces.withLock { $0 }
    }

    private func tell(_ reason: String) {
        StandardStream.error.write(line: "bluebonnet: The body is not shown on a terminal: \(reason).")
    }
}
