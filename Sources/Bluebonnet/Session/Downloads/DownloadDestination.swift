public import FoundationEssentials

/// Where a download goes: `to: file`, `to: .file(file, options: .createDirectories)`,
/// `to: .folder(downloads)` or a ``DecidedDestination``.
///
/// A `URL` is one: the file that is written, or replaced when the new one is complete.
///
/// Counterpart of the `destination` block of AFNetworking, and of Alamofire's
/// `DownloadRequest.Destination`, whose options have to be asked for, replacing among them.
public protocol DownloadDestination: Sendable {
    /// The file for a response. Called once, when the head has arrived and was accepted. A download
    /// that is continued and turns out to be complete has the head of a 416.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - request: The request of the response, after redirects.
    /// - Returns: The file, with what may be done for it.
    /// - Throws: Any error; the download then fails with ``NetworkingError/Code/outputFailed``,
    ///   unless it is a ``NetworkingError``.
    func target(for head: ResponseHead, request: Request) throws -> DownloadTarget
}

/// A file that a download is written to, and what may be done for it.
///
/// Counterpart of the pair that Alamofire's `DownloadRequest.Destination` returns.
public struct DownloadTarget: Sendable, Hashable {
    /// What may be done for a file.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// Makes options of bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// An existing file, folder or link is an error. Otherwise a file is replaced when the new
        /// one is complete, as by ``ResponseBody/write(to:overwrites:)``.
        public static let withoutOverwriting = Options(rawValue: 1)
        /// Missing folders of the path are made; otherwise they are an error.
        public static let createDirectories = Options(rawValue: 2)
        /// When there is a file of the name, or a folder or a link, the new one gets the first free
        /// one of `name 2.iso`, `name 3.iso` and so on.
        public static let uniqueName = Options(rawValue: 4)
    }

    /// The file. It must be a file URL.
    public var file: URL

    /// What may be done for it.
    public var options: Options

    /// Makes a target.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - options: What may be done for it. Default: none.
    public init(_ file: URL, options: Options = []) {
        self.file = file
        self.options = options
    }
}

extension DownloadTarget: DownloadDestination {
    /// The target itself.
    public func target(for head: ResponseHead, request: Request) -> DownloadTarget { self }
}

extension URL: DownloadDestination {
    /// The file of this URL, which is replaced when there is one.
    public func target(for head: ResponseHead, request: Request) -> DownloadTarget { DownloadTarget(self) }
}

extension DownloadDestination where Self == DownloadTarget {
    /// A file.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - options: What may be done for it. Default: none.
    /// - Returns: The destination.
    public static func file(_ file: URL, options: DownloadTarget.Options = []) -> Self {
        DownloadTarget(file, options: options)
    }
}

/// A destination that a closure decides:
///
/// ```swift
/// let byType = DecidedDestination { head, request in
///     let isPDF = head.mediaType == "application/pdf"
///     let file = URL(filePath: isPDF ? "paper.pdf" : "other")
///     return DownloadTarget(file, options: .uniqueName)
/// }
/// ```
///
/// Counterpart of the `destination` block of AFNetworking's `downloadTaskWithRequest:`.
public struct DecidedDestination: DownloadDestination {
    private let decide: @Sendable (ResponseHead, Request) throws -> DownloadTarget

    /// Makes a destination.
    ///
    /// - Parameter decide: Gets the head of the response and its request, after redirects. What it
    ///   throws fails the download.
    public init(_ decide: @escaping @Sendable (ResponseHead, Request) throws -> DownloadTarget) {
        self.decide = decide
    }

    /// The file that the closure decides.
    ///
    /// - Throws: What the closure throws.
    public func target(for head: ResponseHead, request: Request) throws -> DownloadTarget {
        try decide(head, request)
    }
}

/// A folder, in which the file gets the name that the server suggests:
/// ``ResponseHead/suggestedFileName(for:)``. Written as `to: .folder(downloads)`.
///
/// Counterpart of Alamofire's `DownloadRequest.suggestedDownloadDestination(for:in:options:)`.
public struct FolderDestination: DownloadDestination, Hashable {
    /// A file URL of a folder.
    public var folder: URL

    /// What may be done for the file.
    public var options: DownloadTarget.Options

    /// Makes a destination.
    ///
    /// - Parameters:
    ///   - folder: A file URL of a folder.
    ///   - options: What may be done for the file. Default: folders are made, and a file that
    ///     exists is not replaced: the new one gets a name that is free.
    public init(_ folder: URL, options: DownloadTarget.Options = [.createDirectories, .uniqueName]) {
        self.folder = folder
        self.options = options
    }

    /// The file of this folder.
    public func target(for head: ResponseHead, request: Request) -> DownloadTarget {
        let name = head.suggestedFileName(for: request.url)
        return DownloadTarget(folder.appending(path: name, directoryHint: .notDirectory), options: options)
    }
}

extension DownloadDestination where Self == FolderDestination {
    /// A file of a folder, under the name that the server suggests; see ``FolderDestination``.
    ///
    /// - Parameters:
    ///   - folder: A file URL of a folder.
    ///   - options: What may be done for the file. Default: folders are made, and a file that
    ///     exists is not replaced: the new one gets a name that is free.
    /// - Returns: The destination.
    public static func folder(
        _ folder: URL,
        options: DownloadTarget.Options = [.createDirectories, .uniqueName]
    ) -> Self {
        FolderDestination(folder, options: options)
    }
}
