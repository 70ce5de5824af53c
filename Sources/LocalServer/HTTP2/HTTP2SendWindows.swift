/// The numbers of bytes that the client lets the server send (RFC 9113 §5.2).
struct HTTP2SendWindows {
    private var connection = 65_535
    private var initial = 65_535
    private var streams: [Int: Int] = [:]

    /// The number of bytes that may be sent on a stream now.
    func room(on stream: Int) -> Int {
        max(0, min(connection, streams[stream] ?? initial))
    }

    mutating func sent(_ count: Int, on stream: Int) {
        connection -= count
        streams[stream, default: initial] -= count
    }

    /// Takes what WINDOW_UPDATE and SETTINGS change.
    mutating func receive(_ frame: WireFrame) {
        switch frame.kind {
        case .windowUpdate:
            let increment = Int(frame.number(at: 0, as: UInt32.self) ?? 0)
            if frame.stream == 0 {
                connection += increment
            } else {
                streams[frame.stream, default: initial] += increment
            }
        case .settings:
            for setting in frame.settings where setting.name == WireFrame.Setting.initialWindowSize.rawValue {
                // RFC 9113 §6.9.2: the change applies to every stream that has a window.
                let change = Int(setting.value) - initial
                initial += change
                streams = streams.mapValues { $0 + change }
            }
        default: break
        }
    }

    mutating func remove(_ stream: Int) {
        streams[stream] = nil
    }
}
