import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A part of a file that the system sends from its page cache (`sendfile`), without a copy in this
/// process where the socket has room.
struct FilePart: Sendable {
    /// The size of a part that is in the page cache already. A slow connection would send a larger
    /// one for so long that the system might use its pages for something else.
    static let largeSize = 1 << 23
    /// The most bytes that are looked for in the page cache at once; that takes 5 ms, and 0.2 ms
    /// for a part.
    private static let windowSize = 1 << 28
    /// The time after which the page cache is looked at again.
    private static let lookTime = TimeAmount.seconds(1)
    /// The size of a part that is brought into the page cache while the one before it is being
    /// sent.
    static let smallSize = 1 << 22
    /// The most bytes sent at once, so that the other connections of the event loop have their
    /// turn.
    private static let mostAtOnce = 1 << 22

    private let file: SystemFile
    /// The declared length of the whole file, and its name in an error.
    private let length: Int
    private let subject: String
    private var range: Range<Int>

    /// The bytes still to be sent.
    var count: Int { range.count }

    /// Hands over a file, or a range of it, part by part. A part is in the page cache by then, so
    /// that the event loop does not wait for a disk.
    ///
    /// - Returns: False, without having handed over anything, when the system does not say what is
    ///   in the page cache, and for files of other machines: there, to read the length, or a page
    ///   that is no longer in the cache, may take any time.
    static func produce(
        from path: String,
        length: Int,
        _ range: Range<Int>? = nil,
        subject: String = RequestBodyLengthMismatch.wholeBody,
        _ take: @Sendable (FilePart) async throws -> Void
    ) async throws -> Bool {
        let threads = BlockingThreads.files
        let (file, isLocal) = try await threads.run {
            let file = try SystemFile(reading: path)
            return (file, file.isLocal)
        }
        let whole = FilePart(file: file, length: length, subject: subject, range: range ?? 0..<length)
        try whole.checkLength()
        guard isLocal else { return false }
        var window = 0..<0
        var isWindowThere = false
        var lookedAt = NIODeadline.distantPast
        for large in whole.split(by: largeSize) {
            if !window.contains(large.range.lowerBound) {
                let next = large.range.lowerBound..<min(large.range.lowerBound + windowSize, length)
                let isThere = try await threads.run { file.isInPageCache(next) }
                if isThere == nil, next.lowerBound == whole.range.lowerBound { return false }
                (window, isWindowThere, lookedAt) = (next, isThere == true, .now())
            }
            var isThere = isWindowThere && NIODeadline.now() - lookedAt < lookTime
            if !isThere { isThere = try await threads.run { file.isInPageCache(large.range) } == true }
            if isThere {
                try await take(large)
                continue
            }
            for small in large.split(by: smallSize) {
                try await threads.run { try file.load(small.range) }
                try await take(small)
            }
        }
        return true
    }

    /// A part of this part, by positions in it.
    func part(_ part: Range<Int>) -> FilePart {
        let start = range.lowerBound + part.lowerBound
        return FilePart(file: file, length: length, subject: subject, range: start..<(start + part.count))
    }

    private func split(by size: Int) -> some Sequence<FilePart> {
        stride(from: range.lowerBound, to: range.upperBound, by: size).lazy.map { start in
            FilePart(file: file, length: length, subject: subject, range: start..<min(start + size, range.upperBound))
        }
    }

    private var isCut: RequestBodyLengthMismatch { .only(range.lowerBound, of: length, in: subject) }

    private func checkLength() throws {
        let size = try file.size()
        if size < length { throw RequestBodyLengthMismatch.only(size, of: length, in: subject) }
        if size > length { throw RequestBodyLengthMismatch.more(than: length, in: subject) }
    }

    /// Sends what a socket takes now.
    ///
    /// - Returns: Whether anything was sent; false also for sockets and files the system does not
    ///   do this for.
    /// - Throws: ``RequestBodyLengthMismatch`` when the file no longer has its length.
    mutating func send(to socket: CInt) throws -> Bool {
        #if os(Linux)
            try checkLength()
            var offset = off_t(range.lowerBound)
            let sent = unsafe sendfile(socket, file.descriptor, &offset, min(count, Self.mostAtOnce))
            // The caller reads and writes instead, which meets the same error and reports it.
            guard sent >= 0 else { return false }
            guard sent > 0 else { throw isCut }
            range = range.dropFirst(sent)
            return true
        #else
            return false
        #endif
    }

    /// Reads bytes from the front of the part, which then begins behind them.
    mutating func readBlock(upTo most: Int) throws -> ByteBuffer {
        try checkLength()
        guard let block = try file.read(upTo: min(most, count), at: range.lowerBound) else {
            throw isCut
        }
        range = range.dropFirst(block.readableBytes)
        return block
    }
}
