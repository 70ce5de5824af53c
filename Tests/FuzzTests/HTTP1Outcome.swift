import NIOCore

@testable import Bluebonnet

/// The outcome of the parser of HTTP/1.1 responses, for bytes and a close of the connection.
enum HTTP1Outcome {
    static func of(_ pieces: [ArraySlice<UInt8>]) -> FuzzTarget.Outcome {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits(headerSection: 2_000, headerLine: 500, chunkLine: 100))
        // The first byte chooses the kind of request, so that both kinds are tried.
        let first = pieces.first { !$0.isEmpty }?.first ?? 1
        parser.begin(first % 16 == 0 ? .head : .ordinary)
        var text = ""
        var body: [UInt8] = []
        var kind = ""
        do throws(HTTP1ParseError) {
            for piece in pieces {
                var buffer = ByteBuffer(bytes: piece)
                while let event = try parser.next(&buffer) { record(event, &text, &body, &kind) }
                // Bytes after the end of the response are not for the parser.
                if parser.isIdle { break }
            }
            if !parser.isIdle { record(try parser.finish(), &text, &body, &kind) }
        } catch {
            text += " fault \(error.fault)"
            kind += " \(error.fault)"
        }
        return FuzzTarget.Outcome(text: "\(text) \(body)", kind: "\(kind) \(FuzzTarget.bucket(body.count))")
    }

    private static func record(
        _ event: HTTP1ResponseParser.Event,
        _ text: inout String,
        _ body: inout [UInt8],
        _ kind: inout String
    ) {
        switch event {
        case .informational(let head):
            text += " informational \(head) \(head.headerFields)"
            kind += "i"
        case .head(let head, let length):
            text += " head \(head) \(head.headerFields) \(length)"
            kind += "h\(head.statusCode / 100)\(FuzzTarget.bucket(head.headerFields.count))"
        case .body(let bytes):
            body += Array(buffer: bytes)
        case .end(let trailers):
            let fields = trailers.map { "\($0)" } ?? "none"
            text += " end \(fields)"
            kind += "e\(FuzzTarget.bucket(trailers?.count ?? 0))"
        }
    }
}
