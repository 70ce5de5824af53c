#if Stores
    import Bluebonnet

    /// The header of an SQLite database, read without SQLite, so that nothing of the file changes
    /// (<https://www.sqlite.org/fileformat.html>, §1.3).
    struct DatabaseHeader {
        let userVersion: Int
        let applicationID: Int

        private static let length = 100

        /// Nil for a file that is missing or empty.
        ///
        /// - Throws: ``SystemFile/Unusable`` for what is not a database, such as a link or a
        ///   folder, and ``SystemFile/Failure`` for what cannot be read.
        init?(_ path: String) throws {
            guard let bytes = try SystemFile.firstBytes(Self.length, ofStoreAt: path), !bytes.isEmpty else {
                return nil
            }
            guard bytes.count == Self.length, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
                throw SystemFile.Unusable("it is not a database of SQLite")
            }
            userVersion = Self.number(bytes[60..<64])
            applicationID = Self.number(bytes[68..<72])
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
            Int(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int($1) }))
        }
    }
#endif
