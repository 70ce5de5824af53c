import FoundationEssentials

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
}
