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
            "9113 §4.2",
            "CONTINUATION above SETTINGS_MAX_FRAME_SIZE",
            connection(.frameSizeError),
            .headers(block: [0x88], stream: stream, endHeaders: false),
            .continuation([UInt8](repeating: 0, count: 16_385), stream: stream)
        ),
        Self(
            "9113 §4.2",
            // A stream error, which may be one of the connection (§5.4.1).
            "DATA that is too short for its length of padding",
            connection(.frameSizeError),
            .head,
            WireFrame(.data, flags: .padded, stream: stream)
        ),
        Self(
            "9113 §4.2",
            "HEADERS that are too short for their length of padding",
            connection(.frameSizeError),
            WireFrame(.headers, flags: [.padded, .endHeaders], stream: stream)
        ),
        Self(
            "9113 §4.2",
            "HEADERS that are too short for their priority",
            connection(.frameSizeError),
            WireFrame(.headers, flags: [.priority, .endHeaders], stream: stream, payload: [0, 0, 0, 0])
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
            "DATA behind END_STREAM, while the request is being sent",
            .accepted("ok"),
            .head,
            .body,
            .data("more", stream: stream)
        ).uploading,
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
}
