import FoundationEssentials

/// What stands at a path; a link is a link, wherever it leads.
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
