#if Stores
    public import Bluebonnet
    public import FoundationEssentials

    extension SessionConfiguration {
        /// The configuration of a session whose downloads and uploads outlive the process: the
        /// default configuration with a journal in an SQLite database.
        ///
        /// ```
        /// let directory = URL(filePath: "/var/lib/example")
        /// let configuration = try SessionConfiguration.persistent(
        ///     identifier: "com.example.sync",
        ///     directory: directory
        /// )
        /// let session = SessionManager(configuration: configuration)
        /// for task in session.restoredTasks { task.resume() }
        /// ```
        ///
        /// Make one session of it. Blocks for some milliseconds. The database is in use as long as
        /// the configuration or a session of it is referenced.
        ///
        /// Counterpart of `backgroundSessionConfigurationWithIdentifier:`.
        ///
        /// - Parameters:
        ///   - identifier: The name of the session: at most 200 bytes, without `/`.
        ///   - directory: A file URL of the folder that gets a folder of that name.
        ///   - replacesDamaged: Whether a damaged database is put aside and an empty one takes its
        ///     place; see ``StoreDatabase``. Default: false, it is an error.
        /// - Returns: The configuration.
        /// - Throws: ``NetworkingError`` with `storeInUse` when another process has the database,
        ///   or this one; its message names the process. With `storeFailed` when it cannot be
        ///   opened or read, and with `invalidRequest` for an identifier that is no name. See
        ///   ``StoreDatabase``.
        public static func persistent(
            identifier: String,
            directory: URL,
            replacesDamaged: Bool = false
        ) throws(NetworkingError) -> SessionConfiguration {
            let database = try StoreDatabase(
                identifier: identifier,
                directory: directory,
                replacesDamaged: replacesDamaged
            )
            var configuration = SessionConfiguration()
            configuration.transferJournal = try TransferJournal(database.transfers)
            return configuration
        }
    }
#endif
