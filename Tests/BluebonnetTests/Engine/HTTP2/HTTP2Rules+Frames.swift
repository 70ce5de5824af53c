import LocalServer

@testable import Bluebonnet

extension HTTP2Rule {
    /// RFC 9113 §6: the types of frames.
    static let frames: [HTTP2Rule] = [
        Self("9113 §6.1", "DATA on the connection", connection(.protocolError), .data("x", stream: 0)),
        Self(
            "9113 §6.1",
            "DATA with more padding than payload",
            connection(.protocolError),
            .head,
            WireFrame(.data, flags: .padded, stream: stream, payload: [5, 1, 2])
        ),
        Self(
            "9113 §6.1",
            "DATA with padding",
            .accepted("ok"),
            .head,
            .data([111, 107], stream: stream, endStream: true, padding: 255)
        ),
        Self(
            "9113 §6.2",
            "HEADERS on the connection",
            connection(.protocolError),
            .headers([(":status", "200")], stream: 0)
        ),
        Self(
            "9113 §6.2",
            "HEADERS with more padding than payload",
            connection(.protocolError),
            WireFrame(.headers, flags: [.padded, .endHeaders], stream: stream, payload: [9, 0x88])
        ),
        Self(
            "9113 §6.2",
            "HEADERS with padding and priority",
            .accepted("ok"),
            WireFrame(
                .headers,
                flags: [.padded, .priority, .endHeaders],
                stream: stream,
                payload: [2, 0, 0, 0, 0, 15, 0x88, 0, 0]
            ),
            .body
        ),
        Self("9113 §6.3", "PRIORITY on the connection", connection(.protocolError), .priority(stream: 0)),
        Self(
            "9113 §6.3",
            // A stream error, which may be one of the connection (§5.4.1).
            "PRIORITY of another length",
            connection(.frameSizeError),
            .priority([0, 0, 0, 0], stream: stream)
        ),
        Self("9113 §6.4", "RST_STREAM on the connection", connection(.protocolError), .resetStream(.cancel, stream: 0)),
        Self(
            "9113 §6.4",
            "RST_STREAM of another length",
            connection(.frameSizeError),
            WireFrame(.resetStream, stream: stream, payload: [0, 0, 8])
        ),
        Self("9113 §6.5", "SETTINGS on a stream", connection(.protocolError), WireFrame(.settings, stream: stream)),
        Self(
            "9113 §6.5",
            "an acknowledgement of SETTINGS with a payload",
            connection(.frameSizeError),
            WireFrame(.settings, flags: .acknowledgement, payload: [0, 1, 0, 0, 0, 0])
        ),
        Self(
            "9113 §6.5",
            "SETTINGS of a length that is no multiple of six",
            connection(.frameSizeError),
            WireFrame(.settings, payload: [0, 1, 0, 0, 0])
        ),
        Self(
            "9113 §6.5.2",
            "SETTINGS_ENABLE_PUSH of a server",
            connection(.protocolError),
            .settings([(.enablePush, 1)])
        ),
        Self(
            "9113 §6.5.2",
            "SETTINGS_ENABLE_PUSH of another value",
            connection(.protocolError),
            .settings([(.enablePush, 2)])
        ),
        Self(
            "9113 §6.5.2",
            "SETTINGS_INITIAL_WINDOW_SIZE above the largest",
            connection(.flowControlError),
            .settings([(.initialWindowSize, 0x8000_0000)])
        ),
        Self(
            "9113 §6.5.3",
            "a setting twice in a frame, whose last value counts",
            .accepted("ok"),
            .settings([(.initialWindowSize, 0x7FFF_FFFF), (.initialWindowSize, 70_000)]),
            .windowUpdate(0x7FFF_FFFF - 70_000, stream: stream),
            .head,
            .body
        ),
        Self(
            "9113 §6.5.2",
            "SETTINGS_MAX_FRAME_SIZE below the smallest",
            connection(.protocolError),
            .settings([(.maxFrameSize, 16_383)])
        ),
        Self(
            "9113 §6.5.2",
            "SETTINGS_MAX_FRAME_SIZE above the largest",
            connection(.protocolError),
            .settings([(.maxFrameSize, 1 << 24)])
        ),
        Self(
            "8441 §3",
            "SETTINGS_ENABLE_CONNECT_PROTOCOL of another value",
            connection(.protocolError),
            .settings([(.enableConnectProtocol, 2)])
        ),
        Self(
            "9113 §6.6",
            "PUSH_PROMISE, which the client has forbidden",
            connection(.protocolError),
            .pushPromise(
                2,
                [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")],
                stream: stream
            )
        ),
        Self(
            "9113 §6.7",
            "PING on a stream",
            connection(.protocolError),
            WireFrame(.ping, stream: stream, payload: [0, 0, 0, 0, 0, 0, 0, 0])
        ),
        Self(
            "9113 §6.7",
            "PING of another length",
            connection(.frameSizeError),
            WireFrame(.ping, payload: [0, 0, 0, 0])
        ),
        Self(
            "9113 §6.7",
            "an acknowledgement of a PING that was not sent",
            .accepted("ok"),
            .ping(42, acknowledgement: true),
            .head,
            .body
        ),
        Self(
            "9113 §6.8",
            "GOAWAY on a stream",
            connection(.protocolError),
            WireFrame(.goAway, stream: stream, payload: [0, 0, 0, 0, 0, 0, 0, 0])
        ),
        Self(
            "9113 §6.8",
            "GOAWAY that is too short",
            connection(.frameSizeError),
            WireFrame(.goAway, payload: [0, 0, 0, 0])
        ),
        Self(
            "9113 §6.8",
            "GOAWAY with a later stream than the one before",
            connection(.protocolError),
            .goAway(lastStream: stream),
            .goAway(lastStream: stream + 2)
        ),
        Self(
            "9113 §6.9",
            "WINDOW_UPDATE of another length",
            connection(.frameSizeError),
            WireFrame(.windowUpdate, payload: [0, 0, 1])
        ),
        Self(
            "9113 §6.9",
            "WINDOW_UPDATE of nothing for a stream",
            .stream(.protocolError, .protocolViolation),
            .windowUpdate(0, stream: stream)
        ).uploading,
        Self(
            "9113 §6.9",
            "WINDOW_UPDATE of nothing for a stream whose request is complete",
            .stream(.protocolError, .protocolViolation),
            .windowUpdate(0, stream: stream)
        ),
        Self("9113 §6.9", "WINDOW_UPDATE of nothing for the connection", connection(.protocolError), .windowUpdate(0)),
        Self(
            "9113 §6.9.1",
            "a window of a stream above the largest",
            .stream(.flowControlError, .protocolViolation),
            .head,
            .windowUpdate(0x7FFF_FFFF, stream: stream)
        ).uploading,
        Self(
            "9113 §6.9.1",
            "a window above the largest, of a stream whose request is complete",
            .stream(.flowControlError, .protocolViolation),
            .windowUpdate(0x7FFF_FFFF, stream: stream)
        ),
        Self(
            "9113 §6.9.1",
            "a window of the connection above the largest",
            connection(.flowControlError),
            .windowUpdate(0x7FFF_FFFF)
        ),
        Self(
            "9113 §6.9.2",
            "a setting that makes the window of a stream larger than the largest",
            connection(.flowControlError),
            .windowUpdate(0x7FFF_FFFF - 65_535, stream: stream),
            .settings([(.initialWindowSize, 65_536)])
        ).uploading,
        Self(
            "9113 §6.9.2",
            "such a setting, where the request of the stream is complete",
            connection(.flowControlError),
            .windowUpdate(0x7FFF_FFFF - 65_535, stream: stream),
            .settings([(.initialWindowSize, 65_536)])
        ),
        Self(
            "9218 §7.1",
            "PRIORITY_UPDATE, which only clients may send",
            connection(.protocolError),
            WireFrame(.priorityUpdate, stream: 0, payload: [0, 0, 0, 1] + Array("u=1".utf8))
        ),
        Self("9113 §6.10", "CONTINUATION without HEADERS", connection(.protocolError), .continuation(stream: stream)),
        Self(
            "9113 §6.10",
            "CONTINUATION on another stream",
            connection(.protocolError),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            .continuation(stream: 1)
        ),
        Self(
            "9113 §6.10",
            "CONTINUATION on the connection",
            connection(.protocolError),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            .continuation(stream: 0)
        ),
        Self(
            "9113 §6.10",
            "CONTINUATION behind a whole field block",
            connection(.protocolError),
            .head,
            .continuation(stream: stream)
        ),
    ]
}
