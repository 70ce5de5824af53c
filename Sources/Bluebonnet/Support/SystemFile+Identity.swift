#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a file is known by whatever its name is: giving it another name changes none of it.
///
/// The number of its device is not among it, which may be another one after the machine was
/// started.
struct FileIdentity: Sendable, Hashable, Codable {
    let node: UInt64
    let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    private init(_ status: stat) {
        node = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
    }

    /// The identity of the regular file at a path; nil for anything else, and for nothing.
    init?(of path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// The identity of the regular file that a path leads to.
    ///
    /// - Throws: ``SystemFile/Failure`` for anything else, and for nothing.
    init(following path: String) throws {
        self.init(try SystemFile(reading: path).status())
    }

    /// Whether two files have the same contents, as far as size and time tell.
    func hasContents(of other: FileIdentity) -> Bool {
        (size, seconds, nanoseconds) == (other.size, other.seconds, other.nanoseconds)
    }
}

extension SystemFile {
    /// The size in bytes of the regular file at a path; nil for anything else, and for nothing.
    ///
    /// Not from the attributes of `FileManager`, whose numbers have another type as soon as a part
    /// of the process links Foundation.
    package static func size(ofFile path: String) -> Int? { FileIdentity(of: path)?.size }

    /// What the system knows of the file.
    fileprivate func status() throws -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(path: path, code: errno) }
        return status
    }
}
