/// A sequence of pieces that counts how often it was asked, and may end with an error.
struct Pieces: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// An error for the end of the pieces.
    struct Broken: Error {}

    let bytes: [[UInt8]]
    let error: (any Error)?
    let asked = Counter()

    init(bytes: [[UInt8]], error: (any Error)? = nil) {
        self.bytes = bytes
        self.error = error
    }

    init(_ texts: [String], error: (any Error)? = nil) {
        self.init(bytes: texts.map { Array($0.utf8) }, error: error)
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(rest: bytes[...], error: error, asked: asked)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>
        let error: (any Error)?
        let asked: Counter

        mutating func next() async throws -> [UInt8]? {
            asked.increment()
            if let piece = rest.popFirst() { return piece }
            if let error { throw error }
            return nil
        }
    }
}
