/// One action of a scripted HTTP/2 server; see ``HTTP2FaultServer/Script``.
///
/// Steps run in order, each after the one before it has finished.
package struct HTTP2FaultStep: Sendable {
    enum Action: Sendable {
        case group([HTTP2FaultStep])
        case readHead
        case readEnd
        case readFrame(@Sendable (WireFrame) -> Bool)
        case send([UInt8])
        case onStream(@Sendable (Int) -> [WireFrame])
        case body([UInt8], Int, padding: UInt8? = nil, endStream: Bool)
        case flood([UInt8], Int)
        case wait(Duration)
        case hold(FaultGate)
        case stall
        case tunnel(Int)
        case setReading(Bool)
        case close
        case cut
        case reset
        case startOver
    }

    let action: Action

    private init(_ action: Action) {
        self.action = action
    }

    /// Several steps as one.
    package static func group(_ steps: [HTTP2FaultStep]) -> HTTP2FaultStep { HTTP2FaultStep(.group(steps)) }

    // MARK: Reading

    /// Waits for the head of the next request, which becomes the current one.
    package static let readHead = HTTP2FaultStep(.readHead)

    /// Waits until the client has ended the stream of the current request.
    package static let readEnd = HTTP2FaultStep(.readEnd)

    /// Waits for the next request, which becomes the current one, and its end.
    package static let readRequest = group([readHead, readEnd])

    /// Waits for a frame of the client with this type, after the frames that such steps have taken.
    package static func readFrame(_ kind: WireFrame.Kind) -> HTTP2FaultStep {
        readFrame { $0.kind == kind }
    }

    /// Waits for a frame of the client that fulfills the condition, after the frames that such
    /// steps have taken.
    package static func readFrame(where condition: @escaping @Sendable (WireFrame) -> Bool) -> HTTP2FaultStep {
        HTTP2FaultStep(.readFrame(condition))
    }

    /// Stops reading from the socket, so that the client's writes fill the buffers.
    package static let stopReading = HTTP2FaultStep(.setReading(false))

    /// Reads again as fast as the client sends.
    package static let startReading = HTTP2FaultStep(.setReading(true))

    // MARK: Sending

    /// Sends these bytes as they are.
    package static func send(_ bytes: [UInt8]) -> HTTP2FaultStep { HTTP2FaultStep(.send(bytes)) }

    /// Sends these frames in one write.
    package static func send(_ frames: WireFrame...) -> HTTP2FaultStep { send(frames.flatMap(\.bytes)) }

    /// Sends the frames that the closure makes for the stream of the current request, 1 if there
    /// is none.
    package static func onStream(_ frames: @escaping @Sendable (Int) -> [WireFrame]) -> HTTP2FaultStep {
        HTTP2FaultStep(.onStream(frames))
    }

    /// Sends HEADERS with `:status` and these fields on the stream of the current request.
    package static func head(
        _ status: Int = 200,
        _ fields: [(String, String)] = [],
        endStream: Bool = false
    ) -> HTTP2FaultStep {
        onStream { [.headers([(":status", "\(status)")] + fields, stream: $0, endStream: endStream)] }
    }

    /// Sends HEADERS with these fields only, as trailers.
    package static func trailers(_ fields: [(String, String)]) -> HTTP2FaultStep {
        onStream { [.headers(fields, stream: $0, endStream: true)] }
    }

    /// Sends these bytes as DATA on the stream of the current request, as far as the windows of
    /// the client let it, and waits where they do not.
    package static func body(_ bytes: [UInt8], endStream: Bool = true) -> HTTP2FaultStep {
        HTTP2FaultStep(.body(bytes, 1, endStream: endStream))
    }

    /// Sends this text as ``body(_:endStream:)-([UInt8],_)`` does.
    package static func body(_ text: String, endStream: Bool = true) -> HTTP2FaultStep {
        body(Array(text.utf8), endStream: endStream)
    }

    /// Sends 16 KiB of this byte so many times, as far as the windows of the client let it.
    package static func fill(_ byte: UInt8, blocks: Int, endStream: Bool = true) -> HTTP2FaultStep {
        HTTP2FaultStep(.body([UInt8](repeating: byte, count: 16_384), blocks, endStream: endStream))
    }

    /// Sends one byte so many times, each in a DATA frame with 255 bytes of padding, as far as the
    /// windows of the client let it.
    package static func padded(_ byte: UInt8, times: Int) -> HTTP2FaultStep {
        HTTP2FaultStep(.body([byte], times, padding: 255, endStream: true))
    }

    /// Sends a well-formed response: HEADERS, and DATA when there is a body.
    package static func respond(
        _ status: Int = 200,
        _ fields: [(String, String)] = [],
        body: String = ""
    ) -> HTTP2FaultStep {
        body.isEmpty ? head(status, fields, endStream: true) : group([head(status, fields), .body(body)])
    }

    /// Sends RST_STREAM on the stream of the current request.
    package static func resetStream(_ code: WireFrame.ErrorCode) -> HTTP2FaultStep {
        onStream { [.resetStream(code, stream: $0)] }
    }

    /// Makes the stream of the current request a tunnel to a port of 127.0.0.1, as a proxy does
    /// (RFC 9113 §8.5), with status 200; with 502 where nobody listens there.
    package static func tunnel(to port: Int) -> HTTP2FaultStep { HTTP2FaultStep(.tunnel(port)) }

    /// Sends GOAWAY; without a last stream, that of the current request.
    package static func goAway(lastStream: Int? = nil, _ code: WireFrame.ErrorCode = .noError) -> HTTP2FaultStep {
        onStream { [.goAway(lastStream: lastStream ?? $0, code)] }
    }

    /// Sends these frames so many times, as fast as the client reads; `Int.max` never ends.
    package static func flood(_ frames: WireFrame..., times: Int = .max) -> HTTP2FaultStep {
        HTTP2FaultStep(.flood(frames.flatMap(\.bytes), times))
    }

    /// Sends these bytes so many times, as fast as the client reads; `Int.max` never ends.
    package static func flood(_ bytes: [UInt8], times: Int = .max) -> HTTP2FaultStep {
        HTTP2FaultStep(.flood(bytes, times))
    }

    // MARK: Waiting

    /// Waits for this long.
    package static func wait(_ duration: Duration) -> HTTP2FaultStep { HTTP2FaultStep(.wait(duration)) }

    /// Waits until the test opens the gate.
    package static func hold(_ gate: FaultGate) -> HTTP2FaultStep { HTTP2FaultStep(.hold(gate)) }

    /// Does nothing more until the client closes the connection.
    package static let stall = HTTP2FaultStep(.stall)

    // MARK: Ending

    /// Closes the connection; over TLS with a close_notify alert.
    package static let close = HTTP2FaultStep(.close)

    /// Closes the socket without a close_notify alert.
    package static let cut = HTTP2FaultStep(.cut)

    /// Closes with RST instead of FIN.
    package static let reset = HTTP2FaultStep(.reset)

    /// Runs the script of the connection again from its first step.
    package static let startOver = HTTP2FaultStep(.startOver)
}
