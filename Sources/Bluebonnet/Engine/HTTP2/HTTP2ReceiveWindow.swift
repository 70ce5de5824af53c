/// The bytes that the server may send on one stream, or on the connection, as a value without I/O
/// (RFC 9113 §5.2, §6.9).
///
/// What was received and not taken yet counts against the size, so that the size bounds the memory
/// that a stalled reader can cost.
struct HTTP2ReceiveWindow {
    /// The bytes that may be on their way or not taken at the same time.
    private(set) var size: Int
    /// The bytes that the server may still send.
    private(set) var available: Int
    /// The bytes that were received and not taken yet.
    private(set) var held = 0
    /// All bytes that were taken.
    private(set) var taken = 0

    /// The largest window there is (RFC 9113 §6.9.1).
    static let largest = 0x7FFF_FFFF

    /// - Parameters:
    ///   - size: The size that is wanted.
    ///   - available: The bytes that the server may send at first.
    init(size: Int, available: Int) {
        self.size = min(size, Self.largest)
        self.available = available
    }

    /// Counts bytes that were received. Their padding takes of the window, too (RFC 9113 §6.1), but
    /// nobody holds it.
    mutating func receive(_ count: Int, padding: Int = 0) {
        available -= count
        held += count - padding
    }

    /// The reader has taken what was received, but for some bytes at the end: frees its place.
    mutating func take(leaving left: Int = 0) {
        let count = max(0, held - left)
        held -= count
        taken += count
    }

    /// The bytes that may wait for the reader: with these and the quarter that is not given back
    /// at once, the server has a quarter to go on with while it is not known that the reader is
    /// slow. A reader that was slow has as much left to read until more comes.
    var marks: BodyStream.Marks { BodyStream.Marks(high: size / 2, low: size / 4) }

    /// Makes the window larger.
    mutating func grow(to size: Int) {
        self.size = max(self.size, min(size, Self.largest))
    }

    /// Takes the increment of the WINDOW_UPDATE that is due, if one is: not before it is a quarter
    /// of the window, so that few frames do it.
    mutating func takeIncrement() -> Int? {
        let increment = size - held - available
        guard increment > 0, increment >= size / 4 else { return nil }
        available += increment
        return increment
    }
}
