#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SystemFile {
    /// A way to give a file a name only if nothing has that name. Not every file system knows every way.
    enum ExclusiveMove: CaseIterable {
        /// renameat2(2) with RENAME_NOREPLACE: one step. Refused by NFS, by some FUSE file systems and before Linux 3.15.
        case rename
        /// A second name by link(2), then the first one is removed. Refused where there are no hard links (vfat, exFAT).
        case link
        /// An empty file holds the name (O_EXCL) until rename(2) puts this one in its place. Works everywhere; only here may others
        /// see the empty file for a moment, and find it after a crash.
        case reserve
    }

    /// Gives the file its final name, in place of a file that may stand there only if it `replaces`.
    ///
    /// - Parameters:
    ///   - destination: The final name.
    ///   - replaces: Whether a file of that name is replaced.
    ///   - ways: How to move it without replacing, tried in this order until one is not refused.
    /// - Throws: ``Failure``, with EEXIST for a name that is taken.
    func move(
        to destination: String,
        replaces: Bool,
        ways: [ExclusiveMove] = ExclusiveMove.allCases
    ) throws {
        guard !replaces else { return try replace(destination) }
        var failure = Failure(path: destination, code: ENOSYS)
        for way in ways {
            do {
                return switch way {
                case .rename: try rename(toFree: destination)
                case .link: try link(toFree: destination)
                case .reserve: try reserveAndReplace(destination)
                }
            } catch let error as Failure where Self.refusals.contains(error.code) {
                failure = error
            }
        }
        throw failure
    }

    /// What says that a way is not known here. Some sandboxes return EPERM for every call that they do not know.
    private static let refusals: Set<CInt> = [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EACCES, EMLINK, EXDEV]

    private func replace(_ destination: String) throws {
        guard systemRename(path, destination) == 0 else { throw Failure(path: destination, code: errno) }
    }

    private func rename(toFree destination: String) throws {
        #if os(Linux)
            guard let rename = unsafe renameAt2 else { throw Failure(path: destination, code: ENOSYS) }
            guard unsafe rename(AT_FDCWD, path, AT_FDCWD, destination, noReplace) == 0 else {
                throw Failure(path: destination, code: errno)
            }
        #else
            throw Failure(path: destination, code: ENOSYS)
        #endif
    }

    private func link(toFree destination: String) throws {
        guard systemLink(path, destination) == 0 else { throw Failure(path: destination, code: errno) }
        remove()
    }

    private func reserveAndReplace(_ destination: String) throws {
        let reservation = try SystemFile(creating: destination)
        do {
            try replace(destination)
        } catch {
            reservation.remove()
            throw error
        }
    }
}

private func systemRename(_ path: String, _ destination: String) -> CInt {
    unsafe rename(path, destination)
}

private func systemLink(_ path: String, _ destination: String) -> CInt {
    unsafe link(path, destination)
}

#if os(Linux)
    private typealias RenameAt2 =
        @convention(c) (
            CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
        ) -> CInt

    /// renameat2(2), which C libraries declare as an extension only, and older ones do not have. The type is that of its manual page.
    private let renameAt2 = unsafe dlsym(nil, "renameat2").map { unsafe unsafeBitCast($0, to: RenameAt2.self) }

    /// RENAME_NOREPLACE.
    private let noReplace: CUnsignedInt = 1
#endif
