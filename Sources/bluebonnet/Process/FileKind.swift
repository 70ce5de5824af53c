// On Linux the compiler finds `stat` in whichever of the two modules it has read first.
import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a path leads to.
enum FileKind: Equatable, Sendable {
    case missing
    case regular
    case directory
    /// A device, a pipe, a socket: something that is written to and never replaced.
    case special

    init(path: String) {
        var status = stat()
        // The call fills the structure that it is given.
        guard unsafe stat(path, &status) == 0 else {
            self = .missing
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        default: self = .special
        }
    }
}
