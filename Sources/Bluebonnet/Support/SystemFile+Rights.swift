#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that only their owner may read.
extension SystemFile {
    /// Whether it belongs to this user, and nobody else has a right to it. The superuser may read
    /// the files of others, but what is in them was written by these.
    func isPrivate() throws -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(path: path, code: errno) }
        return status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }
}

extension SystemFile.Failure {
    /// Whether there is no such file.
    var isMissing: Bool { code == ENOENT }
}
