import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opening of files that stores use: regular files, and nothing that a link leads to.
extension SystemFile {
    /// Why a file cannot be a store.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// Opens a regular file; links are not followed. Nil where there is none. With `creating` it is
    /// opened for writing, too, and made where there is none, readable for its owner alone.
    ///
    /// Throws ``Unusable`` for a link and what is not a regular file, otherwise ``Failure``.
    static func store(at path: String, creating: Bool) throws -> SystemFile? {
        let path = try checked(path)
        let access = creating ? O_RDWR | O_CREAT : O_RDONLY
        let descriptor = unsafe open(path, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT, !creating { return nil }
            if code == ELOOP { throw Unusable("it is a link; give the file itself") }
            throw Failure(path: path, code: code)
        }
        let file = SystemFile(descriptor: descriptor, path: path)
        guard file.isRegular else { throw Unusable("it is not a regular file") }
        return file
    }

    /// The first bytes of a regular file; links are not followed.
    ///
    /// - Parameters:
    ///   - count: The most bytes.
    ///   - path: The path.
    /// - Returns: The bytes; none of an empty file, nil where there is none.
    /// - Throws: ``Unusable`` for a link and what is not a regular file, otherwise ``Failure``.
    package static func firstBytes(_ count: Int, ofStoreAt path: String) throws -> [UInt8]? {
        guard let file = try store(at: path, creating: false) else { return nil }
        return try file.read(upTo: count).map { Array($0.readableBytesView) } ?? []
    }
}

extension SystemFile {
    /// Puts a file that its owner alone can read in the place of the one at a path, as a whole.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - bytes: The contents.
    /// - Throws: ``Failure``.
    package static func replaceStore(at path: String, with bytes: [UInt8]) throws {
        try AtomicFile.write(to: path, replaces: true, mode: 0o600) { file in
            try file.write([ByteBuffer(bytes: bytes)])
        }
    }
}
