import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension PartialFile {
    /// The final name of a file, and what may be done for it.
    struct Target: Sendable {
        let path: String
        var options: DownloadTarget.Options

        /// The path to write to, and what of it holds also in other folders.
        ///
        /// A link stays, and what it names is written. Where nothing is to be replaced it is a name
        /// that is taken, like every other: a new file would come to the folder that it leads to.
        init(_ target: DownloadTarget) throws {
            let path = try SystemFile.checked(FileOutput.path(of: target.file, for: "a download"))
            if target.options.contains(.createDirectories) {
                try SystemFile.makeFolders(target.file.deletingLastPathComponent())
            }
            var status = stat()
            guard Self.replaces(target.options), unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK
            else {
                self.path = path
                options = target.options
                return
            }
            // A link to nothing resolves to nothing, and cannot be kept.
            guard let resolved = unsafe realpath(path, nil) else { throw SystemFile.Failure(path: path, code: errno) }
            defer { unsafe free(resolved) }
            self.path = unsafe String(cString: resolved)
            options = target.options
        }

        /// The most names that are tried for one that is free.
        static let mostNumbers = 10_000

        /// The path with a number in its name, from 2 on.
        func numbered(_ number: Int) -> String {
            guard number > 1 else { return path }
            let folder = SystemFile.folder(of: path)
            return folder + FileName.numbered(String(path.dropFirst(folder.count)), number)
        }

        /// Whether what has the name may be written to or replaced.
        private static func replaces(_ options: DownloadTarget.Options) -> Bool {
            options.isDisjoint(with: [.uniqueName, .withoutOverwriting])
        }

        /// Whether it is a pipe or a device, which is written to directly.
        var isSpecial: Bool {
            var status = stat()
            guard Self.replaces(options), unsafe stat(path, &status) == 0 else { return false }
            return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
        }

        /// Checks before the download what would fail after it.
        func check() throws {
            var status = stat()
            guard !options.contains(.uniqueName), unsafe lstat(path, &status) == 0 else { return }
            guard Self.replaces(options) else { throw SystemFile.Failure(path: path, code: EEXIST) }
            if status.st_mode & S_IFMT == S_IFDIR { throw SystemFile.Failure(path: path, code: EISDIR) }
        }
    }
}
