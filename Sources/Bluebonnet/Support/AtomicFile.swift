import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written beside its destination and takes its name when it is complete, so that no
/// half file is ever found there.
///
/// That holds while this machine runs. Nothing is forced to the disk: after a loss of power the
/// file may be missing or incomplete.
struct AtomicFile: Sendable {
    /// The file under its temporary name.
    let part: SystemFile
    private let destination: String

    /// Makes a file of one that is written already.
    init(part: SystemFile, destination: String) throws {
        self.part = part
        self.destination = try SystemFile.checked(destination)
    }

    /// Makes the part, under a name of a fixed length: the destination's may be as long as names
    /// can be (NAME_MAX is 255 bytes).
    init(for destination: String, mode: mode_t = 0o644) throws {
        self.destination = try SystemFile.checked(destination)
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let name = "\(SystemFile.folder(of: destination))bluebonnet-\(number).part"
        do {
            part = try SystemFile(creating: name, mode: mode)
        } catch let error as SystemFile.Failure {
            // The caller knows the destination only.
            throw SystemFile.Failure(path: destination, code: error.code)
        }
    }

    /// Whether a destination can be replaced as a whole: there is nothing, or a regular file. A
    /// device, a pipe or a link is written to directly.
    static func canReplace(_ destination: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: destination)
        return attributes?[.type] as? FileAttributeType ?? .typeRegular == .typeRegular
    }

    /// Writes a whole file on the present thread, which may block.
    static func write(
        to destination: String,
        replaces: Bool,
        mode: mode_t = 0o644,
        _ write: (SystemFile) throws -> Void
    ) throws {
        let file = try AtomicFile(for: destination, mode: mode)
        do {
            try write(file.part)
            try file.commit(replaces: replaces)
        } catch {
            file.discard()
            throw error
        }
    }

    /// Removes what was written.
    func discard() {
        part.remove()
    }

    /// A way to give a file a name only if nothing has that name. Not every file system knows every
    /// way.
    enum ExclusiveMove: CaseIterable {
        /// renameat2(2) with RENAME_NOREPLACE: one step. Refused by NFS, by some FUSE file systems
        /// and before Linux 3.15.
        case rename
        /// A second name by link(2), then the first one is removed. Refused where there are no hard
        /// links (vfat, exFAT).
        case link
        /// An empty file holds the name (O_EXCL) until rename(2) puts this one in its place. Works
        /// everywhere; only here may others see the empty file for a moment, and find it after a
        /// crash.
        case reserve
    }

    /// Gives the file its final name, in place of another file only if `replaces`.
    ///
    /// - Parameters:
    ///   - replaces: Whether a file of that name is replaced.
    ///   - ways: How to move it without replacing, tried in this order until one is not refused.
    /// - Throws: ``SystemFile/Failure``, with EEXIST for a name that is taken.
    func commit(replaces: Bool, ways: [ExclusiveMove] = ExclusiveMove.allCases) throws {
        guard !replaces else { return try replace() }
        var failure = failure(ENOSYS)
        for way in ways {
            do {
                return switch way {
                case .rename: try renameToFree()
                case .link: try linkToFree()
                case .reserve: try reserveAndReplace()
                }
            } catch let error as SystemFile.Failure where Self.refusals.contains(error.code) {
                failure = error
            }
        }
        throw failure
    }

    /// The errors of a way that is not supported here. Some sandboxes return EPERM for every call
    /// that they do not know.
    private static let refusals: Set<CInt> = [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EACCES, EMLINK, EXDEV]

    private func failure(_ code: CInt) -> SystemFile.Failure {
        SystemFile.Failure(path: destination, code: code)
    }

    private func replace() throws {
        guard unsafe rename(part.path, destination) == 0 else { throw failure(errno) }
    }

    private func renameToFree() throws {
        #if os(Linux)
            guard let rename = unsafe renameAt2 else { throw failure(ENOSYS) }
            guard unsafe rename(AT_FDCWD, part.path, AT_FDCWD, destination, noReplace) == 0 else {
                throw failure(errno)
            }
        #else
            throw failure(ENOSYS)
        #endif
    }

    private func linkToFree() throws {
        guard unsafe link(part.path, destination) == 0 else { throw failure(errno) }
        discard()
    }

    private func reserveAndReplace() throws {
        let reservation = try SystemFile(creating: destination)
        do {
            try replace()
        } catch {
            reservation.remove()
            throw error
        }
    }
}

#if os(Linux)
    private typealias RenameAt2 =
        @convention(c) (
            CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
        ) -> CInt

    /// renameat2(2), which C libraries declare as an extension only, and older ones do not have.
    /// The type is that of its manual page.
    private let renameAt2 = unsafe dlsym(nil, "renameat2").map { unsafe unsafeBitCast($0, to: RenameAt2.self) }

    /// RENAME_NOREPLACE.
    private let noReplace: CUnsignedInt = 1
#endif
