import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file, for blocking reads and writes on threads that may block. Closes with its last
/// owner.
package final class SystemFile: Sendable {
    /// A system call failed; with the text of `strerror`.
    package struct Failure: Error, CustomStringConvertible {
        package let path: String
        package let code: CInt

        package init(path: String, code: CInt) {
            self.path = path
            self.code = code
        }

        package var description: String { "\(path): \(code.reason)" }
    }

    let descriptor: CInt
    let path: String

    /// A path without a zero byte, at which the system's functions would end it and name another
    /// file.
    static func checked(_ path: String) throws -> String {
        guard !path.utf8.contains(0) else { throw Failure(path: path, code: EINVAL) }
        return path
    }

    /// Takes over an open descriptor.
    init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a regular file for reading. Nothing else is opened, as far as `stat` tells: opening a
    /// pipe may wait for the process at its other end, and wake it.
    init(reading path: String) throws {
        self.path = try Self.checked(path)
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
        if let failure = Self.failure(path, status) { throw failure }
        // There may be a pipe by now: with O_NONBLOCK it is not waited for.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(path: path, code: errno) }
        if let failure = Self.failure(path, status) { throw failure }
    }

    /// The error for anything but a regular file: a pipe or a device has no size and cannot be read
    /// again.
    private static func failure(_ path: String, _ status: stat) -> Failure? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: Failure(path: path, code: EISDIR)
        default: Failure(path: path, code: ESPIPE)
        }
    }

    /// Makes a file that did not exist, with these rights from the beginning: whoever has opened it
    /// keeps on reading when they are taken away later.
    init(creating path: String, mode: mode_t = 0o644) throws {
        self.path = try Self.checked(path)
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    }

    /// Opens the file, pipe or device at a path for writing, from its beginning. Waits for the
    /// reader of a pipe as long as `isWanted`.
    ///
    /// - Throws: ``Failure``, or `CancellationError` when it is wanted no longer.
    init(writing path: String, while isWanted: () -> Bool = { true }) throws {
        self.path = try Self.checked(path)
        var pause: CInt = 1
        while true {
            let result = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if result >= 0 {
                descriptor = result
                return
            }
            let code = errno
            // fifo(7): a pipe without a reader is ENXIO. So is a device that is not there.
            guard code == EINTR || code == ENXIO && Self.kind(of: path) == S_IFIFO else {
                throw Failure(path: path, code: code)
            }
            guard isWanted() else { throw CancellationError() }
            _ = poll(nil, 0, pause)
            pause = min(pause * 2, Self.patience)
        }
    }

    /// The most milliseconds until a call that waits for a pipe asks again whether it `isWanted`.
    private static let patience: CInt = 50

    deinit {
        close(descriptor)
    }

    /// Whether it is neither a pipe nor a device, so that a call on it ends.
    var isRegular: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The kind of file at a path, as the bits of a mode; nil for none.
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The size of a regular file that can be read.
    static func size(of path: String) throws -> Int { try SystemFile(reading: path).size() }

    /// The size now.
    func size() throws -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(path: path, code: errno) }
        return Int(status.st_size)
    }

    /// Whether all of a part that begins at a page is in the page cache.
    ///
    /// - Returns: Nil where the system does not tell: for a file that this user neither owns nor
    ///   may write to, and for one that cannot be mapped.
    func isInPageCache(_ range: Range<Int>) -> Bool? {
        #if os(Linux)
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0,
                unsafe status.st_uid == geteuid() || access(path, W_OK) == 0
            else { return nil }
            let space = unsafe mmap(nil, range.count, PROT_READ, MAP_SHARED, descriptor, off_t(range.lowerBound))
            guard unsafe space != MAP_FAILED, let space = unsafe space else { return nil }
            defer { unsafe munmap(space, range.count) }
            var pages = [UInt8](repeating: 0, count: (range.count - 1) / Int(getpagesize()) + 1)
            guard unsafe mincore(space, range.count, &pages) == 0 else { return nil }
            return pages.allSatisfy { $0 & 1 == 1 }
        #else
            return nil
        #endif
    }

    /// Brings a part into the page cache, by reading it.
    func load(_ range: Range<Int>) throws {
        var start = range.lowerBound
        while start < range.upperBound, let block = try read(upTo: min(1 << 17, range.upperBound - start), at: start) {
            start += block.readableBytes
        }
    }

    /// The next block, or the one at a position; nil at the end.
    func read(upTo count: Int, at start: Int? = nil) throws -> ByteBuffer? {
        var block = ByteBufferAllocator().buffer(capacity: count)
        // The system writes into the buffer's free space, at most as much as there is.
        let taken = try unsafe block.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            while true {
                let result =
                    if let start {
                        unsafe pread(descriptor, space.baseAddress, count, off_t(start))
                    } else {
                        unsafe systemRead(descriptor, space.baseAddress, count)
                    }
                if result >= 0 { return result }
                guard errno == EINTR else { throw Failure(path: path, code: errno) }
            }
        }
        return taken > 0 ? block : nil
    }

    /// What there is from here to the end; nil for more than `most` bytes.
    func contents(atMost most: Int) throws -> ByteBuffer? {
        var bytes = ByteBuffer()
        while let block = try read(upTo: 1 << 16) {
            bytes.writeImmutableBuffer(block)
            guard bytes.readableBytes <= most else { return nil }
        }
        return bytes
    }

    /// Writes all of the buffers, behind what was written last or at a position. Waits for a pipe
    /// that is full as long as `isWanted`.
    ///
    /// - Throws: ``Failure``, or `CancellationError` when it is wanted no longer.
    func write(_ buffers: [ByteBuffer], at start: Int? = nil, while isWanted: () -> Bool = { true }) throws {
        var position = start
        for buffer in buffers {
            // The bytes are only read, while the buffer is held.
            try unsafe buffer.withUnsafeReadableBytes { bytes in
                var rest = unsafe bytes[...]
                while unsafe !rest.isEmpty {
                    let result = unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest), at: position)
                    if result >= 0 {
                        unsafe rest = rest.dropFirst(result)
                        position = position.map { $0 + result }
                    } else if errno == EAGAIN {
                        guard isWanted() else { throw CancellationError() }
                        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                        _ = unsafe poll(&entry, 1, Self.patience)
                    } else if errno != EINTR {
                        throw Failure(path: path, code: errno)
                    }
                }
            }
        }
    }

    func remove() {
        unsafe unlink(path)
    }
}

/// The system's calls, by names that the methods of ``SystemFile`` do not hide.
private func systemRead(_ descriptor: CInt, _ space: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, space, count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at position: Int?) -> Int {
    guard let position else { return unsafe write(descriptor, bytes.baseAddress, bytes.count) }
    return unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(position))
}

extension CInt {
    /// The system's words for an errno: `Connection refused`.
    var reason: String {
        unsafe String(cString: strerror(self))
    }
}
