import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of an unfinished download: beside its target, under a name that can be foreseen, so
/// that at most one is left behind; locked, so that two downloads never write to one. Its size is
/// the number of bytes received.
///
/// Every function blocks: call it on a thread that may.
struct PartialFile: Sendable {
    /// What the name of the target gets.
    static let suffix = ".bluebonnet"

    let file: SystemFile

    /// The path of the partial file of a target.
    static func path(for target: String) -> String {
        let folder = SystemFile.folder(of: target)
        // NAME_MAX is 255 bytes.
        let name = FileName.shortened(String(target.dropFirst(folder.count)), to: 255 - suffix.utf8.count)
        return folder + name + suffix
    }

    /// Takes the file of a target, or makes it. It is empty.
    init(for target: Target) throws {
        file = try Self.unused(for: target)
        try file.truncate(to: 0)
    }

    private static func unused(for target: Target) throws -> SystemFile {
        var number = 1
        while true {
            do {
                return try SystemFile.exclusive(path(for: target.numbered(number)))
            } catch let failure as SystemFile.Failure where failure.code == EWOULDBLOCK {
                // Another download has the name; this one gets another in the end, too.
                guard target.options.contains(.uniqueName), number < Target.mostNumbers else {
                    throw isTaken(target.path, failure)
                }
                number += 1
            }
        }
    }

    private static func isTaken(_ path: String, _ failure: SystemFile.Failure) -> NetworkingError {
        NetworkingError(.outputFailed, "Another download writes to \(path).", underlying: failure)
    }

    /// Takes the file that a download is to continue, as far as its bytes are known; nil where
    /// there is none.
    init?(continuing resumeData: ResumeData) throws {
        let path = try SystemFile.checked(resumeData.partialFile.path(percentEncoded: false))
        guard unsafe access(path, F_OK) == 0 else { return nil }
        do {
            file = try SystemFile.exclusive(path)
        } catch let failure as SystemFile.Failure where failure.code == EWOULDBLOCK {
            throw Self.isTaken(path, failure)
        }
        try file.truncate(to: min(resumeData.byteCount, file.size()))
    }

    func count() throws -> Int { try file.size() }

    /// Gives the file the name of its target.
    ///
    /// - Returns: The path it has now.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when it lost its own name: what has
    ///   that name now is not what was received.
    func commit(to target: Target) throws -> String {
        try file.synchronize()
        guard file.hasItsName else {
            throw NetworkingError(.outputFailed, "\(file.path) was removed or replaced during the download.")
        }
        let path = try move(to: target)
        try SystemFile.synchronizeFolder(of: path)
        return path
    }

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
                let folder = target.file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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

    private func move(to target: Target) throws -> String {
        guard target.options.contains(.uniqueName) else {
            try move(to: target.path, replaces: !target.options.contains(.withoutOverwriting))
            return target.path
        }
        var number = 1
        while true {
            do {
                let path = target.numbered(number)
                try move(to: path, replaces: false)
                return path
            } catch let failure as SystemFile.Failure where failure.code == EEXIST && number < Target.mostNumbers {
                number += 1
            }
        }
    }

    private func move(to path: String, replaces: Bool) throws {
        do {
            try AtomicFile(part: file, destination: path).commit(replaces: replaces)
        } catch let failure as SystemFile.Failure where failure.code == EXDEV {
            // The file of an earlier download may be on another disk.
            try AtomicFile.write(to: path, replaces: replaces) { copy in
                var position = 0
                while let block = try file.read(upTo: 1 << 20, at: position) {
                    try copy.write([block])
                    position += block.readableBytes
                }
                try copy.synchronize()
            }
            file.remove()
        }
    }
}
