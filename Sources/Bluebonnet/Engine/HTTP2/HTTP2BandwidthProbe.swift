import NIOCore

/// Finds out whether the windows are too small for the link, as a value without I/O: a PING is sent
/// while data comes, and the bytes that come before its acknowledgement are those of one round
/// trip. Where they are more than half of a window, the window held the server up.
struct HTTP2BandwidthProbe {
    /// The bytes since the PING that is under way.
    private var counted = 0
    private var isUnderWay = false
    /// The bytes since the last probe.
    private var since = 0

    /// A stream's window grows up to this size.
    static let largest = 32 << 20
    /// The bytes between two probes at first: none is worth its while for a small response.
    static let interval = 1 << 20
    /// The most bytes between two probes.
    static let mostInterval = 64 << 20

    /// The bytes before the next probe: twice as many after each that changed nothing.
    private var pause = Self.interval

    /// Counts bytes that were received. Returns whether a PING is to be sent now.
    mutating func received(_ count: Int) -> Bool {
        if isUnderWay {
            counted += count
            return false
        }
        since += count
        guard since >= pause else { return false }
        isUnderWay = true
        counted = 0
        return true
    }

    /// The PING was acknowledged. Returns the size that windows of this size should have; nil where
    /// they are large enough.
    mutating func acknowledged(size: Int) -> Int? {
        guard isUnderWay else { return nil }
        isUnderWay = false
        since = 0
        guard counted > size / 2, size < Self.largest else {
            pause = min(2 * pause, Self.mostInterval)
            return nil
        }
        pause = Self.interval
        return min(2 * counted, Self.largest)
    }
}
