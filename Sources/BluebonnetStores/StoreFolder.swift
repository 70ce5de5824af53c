#if Stores
    import Bluebonnet
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The folder of a session, in which nobody else may read.
    enum StoreFolder {
        /// A system call failed; with the text of `strerror`.
        struct Failure: Error, CustomStringConvertible {
            let path: String
            let code: CInt

            var description: String { unsafe "\(path): \(String(cString: strerror(code)))" }
        }

        /// The longest name: file systems take 255 bytes.
        private static let longestName = 200

        /// The name of the folder of an identifier.
        ///
        /// - Throws: ``NetworkingError`` with `invalidRequest` for what could lead elsewhere.
        static func name(of identifier: String) throws(NetworkingError) -> String {
            let isName =
                !identifier.isEmpty && identifier.utf8.count <= longestName && !identifier.hasPrefix(".")
                && identifier.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
            guard isName else {
                throw NetworkingError(
                    .invalidRequest,
                    "A session cannot be named “\(identifier.prefix(longestName))”: its identifier has 1 to"
                        + " \(longestName) bytes, no / and no control character, and does not begin with a point."
                )
            }
            return identifier
        }

        /// Makes the folder, and those above it.
        static func make(_ path: String) throws {
            let above = URL(filePath: path, directoryHint: .isDirectory).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
            if unsafe mkdir(path, 0o700) == 0 {
                // After a loss of power the folder must still be there; SQLite sees to its files.
                try synchronize(folder: above.path(percentEncoded: false))
            } else if errno != EEXIST {
                throw Failure(path: path, code: errno)
            }
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(path: path, code: ENOTDIR) }
            guard status.st_uid == geteuid() else { throw Failure(path: path, code: EPERM) }
            if status.st_mode & 0o777 == 0o700 { return }
            guard unsafe chmod(path, 0o700) == 0 else { throw Failure(path: path, code: errno) }
        }

        /// Returns when the disk has the names of a folder.
        private static func synchronize(folder path: String) throws {
            let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
            defer { close(descriptor) }
            // EINVAL: a file system without anything to do for it.
            guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure(path: path, code: errno) }
        }

        /// Makes a file that nobody else may read; one that is there stays.
        static func makePrivateFile(_ path: String) throws {
            close(try openPrivateFile(path))
        }

        /// Opens a file that nobody else may read, or makes it.
        ///
        /// - Returns: The descriptor.
        static func openPrivateFile(_ path: String) throws -> CInt {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
            guard fchmod(descriptor, 0o600) == 0 else {
                let code = errno
                close(descriptor)
                throw Failure(path: path, code: code)
            }
            return descriptor
        }

        /// Gives a damaged database another name, and removes its log.
        static func putAside(_ path: String) throws {
            guard unsafe rename(path, path + ".damaged") == 0 else { throw Failure(path: path, code: errno) }
            for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
        }
    }

    /// A lock that one owner has at a time, and that the kernel gives back when its process ends.
    final class FolderLock: Sendable {
        private let descriptor: CInt

        /// Takes the lock.
        ///
        /// - Throws: ``NetworkingError`` with `storeInUse` when another owner has it; otherwise
        ///   ``StoreFolder/Failure``, also where the file system has no locks.
        init(_ path: String, of identifier: String) throws {
            descriptor = try StoreFolder.openPrivateFile(path)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                let owner = Self.text(of: descriptor)
                close(descriptor)
                guard code == EWOULDBLOCK else { throw StoreFolder.Failure(path: path, code: code) }
                let process =
                    owner == String(getpid()) ? "this process" : owner.isEmpty ? "another process" : "process \(owner)"
                throw NetworkingError(
                    .storeInUse,
                    "The session \(identifier) is in use by \(process): one process has it at a time (\(path))."
                )
            }
            // For the message above, in another process.
            let text = Array(String(getpid()).utf8)
            guard ftruncate(descriptor, 0) == 0 else { return }
            _ = unsafe pwrite(descriptor, text, text.count, 0)
        }

        deinit {
            close(descriptor)
        }

        private static func text(of descriptor: CInt) -> String {
            var bytes = [UInt8](repeating: 0, count: 20)
            // The system writes into the array, at most as much as there is room.
            let count = unsafe bytes.withUnsafeMutableBytes { space in
                unsafe pread(descriptor, space.baseAddress, space.count, 0)
            }
            return String(decoding: bytes.prefix(max(0, count)).filter { (48...57).contains($0) }, as: UTF8.self)
        }
    }
#endif
