#if Stores
    import Bluebonnet
    import FoundationEssentials
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The numbers of the changes of a ``DiskCacheStore``, in a file that its processes share: they
    /// see without the index that nothing has changed for a key.
    ///
    /// Keys share ``bucketCount`` numbers, which are in the index, too. Who changes something
    /// writes the next number into the index and into the file, before the transaction ends.
    /// Who reads takes the number out of the index, in the same transaction as the records: these
    /// hold as long as the file has that number. Between the two, after a transaction that failed,
    /// and after a crash, the file has one that no records were read with.
    final class CacheMarks: Sendable {
        static let bucketCount = 1024

        /// The bytes of a number, little-endian.
        private static let width = 8

        private let path: String
        private let descriptor: CInt

        /// Opens the file, or makes it.
        ///
        /// - Throws: An error for a link, and for a file of another user.
        init(_ path: String) throws {
            self.path = path
            let descriptor = try StoreFolder.openPrivateFile(path)
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid()
            else {
                close(descriptor)
                throw CacheFolder.Failure(path: path, code: EPERM)
            }
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }

        static func bucket(of fingerprint: CacheFingerprint) -> Int {
            // The upper bits depend on all bytes of the key.
            Int((fingerprint.value >> 32 ^ fingerprint.value) % UInt64(bucketCount))
        }

        static func bucket(of key: String) -> Int { bucket(of: CacheFingerprint(key)) }

        /// The number of a bucket in the file; nil where it cannot be read.
        func number(of bucket: Int) -> UInt64? {
            var number: UInt64 = 0
            // The system writes the number's own bytes, at most as many as it has.
            let count = unsafe withUnsafeMutableBytes(of: &number) { space in
                unsafe pread(descriptor, space.baseAddress, Self.width, off_t(bucket * Self.width))
            }
            // Behind the end of the file nothing was ever changed.
            if count == 0 { return 0 }
            return count == Self.width ? UInt64(littleEndian: number) : nil
        }

        /// Writes the number of a bucket.
        ///
        /// - Throws: An error of the file; then the change must not be made.
        func write(_ number: UInt64, of bucket: Int) throws {
            let count = unsafe withUnsafeBytes(of: number.littleEndian) { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress, Self.width, off_t(bucket * Self.width))
            }
            guard count == Self.width else { throw CacheFolder.Failure(path: path, code: count < 0 ? errno : EIO) }
        }
    }
#endif
