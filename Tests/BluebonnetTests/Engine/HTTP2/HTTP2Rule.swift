import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// One row of the table of rules: what a server does that RFC 9113 or RFC 7541 does not allow, or
/// that a client must accept, and what must come of it.
struct HTTP2Rule: Sendable, CustomTestStringConvertible {
    /// The stream on which the server does it; a response on stream 1 is under way meanwhile.
    static let stream = 3

    enum Outcome: Sendable {
        /// The stream ends with RST_STREAM of this code; the connection and stream 1 go on.
        case stream(WireFrame.ErrorCode, NetworkingError.Code)
        /// The connection ends with GOAWAY of this code, and every stream fails.
        case connection(WireFrame.ErrorCode, NetworkingError.Code)
        /// The server may do it: the response is complete and has this body.
        case accepted(String)
        /// The response has arrived before the fault, so that only stream 1 fails, with the
        /// connection.
        case afterwards(WireFrame.ErrorCode, NetworkingError.Code)
    }

    /// The section with the rule.
    var section: String
    var name: String
    var steps: [HTTP2FaultStep]
    var outcome: Outcome
    var method = HTTPRequest.Method.get
    /// Whether the request on the stream is still being sent.
    var isUploading = false

    var testDescription: String { "\(section): \(name)" }

    init(_ section: String, _ name: String, _ outcome: Outcome, steps: [HTTP2FaultStep]) {
        self.section = section
        self.name = name
        self.steps = steps
        self.outcome = outcome
    }

    /// The server sends these frames in one write.
    init(_ section: String, _ name: String, _ outcome: Outcome, _ frames: WireFrame...) {
        self.init(section, name, outcome, steps: [.send(frames.flatMap(\.bytes))])
    }

    /// The server sends HEADERS with these fields.
    init(_ section: String, _ name: String, _ outcome: Outcome, fields: [(String, String)]) {
        self.init(section, name, outcome, .headers(fields, stream: Self.stream, endStream: true))
    }

    /// The server sends HEADERS with this field block.
    init(_ section: String, _ name: String, _ outcome: Outcome, block: [UInt8]) {
        self.init(section, name, outcome, .headers(block: block, stream: Self.stream, endStream: true))
    }

    /// The same while the request on the stream is still being sent.
    var uploading: HTTP2Rule {
        var rule = self
        rule.method = .post
        rule.isUploading = true
        return rule
    }

    /// The same where the request on the stream is HEAD.
    var asHead: HTTP2Rule {
        var rule = self
        rule.method = .head
        return rule
    }

    /// The connection error of a rule about frames.
    static func connection(_ code: WireFrame.ErrorCode) -> Outcome { .connection(code, .protocolViolation) }

    /// The stream error of a malformed message (RFC 9113 §8.1.1).
    static let malformed = Outcome.stream(.protocolError, .malformedHeader)
}

extension WireFrame {
    /// A head with status 200 on the stream of the rule.
    static let head = headers([(":status", "200")], stream: HTTP2Rule.stream)

    /// The rest of a response with the body "ok" on the stream of the rule.
    static let body = data("ok", stream: HTTP2Rule.stream, endStream: true)
}
