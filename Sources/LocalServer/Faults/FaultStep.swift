/// One action of a scripted server on a connection; see ``FaultServer/Script``.
///
/// Steps run in order, each after the one before it has finished.
package struct FaultStep: Sendable {
    enum Action: Sendable {
        case readRequest
        case readHead
        case readBytes(Int)
        case send([UInt8])
        case fill(UInt8, Int)
        case drip(ArraySlice<UInt8>, Int, Duration)
        case wait(Duration)
        case hold(FaultGate)
        case stall
        case setReading(Bool)
        case readSlowly(Int, Duration)
        case halfClose
        case close
        case cut
        case reset
        case startOver
        case tunnel(Int, [UInt8])
    }

    let action: Action

    init(_ action: Action) {
        self.action = action
    }

    // MARK: Reading

    /// Waits for one whole request, head and body (RFC 9112 §6: chunked, else content-length, else
    /// none).
    package static let readRequest = FaultStep(.readRequest)

    /// Waits for the head of the next request only; a later ``readRequest`` takes that same
    /// request.
    package static let readHead = FaultStep(.readHead)

    /// Waits until the server has received at least this many bytes on the connection.
    package static func readBytes(_ count: Int) -> FaultStep { FaultStep(.readBytes(count)) }

    /// Stops reading from the socket, so that the client's writes fill the buffers.
    package static let stopReading = FaultStep(.setReading(false))

    /// Reads again as fast as the client sends.
    package static let startReading = FaultStep(.setReading(true))

    /// Reads at most this many bytes at a time, once per interval, while the next steps run.
    ///
    /// The number is rounded up to a power of two.
    package static func readSlowly(bytes: Int, every interval: Duration) -> FaultStep {
        FaultStep(.readSlowly(bytes, interval))
    }

    // MARK: Sending

    /// Sends these bytes as they are and waits until the kernel has taken them.
    package static func send(_ bytes: [UInt8]) -> FaultStep { FaultStep(.send(bytes)) }

    /// Sends this text as UTF-8, as it is, and waits until the kernel has taken it.
    package static func send(_ text: String) -> FaultStep { FaultStep(.send(Array(text.utf8))) }

    /// Sends a well-formed response with a `Content-Length`, then these fields, then the body.
    package static func respond(
        _ status: Int = 200,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) -> FaultStep {
        respond(status, headers: headers, bytes: Array(body.utf8))
    }

    /// Sends a well-formed response with a `Content-Length`, then these fields, then the body.
    package static func respond(
        _ status: Int = 200,
        headers: [(name: String, value: String)] = [],
        bytes: [UInt8]
    ) -> FaultStep {
        var head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(bytes.count)\r\n"
        for field in headers {
            head += "\(field.name): \(field.value)\r\n"
        }
        return send(Array((head + "\r\n").utf8) + bytes)
    }

    /// Sends an informational response such as 100 or 103, with these fields (RFC 9110 §15.2).
    package static func informational(_ status: Int, headers: [(name: String, value: String)] = []) -> FaultStep {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return send("HTTP/1.1 \(status) Scripted\r\n\(fields)\r\n")
    }

    /// Sends this text in pieces of so many bytes, with a delay between two pieces.
    package static func drip(_ text: String, pieces: Int = 1, every delay: Duration) -> FaultStep {
        drip(Array(text.utf8), pieces: pieces, every: delay)
    }

    /// Sends these bytes in pieces of so many bytes, with a delay between two pieces.
    package static func drip(_ bytes: [UInt8], pieces: Int = 1, every delay: Duration) -> FaultStep {
        FaultStep(.drip(bytes[...], max(1, pieces), delay))
    }

    /// Sends one byte value so many times, in writes of at most 64 KiB; `Int.max` never ends.
    package static func fill(_ byte: UInt8, count: Int) -> FaultStep { FaultStep(.fill(byte, count)) }

    // MARK: Being a proxy

    /// Connects to a port of 127.0.0.1, sends the answer, and from then on moves all bytes between
    /// the client and that port, as a proxy does for CONNECT and SOCKS.
    package static func tunnel(to port: Int, answering answer: [UInt8]) -> FaultStep {
        FaultStep(.tunnel(port, answer))
    }

    /// The same with an answer of HTTP. Default: a 200 without fields.
    package static func tunnel(
        to port: Int,
        answering answer: String = "HTTP/1.1 200 Connection established\r\n\r\n"
    ) -> FaultStep {
        tunnel(to: port, answering: Array(answer.utf8))
    }

    // MARK: Waiting

    /// Waits for this long.
    package static func wait(_ duration: Duration) -> FaultStep { FaultStep(.wait(duration)) }

    /// Waits until the test opens the gate.
    package static func hold(_ gate: FaultGate) -> FaultStep { FaultStep(.hold(gate)) }

    /// Does nothing more until the client closes the connection.
    package static let stall = FaultStep(.stall)

    // MARK: Ending

    /// Ends our direction (FIN after the last byte) and goes on reading.
    package static let halfClose = FaultStep(.halfClose)

    /// Closes the connection; over TLS with a close_notify alert.
    package static let close = FaultStep(.close)

    /// Closes the socket without a close_notify alert, like an attack that truncates a TLS stream.
    ///
    /// Without TLS this is the same as ``close``.
    package static let cut = FaultStep(.cut)

    /// Closes with RST instead of FIN.
    ///
    /// The client may lose bytes that it has not read yet; where they matter, put a ``hold(_:)``
    /// before this step.
    package static let reset = FaultStep(.reset)

    /// Runs the connection's script again from its first step.
    package static let startOver = FaultStep(.startOver)
}
