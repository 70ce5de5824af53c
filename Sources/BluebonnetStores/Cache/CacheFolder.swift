#if Stores
    import Bluebonnet
    import Crypto
    import FoundationEssentials
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The files of a ``DiskCacheStore``: a folder of this user's own, in which each body is a
    /// file.
    ///
    /// Only names that it gives itself are ever removed: 16 digits, and `.body` or, while the body
    /// is written, `.part`.
    struct CacheFolder: Sendable {
        typealias Failure = SystemFile.Failure

        /// The name of the folder below that of the user.
        static let name = "bluebonnet-cache"
        /// The time after which a file that no entry has, and nobody has written to, is left over.
        static let leftOverAge = 3600

        let path: String

        /// Makes the folder, unless it is there.
        ///
        /// - Throws: An error for a link, and for the folder of another user.
        init(in directory: String) throws {
            path = (directory.hasSuffix("/") ? directory : directory + "/") + Self.name
            try StoreFolder.make(path)
        }

        var database: String { path + "/index.sqlite" }
        var marks: String { path + "/marks" }

        static func digits(_ identifier: UInt64) -> String {
            let digits = String(identifier, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }

        func body(_ identifier: UInt64) -> String { "\(path)/\(Self.digits(identifier)).body" }
        func part(_ identifier: UInt64) -> String { "\(path)/\(Self.digits(identifier)).part" }

        /// The identifier of a body or a part; nil for every other name.
        static func identifier(of name: String) -> (number: UInt64, isPart: Bool)? {
            guard name.utf8.count == 21, let number = UInt64(name.prefix(16), radix: 16),
                name.prefix(16) == digits(number)[...]
            else { return nil }
            return name.hasSuffix(".part") ? (number, true) : name.hasSuffix(".body") ? (number, false) : nil
        }

        func removeBody(_ identifier: UInt64) {
            unsafe unlink(body(identifier))
        }

        /// Removes what writers have left that were killed: parts that nobody has written to for
        /// long, and bodies without an entry.
        ///
        /// - Parameters:
        ///   - age: The seconds since the last change from which a file is left over.
        ///   - isKnown: Whether there is an entry for an identifier.
        func sweep(olderThan age: Int = leftOverAge, _ isKnown: (UInt64) -> Bool) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            for name in names {
                guard let found = Self.identifier(of: name) else { continue }
                var status = stat()
                let file = "\(path)/\(name)"
                guard unsafe lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                    Int(time(nil)) - Self.changed(status) >= age, found.isPart || !isKnown(found.number)
                else { continue }
                unsafe unlink(file)
            }
        }

        private static func changed(_ status: stat) -> Int {
            #if canImport(Darwin)
                Int(status.st_mtimespec.tv_sec)
            #else
                Int(status.st_mtim.tv_sec)
            #endif
        }
    }

    /// A body that is being written. The disk has it before it gets its name, so that a loss of
    /// power leaves it whole or not at all.
    final class CacheBodyFile: Sendable {
        private struct State {
            var hash = SHA256()
            var count = 0
            var isOpen = true
        }

        let path: String
        private let descriptor: CInt
        private let state = Mutex(State())

        init(_ path: String) throws {
            self.path = path
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CacheFolder.Failure(path: path, code: errno) }
        }

        deinit {
            discard()
            close(descriptor)
        }

        /// Writes a piece on the present thread.
        func write(_ piece: Data) throws {
            var start = piece.startIndex
            while start < piece.endIndex {
                // The bytes are only read, during the call.
                let count = unsafe piece[start...].withUnsafeBytes { bytes in
                    unsafe systemWrite(descriptor, bytes.baseAddress, bytes.count)
                }
                if count < 0 {
                    guard errno == EINTR else { throw CacheFolder.Failure(path: path, code: errno) }
                    continue
                }
                start += count
            }
            state.withLock { state in
                state.hash.update(data: piece)
                state.count += piece.count
            }
        }

        /// Gives the file its name, on the present thread.
        ///
        /// - Returns: The hash of its bytes, and their number.
        func commit(to name: String) throws -> (hash: Data, count: Int) {
            guard fdatasync(descriptor) == 0, unsafe rename(path, name) == 0 else {
                throw CacheFolder.Failure(path: path, code: errno)
            }
            return state.withLock { state in
                state.isOpen = false
                return (Data(state.hash.finalize()), state.count)
            }
        }

        /// Removes the file, unless it has its name.
        func discard() {
            let isOpen = state.withLock { state in
                defer { state.isOpen = false }
                return state.isOpen
            }
            if isOpen { unsafe unlink(path) }
        }
    }

    private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        unsafe write(descriptor, bytes, count)
    }

    /// The file of a stored body, open for reading: it stays readable when another process removes
    /// it.
    final class StoredBodyFile: Sendable {
        let count: Int
        private let path: String
        private let descriptor: CInt

        /// Opens the file; nil where it is gone, or is not a file of this user of that size.
        init?(_ path: String, count: Int) {
            self.path = path
            self.count = count
            descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else { return nil }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(), Int(status.st_size) == count
            else { return nil }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// Reads so many bytes from a position on, on the present thread; fewer at the end.
        func read(_ count: Int, at start: Int) throws -> Data {
            var bytes = Data(count: count)
            var filled = 0
            while filled < count {
                // The system writes into the rest of the data, at most as much as there is.
                let taken = unsafe bytes.withUnsafeMutableBytes { space in
                    unsafe pread(
                        descriptor,
                        space.baseAddress.map { unsafe $0 + filled },
                        count - filled,
                        off_t(start + filled)
                    )
                }
                if taken < 0 {
                    guard errno == EINTR else { throw CacheFolder.Failure(path: path, code: errno) }
                } else if taken == 0 {
                    return bytes.prefix(filled)
                } else {
                    filled += taken
                }
            }
            return bytes
        }
    }

    /// The pieces of a stored body as it is read. The hash of a whole body is compared at its end:
    /// a body that is not what was stored ends with an error, as one that the connection cut.
    struct StoredBodyPieces: AsyncSequence, Sendable {
        typealias Element = Data

        static let pieceSize = 128 * 1024

        let file: StoredBodyFile
        let range: Range<Int>
        /// Nil for a part.
        let hash: Data?
        /// Called when the hash is another one.
        let whenDamaged: @Sendable () -> Void

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self, position: range.lowerBound) }

        struct AsyncIterator: AsyncIteratorProtocol {
            let pieces: StoredBodyPieces
            var position: Int
            private var sum = SHA256()

            init(pieces: StoredBodyPieces, position: Int) {
                (self.pieces, self.position) = (pieces, position)
            }

            mutating func next() async throws -> Data? {
                guard position < pieces.range.upperBound else { return nil }
                let (file, start) = (pieces.file, position)
                let size = Swift.min(StoredBodyPieces.pieceSize, pieces.range.upperBound - start)
                let piece = try await FileWork.run { try file.read(size, at: start) }
                position += piece.count
                if let hash = pieces.hash { sum.update(data: piece); try check(hash) }
                guard piece.count == size else { throw Self.damaged }
                return piece
            }

            private func check(_ hash: Data) throws {
                guard position == pieces.range.upperBound, Data(sum.finalize()) != hash else { return }
                pieces.whenDamaged()
                throw Self.damaged
            }

            private static var damaged: NetworkingError {
                NetworkingError(.storeFailed, "The stored body of the response is damaged; it was removed.")
            }
        }
    }
#endif
