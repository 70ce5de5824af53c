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
        self.init(attributes)
    }

    /// The kind of the file that a path leads to, through links.
    init(target path: String) {
        let target = HomeFolder.file(path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.init(path: target)
    }

    private init(_ attributes: [FileAttributeKey: Any]) {
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: self = .regular
        case .typeDirectory: self = .directory
        case .typeSymbolicLink: self = .link
        default: self = .special
        }
    }
}
