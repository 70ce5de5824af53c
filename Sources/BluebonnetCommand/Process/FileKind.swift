import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The kind of file at a path; a link is not followed.
enum FileKind: Equatable, Sendable {
    case missing
    case regular
    case directory
    case link
    /// A device, a pipe or a socket.
    case special

    init(path: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            self = .missing
            return
        }
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: self = .regular
        case .typeDirectory: self = .directory
        case .typeSymbolicLink: self = .link
        default: self = .special
        }
    }

    /// The size in bytes of the file at a path; nil where there is none.
    ///
    /// Not from the attributes of `FileManager`, whose numbers have another type as soon as a part
    /// of the process links Foundation.
    static func size(ofFile path: String) -> Int? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
