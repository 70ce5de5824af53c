#if Stores
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Looks at files before SQLite has them, once for each file in a process: closing a file gives
    /// up all locks that the process has on it, also those of SQLite
    /// (<https://www.sqlite.org/howtocorrupt.html>, §2.2).
    enum SQLiteFirstLook {
        /// The paths of the files that were looked at.
        private static let paths = Mutex<Set<String>>([])

        /// Looks at a file, unless this process has done so. Where that fails, the next call does
        /// it again.
        ///
        /// - Parameters:
        ///   - path: The path of the file.
        ///   - look: Looks at the file, and makes it where there is none. Others wait meanwhile.
        /// - Throws: What `look` throws.
        static func take(at path: String, _ look: () throws -> Void) throws {
            try paths.withLock { paths in
                // There are no locks on a file that is not there. The call does not keep the path.
                let isThere = unsafe access(path, F_OK) == 0
                guard !isThere || !paths.contains(path) else { return }
                try look()
                paths.insert(path)
            }
        }
    }
#endif
