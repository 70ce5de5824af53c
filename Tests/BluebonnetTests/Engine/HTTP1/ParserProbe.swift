import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// The result of parsing some bytes, in a form that can be compared: body pieces joined, bytes as
/// Latin-1 text.
struct ParserProbe: Hashable, CustomStringConvertible {
    var informational: [String] = []
    var head: String?
    var length: HTTP1ResponseParser.BodyLength?
    var body = ""
    var trailers: String?
    var isComplete = false
    var isKeepAlive = false
    /// The bytes after the end of the response.
    var rest = ""
    var fault: HTTP1ParseError.Fault?

    /// Feeds the pieces one after the other, then closes if the response is not over by then.
    ///
    /// - Parameters:
    ///   - pieces: The received bytes, each piece in its own buffer.
    ///   - kind: The kind of the request.
    ///   - limits: The limits of the parser.
    ///   - closes: Whether the peer closes at the end.
    init(
        _ pieces: [[UInt8]],
        _ kind: HTTP1ResponseParser.RequestKind = .ordinary,
        limits: HTTP1Limits = HTTP1Limits(),
        closes: Bool = true
    ) {
        var parser = HTTP1ResponseParser(limits: limits)
        parser.begin(kind)
        do throws(HTTP1ParseError) {
            for piece in pieces {
                var buffer = ByteBuffer(bytes: piece)
                while let event = try parser.next(&buffer) { record(event, parser) }
                rest += String(latin1: Array(buffer.readableBytesView))
            }
            if closes, !parser.isIdle { record(try parser.finish(), parser) }
        } catch {
            fault = error.fault
        }
    }

    init(
        _ text: String,
        _ kind: HTTP1ResponseParser.RequestKind = .ordinary,
        limits: HTTP1Limits = HTTP1Limits()
    ) {
        self.init([text.latin1Bytes], kind, limits: limits)
    }

    /// The result for the whole text. Expects the same result for each way of cutting the text in
    /// two, and for single bytes.
    static func checked(
        _ text: String,
        _ kind: HTTP1ResponseParser.RequestKind = .ordinary,
        limits: HTTP1Limits = HTTP1Limits(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ParserProbe {
        let bytes = text.latin1Bytes
        let whole = ParserProbe([bytes], kind, limits: limits)
        let single = ParserProbe(bytes.map { [$0] }, kind, limits: limits)
        #expect(single == whole, "byte by byte", sourceLocation: sourceLocation)
        for cut in bytes.indices {
            let halves = ParserProbe([Array(bytes[..<cut]), Array(bytes[cut...])], kind, limits: limits)
            guard halves != whole else { continue }
            Issue.record("cut at \(cut): \(halves) instead of \(whole)", sourceLocation: sourceLocation)
            break
        }
        return whole
    }

    private mutating func record(_ event: HTTP1ResponseParser.Event, _ parser: HTTP1ResponseParser) {
        switch event {
        case .informational(let head):
            informational.append(Self.text(head))
        case .head(let head, let length):
            self.head = Self.text(head)
            self.length = length
            isKeepAlive = parser.isKeepAlive
        case .body(let bytes):
            body += String(latin1: Array(bytes.readableBytesView))
        case .end(let trailers):
            self.trailers = trailers.map(Self.text)
            isComplete = true
        }
    }

    private static func text(_ head: ResponseHead) -> String {
        let fields = head.latin1Fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        return "\(head.httpVersion) \(head.status.code) [\(head.status.reasonPhrase)] \(fields)"
    }

    private static func text(_ fields: HTTPFields) -> String {
        fields.map { "\($0.name.rawName)=\($0.latin1Value)" }.joined(separator: "|")
    }

    var description: String {
        let outcome = fault.map { "\($0)" } ?? (isComplete ? "complete" : "unfinished")
        return "\(informational) \(head ?? "-") \(length.map { "\($0)" } ?? "-") keep-alive=\(isKeepAlive) "
            + "body=\(body.debugDescription) trailers=\(trailers ?? "-") rest=\(rest.debugDescription) \(outcome)"
    }
}

extension String {
    /// One byte for each character, which has to be below U+0100.
    var latin1Bytes: [UInt8] {
        unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
