import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that several processes of this library change: each takes the lock, reads what is there,
/// and puts another file in its place.
extension SystemFile {
    /// Another process has kept the lock for ten seconds.
    package struct InUse: Error, CustomStringConvertible {
        package let description = "another process keeps the lock on it"
    }

    /// Opens a file, and waits for the lock on it, ten seconds at most. Nil where there is none.
    /// With `creating` it is made then, readable for its owner alone.
    ///
    /// The lock is given back by ``release()``. Throws ``InUse``, and what
    /// ``store(at:creating:)`` throws.
    static func lockedStore(at path: String, creating: Bool) throws -> SystemFile? {
        var patience = patience
        while let file = try store(at: path, creating: creating) {
            if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 {
                // Who had the lock may have put another file in its place.
                if file.hasItsName { return file }
                continue
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw Failure(path: path, code: errno) }
            guard patience > 0 else { throw InUse() }
            patience -= 1
            _ = poll(nil, 0, pause)
        }
        return nil
    }

    /// The milliseconds between two looks at the lock, and their number: 10 seconds in all.
    private static var pause: CInt { 10 }
    private static var patience: Int { 1_000 }

    /// Changes a small file, which is made where there is none, while no other process does. The
    /// present thread waits for the lock, ten seconds at most.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The most bytes of the file.
    ///   - change: Makes the new contents of the present ones, which are empty for a new file; nil
    ///     leaves the file as it is.
    /// - Throws: What the closure throws, ``InUse``, ``Unusable`` for a link, for what is not a
    ///   regular file and for one that is larger, otherwise ``Failure``.
    package static func updateStore(
        at path: String,
        atMost limit: Int,
        _ change: ([UInt8]) throws -> [UInt8]?
    ) throws {
        guard let file = try lockedStore(at: path, creating: true) else { return }
        defer { file.release() }
        guard let present = try file.contents(atMost: limit) else {
            throw Unusable("it has more than \(limit) bytes")
        }
        guard let bytes = try change(Array(present.readableBytesView)) else { return }
        try replaceStore(at: path, with: bytes)
    }
}
