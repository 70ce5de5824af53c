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
        typealias Failure = SystemFile.Failure

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
            try SystemFile.makeFolders(URL(filePath: path, directoryHint: .isDirectory).deletingLastPathComponent())
            if unsafe mkdir(path, 0o700) == 0 {
                // After a loss of power the folder must still be there; SQLite sees to its files.
                try SystemFile.synchronizeFolder(of: path)
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

        /// The log of an SQLite database, whose newest changes it may have.
        private static let log = "-wal"

        /// Gives a damaged database another name that is free, and its log with it.
        static func putAside(_ path: String) throws {
            var (name, number) = (path + ".damaged", 1)
            while unsafe access(name, F_OK) == 0 || access(name + log, F_OK) == 0 {
                number += 1
                name = "\(path).damaged-\(number)"
            }
            // The log first: a new database must not find it.
            guard unsafe rename(path + log, name + log) == 0 || errno == ENOENT, unsafe rename(path, name) == 0 else {
                throw Failure(path: path, code: errno)
            }
            unsafe unlink(path + "-shm")
            try SystemFile.synchronizeFolder(of: path)
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
                // All of the object is there, so that its end closes the file.
                let code = errno
                let owner = Self.text(of: descriptor)
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
            // A process that is being started may have the file open, too, until it runs.
            flock(descriptor, LOCK_UN)
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
