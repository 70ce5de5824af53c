import LocalServer

@testable import Bluebonnet

extension HTTP2Rule {
    /// RFC 9113 §4 and §5: frames, field blocks, streams.
    static let framing: [HTTP2Rule] = [
        Self(
            "9113 §4.1",
            "a frame of an unknown type",
            .accepted("ok"),
            WireFrame(.init(rawValue: 0xFA), flags: .init(rawValue: 0xFF), stream: stream, payload: [1, 2]),
            WireFrame(.init(rawValue: 0xFA), stream: 0),
            .head,
            .body
        ),
        Self(
            "9113 §4.1",
            "flags without a meaning",
            .accepted("ok"),
            .settings(),
            WireFrame(.ping, flags: .init(rawValue: 0xFE), payload: [0, 0, 0, 0, 0, 0, 0, 0]),
            WireFrame(.windowUpdate, flags: .init(rawValue: 0xFF), payload: [0, 0, 0, 1]),
            .head,
            .body
        ),
        Self(
            "9113 §4.1",
            "a set reserved bit",
            .accepted("ok"),
            WireFrame(.windowUpdate, stream: 0x8000_0000, payload: [0, 0, 0, 1]),
            WireFrame(.windowUpdate, stream: 0, payload: [0x80, 0, 0, 1]),
            .head,
            .body
        ),
        Self(
            "9113 §4.2",
            "HEADERS above SETTINGS_MAX_FRAME_SIZE",
            connection(.frameSizeError),
            .headers([(":status", "200"), ("x", String(repeating: "x", count: 17_000))], stream: stream)
        ),
        Self(
            "9113 §4.2",
            "DATA above SETTINGS_MAX_FRAME_SIZE",
            connection(.frameSizeError),
            .head,
            .data([UInt8](repeating: 1, count: 16_385), stream: stream)
        ),
        Self(
            "9113 §4.2",
            "SETTINGS above SETTINGS_MAX_FRAME_SIZE",
            connection(.frameSizeError),
            WireFrame(.settings, payload: [UInt8](repeating: 0, count: 16_386))
        ),
        Self(
            "9113 §4.2",
            "a frame of an unknown type above SETTINGS_MAX_FRAME_SIZE",
            connection(.frameSizeError),
            WireFrame(.init(rawValue: 0xFA), payload: [UInt8](repeating: 0, count: 16_385))
        ),
        Self(
            "9113 §4.3",
            "a field block that cannot be decoded",
            connection(.compressionError),
            .headers(block: [0x80], stream: stream)
        ),
        Self(
            "9113 §4.3",
            "a field block in three frames",
            .accepted("ok"),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            .continuation(HeaderBlock.literal([("a", "b")]), stream: stream, endHeaders: false),
            .continuation(HeaderBlock.literal([("c", "d")]), stream: stream),
            .body
        ),
        Self(
            "9113 §4.3",
            "another frame inside a field block",
            connection(.protocolError),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            .ping()
        ),
        Self(
            "9113 §4.3",
            "a frame of an unknown type inside a field block",
            connection(.protocolError),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            WireFrame(.init(rawValue: 0xFA), stream: stream)
        ),
        Self("9113 §5.1", "DATA on an idle stream", connection(.protocolError), .data("x", stream: 99)),
        Self(
            "9113 §5.1",
            "HEADERS on an idle stream",
            connection(.protocolError),
            .headers([(":status", "200")], stream: 99)
        ),
        Self(
            "9113 §5.1",
            "RST_STREAM on an idle stream",
            connection(.protocolError),
            .resetStream(.cancel, stream: 99)
        ),
        Self("9113 §5.1", "WINDOW_UPDATE on an idle stream", connection(.protocolError), .windowUpdate(1, stream: 99)),
        Self(
            "9113 §5.1",
            "DATA behind END_STREAM",
            .afterwards(.streamClosed, .protocolViolation),
            .head,
            .body,
            .data("more", stream: stream)
        ),
        Self(
            "9113 §5.1",
            "HEADERS behind END_STREAM",
            .afterwards(.streamClosed, .protocolViolation),
            .head,
            .body,
            .headers([("a", "b")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §5.1",
            "WINDOW_UPDATE and RST_STREAM behind END_STREAM",
            .accepted("ok"),
            .head,
            .body,
            .windowUpdate(1, stream: stream),
            .resetStream(.noError, stream: stream)
        ),
        Self(
            "9113 §5.1.1",
            "HEADERS on a stream that only the server could open",
            connection(.protocolError),
            .headers([(":status", "200")], stream: 2)
        ),
        Self(
            "9113 §5.3",
            "a PRIORITY frame on any stream",
            .accepted("ok"),
            .priority(stream: stream),
            .priority(stream: 99),
            .priority(stream: 2),
            .head,
            .body
        ),
        Self(
            "9113 §5.5",
            "a setting that nobody knows",
            .accepted("ok"),
            WireFrame(.settings, payload: [0xFA, 0xFA, 0, 0, 0, 1]),
            .head,
            .body
        ),
    ]

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
