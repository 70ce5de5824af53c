import NIOCore

/// Content of a part that is read while it is sent.
struct MultipartSource: Sendable {
    /// The length it must have; nil when any length is right.
    let length: Int?

    let isReplayable: Bool

    /// Whether a read that brings less than was asked for has met the end, and pieces may wait for others: a file, not a
    /// stream.
    let isFile: Bool

    /// The path of the file, for descriptions.
    var path: String?

    /// Whether it is a file that is not gathered with what stands before it, and may be sent by other means.
    var isLargeFile: Bool { isFile && length ?? 0 >= MultipartEncoder.blockSize }

    /// Begins to read.
    let open: @Sendable () throws -> any MultipartReader
}

/// Reads the content of a part from its beginning to its end, once.
protocol MultipartReader: AnyObject {
    /// The next piece, at most so much; a stream brings what it has. Nil at the end.
    func next(upTo count: Int) async throws -> ByteBuffer?
}
