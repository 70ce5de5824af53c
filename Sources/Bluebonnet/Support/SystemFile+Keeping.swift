package import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What makes a file outlive a crash, and its owner the only one.
extension SystemFile {
    /// Opens a file that this process alone writes to, or makes it. It is at its end.
    ///
    /// - Throws: ``Failure``: EWOULDBLOCK when another owner has it, ELOOP for a link, EPERM for
    ///   what is not a file of this user alone.
    static func exclusive(_ path: String) throws -> SystemFile {
        let path = try checked(path)
        while true {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
            let descriptor = unsafe open(path, flags, 0o644)
            guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
            let file = SystemFile(descriptor: descriptor, path: path)
            var opened = stat()
            guard unsafe fstat(descriptor, &opened) == 0 else { throw Failure(path: path, code: errno) }
            // In a folder that others may write to, somebody could have put another file here.
            guard opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid(), opened.st_nlink <= 1 else {
                throw Failure(path: path, code: EPERM)
            }
            // Not every file system has locks.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOTSUP else {
                throw Failure(path: path, code: errno)
            }
            // Until the lock was taken, its former owner may have given the file another name.
            guard file.hasItsName else { continue }
            guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw Failure(path: path, code: errno) }
            return file
        }
    }

    /// Lets another owner have the file, before the last reference to it is gone.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    /// Whether the path still names this file, not another one and not nothing.
    var hasItsName: Bool {
        var (opened, named) = (stat(), stat())
        return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    /// Cuts the file to a size, and goes to its end. Also gives back what was reserved beyond it.
    func truncate(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) >= 0 else {
            throw Failure(path: path, code: errno)
        }
    }

    /// Reserves room for the file up to a size without changing its size: it is then in few pieces.
    ///
    /// - Returns: Whether the file system can do that.
    @discardableResult
    func reserve(_ size: Int) throws -> Bool {
        let start = try self.size()
        return try reserve(start..<max(start, size))
    }

    /// Reserves room for a part of the file, as ``reserve(_:)-(Int)``.
    func reserve(_ part: Range<Int>) throws -> Bool {
        #if os(Linux)
            guard let fallocate else { return false }
            guard !part.isEmpty else { return true }
            while fallocate(descriptor, keepSize, off_t(part.lowerBound), off_t(part.count)) != 0 {
                switch errno {
                case EINTR: continue
                case ENOSPC, EDQUOT, EFBIG: throw Failure(path: path, code: errno)
                // Not every file system can; then a full disk is met later.
                default: return false
                }
            }
            return true
        #else
            return false
        #endif
    }

    /// The bytes that this user may still write to the disk of the file; nil where the system does
    /// not tell, as some file systems of a network. Quotas are not counted.
    var freeSpace: Int? {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
        let (bytes, overflows) = UInt(blocks).multipliedReportingOverflow(by: UInt(status.f_frsize))
        return overflows ? nil : Int(clamping: bytes)
    }

    /// Returns when the disk has the contents of the file.
    func synchronize() throws {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw Failure(path: path, code: errno) }
        }
    }

    /// Returns when the disk has the names of the folder that a file or a folder is in; at once
    /// where this user may not read that folder.
    package static func synchronizeFolder(of path: String) throws {
        let folder = folder(of: withoutLastSlashes(path))
        let descriptor = unsafe open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES { return }
            throw Failure(path: folder, code: errno)
        }
        do {
            try SystemFile(descriptor: descriptor, path: folder).synchronize()
        } catch let failure as Failure where failure.code == EINVAL || failure.code == EBADF {
            // A file system without anything to do for it.
        }
    }

    /// Makes a folder, and those above it, where they are missing. Returns when the disk has the
    /// names of those that were made.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - isPrivate: Whether those that are made are for this user alone. Default: false.
    /// - Throws: ``Failure``, also where there is something else of that name.
    package static func makeFolders(_ folder: URL, isPrivate: Bool = false) throws {
        var made: [String] = []
        let whole = try checked(folder.path(percentEncoded: false))
        var path = whole
        while true {
            path = withoutLastSlashes(path)
            guard !path.isEmpty, unsafe access(path, F_OK) != 0 else { break }
            made.append(path)
            path = Self.folder(of: path)
        }
        for path in made.reversed() {
            // Another process may make it at this moment.
            guard unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 || errno == EEXIST else {
                throw Failure(path: path, code: errno)
            }
        }
        var status = stat()
        guard unsafe stat(whole, &status) == 0 else { throw Failure(path: whole, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(path: whole, code: ENOTDIR) }
        for path in made.reversed() { try synchronizeFolder(of: path) }
    }

    /// A path without the slashes at its end, which the path of a folder may have.
    private static func withoutLastSlashes(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.unicodeScalars.last == "/" { path.unicodeScalars.removeLast() }
        return path
    }

    /// The part of a path up to its last slash; empty without one.
    static func folder(of path: String) -> String {
        // By bytes: a character can be a slash with an accent.
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }
}

#if os(Linux)
    private typealias Fallocate = @convention(c) (CInt, CInt, off_t, off_t) -> CInt

    /// fallocate(2), which C libraries declare as an extension only. The type is that of its manual
    /// page.
    private let fallocate = unsafe dlsym(nil, "fallocate").map { unsafe unsafeBitCast($0, to: Fallocate.self) }

    /// FALLOC_FL_KEEP_SIZE.
    private let keepSize: CInt = 1
#endif
