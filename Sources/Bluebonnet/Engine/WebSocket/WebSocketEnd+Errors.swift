/// What the end of a connection means, by the stage in which it came.
extension WebSocketEnd {
    /// The connection has ended.
    ///
    /// - Parameters:
    ///   - machine: The decisions until then.
    ///   - cause: The error of the connection; nil where it was closed.
    ///   - server: The name of the server, for messages.
    init(of machine: WebSocketConnection.StateMachine, _ cause: NetworkingError?, server: String) {
        // RFC 6455 §7.1.5: without a Close frame of the peer, the code is 1006.
        let abnormal = WebSocketClosure(code: .abnormalClosure)
        switch machine.stage {
        case .open, .over:
            let message = "\(server) ended the WebSocket without a close handshake."
            let code = cause?.code ?? .connectionLost
            let error = NetworkingError(code, cause?.message ?? message, underlying: cause?.underlying ?? abnormal)
            self.init(closure: abnormal, error: error)
        case .closing:
            // This side wanted the end. A peer that ends the connection then is expected to have
            // read the Close frame, unless it had not taken all before at the last look; one that
            // resets it may have dropped what came before that (RFC 9293 §3.10.7.4). TLS that ends
            // without its closing alert is no reset.
            let isReset = cause.map { $0.code != .tlsFailed } ?? false
            let isLost = machine.isAllAcknowledged.map { !$0 } ?? isReset
            self.init(closure: abnormal, error: isLost ? .unsent(to: server, cause) : nil)
        case .closed(let closure, let isOwn, _):
            self.init(closure: closure, error: isOwn || closure.code.isExpected ? nil : .closed(by: server, closure))
        case .failed(let fault, _):
            self.init(closure: abnormal, error: .failed(fault, server: server))
        }
    }
}

extension WebSocketEnd {
    /// This side wanted the end, and the server has stopped taking what was to be sent before it.
    static func sendingStopped(by server: String, for time: Duration) -> Self {
        let closure = WebSocketClosure(code: .abnormalClosure)
        let error = NetworkingError(
            .connectionLost,
            "\(server) has not taken everything that was sent: it took nothing for \(Optional(time).sentence).",
            underlying: closure
        )
        return Self(closure: closure, error: error)
    }
}

extension NetworkingError {
    /// The server has closed a WebSocket with a code that is an error.
    fileprivate static func closed(by server: String, _ closure: WebSocketClosure) -> NetworkingError {
        NetworkingError(.webSocketClosed, "\(server) closed the WebSocket with \(closure).", underlying: closure)
    }

    /// The server has broken the protocol, or a limit.
    fileprivate static func failed(_ fault: WebSocketFault, server: String) -> NetworkingError {
        NetworkingError(
            fault.closeCode == .messageTooBig ? .webSocketMessageTooLarge : .webSocketProtocolError,
            "The WebSocket to \(server) failed. \(fault.sentence)",
            underlying: WebSocketClosure(code: fault.closeCode)
        )
    }

    /// No pong came.
    static func noPong(from server: String, within time: Duration) -> NetworkingError {
        NetworkingError(
            .webSocketPingTimeout,
            "\(server) sent no pong within \(Optional(time).sentence).",
            underlying: WebSocketClosure(code: .abnormalClosure)
        )
    }

    /// This side has closed the WebSocket, and the server may not have what was sent before that.
    fileprivate static func unsent(to server: String, _ cause: NetworkingError?) -> NetworkingError {
        NetworkingError(
            cause?.code ?? .connectionLost,
            """
            \(server) ended the WebSocket without a close handshake, and may not have received everything that was \
            sent.
            """,
            underlying: cause?.underlying ?? WebSocketClosure(code: .abnormalClosure)
        )
    }

    /// Something was to be sent on a WebSocket that is over.
    static func webSocketIsOver(_ closure: WebSocketClosure) -> NetworkingError {
        NetworkingError(.webSocketClosed, "The WebSocket is closed: \(closure).", underlying: closure)
    }
}
