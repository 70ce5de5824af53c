import FoundationEssentials
import HTTPTypes

/// A transfer as a journal keeps it: the request, where its response goes, and how far it is. The
/// bytes of a download are not here, nor their number: the partial file knows them.
struct TransferRecord: Sendable, Codable {
    /// The number of the format. One of another version is not read, and not changed.
    private static let version = 1

    /// Where a download goes, and what it takes.
    struct Download: Sendable, Codable {
        fileprivate var path: String
        fileprivate var options: Int
        /// Whether the path is that of a folder, and the server names the file.
        fileprivate var isFolder: Bool
        fileprivate var validations: [Validation]
        fileprivate var checksum: String?
        fileprivate var resumeData: ResumeData?
    }

    /// The rules for a response that are no code.
    fileprivate struct Validation: Sendable, Codable {
        var statusCodes: [Int]?
        var contentTypes: [String]
        var followsAcceptHeader: Bool
    }

    /// A file that is complete, and about to get its name.
    struct Commit: Sendable, Codable {
        /// The path of its target, without a number.
        var path: String
        /// Whether it gets a number where the name is taken.
        var isNumbered: Bool
        var identity: FileIdentity
        var head: StoredHead
    }

    private var version = Self.version
    var request: StoredRequest
    /// Nil for an upload.
    private(set) var download: Download?
    /// The upload resource on the server, with which an upload goes on.
    var upload: UploadResumeData?
    /// Whether the task was started.
    var isStarted = false
    /// The path of the partial file, where it cannot be foreseen.
    var partialFile: String?
    var commit: Commit?
    var result: TransferResult?

    // MARK: Making it

    /// The record of an upload.
    init(_ request: Request, resuming upload: UploadResumeData? = nil) throws(NetworkingError) {
        self.request = try StoredRequest(request)
        self.upload = upload
    }

    /// The record of a download.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for what cannot be stored.
    init(_ request: Request, _ download: Bluebonnet.Download) throws(NetworkingError) {
        try self.init(request)
        let (target, isFolder): (DownloadTarget, Bool) =
            switch download.destination {
            case let url as URL: (DownloadTarget(url), false)
            case let target as DownloadTarget: (target, false)
            case let folder as FolderDestination: (DownloadTarget(folder.folder, options: folder.options), true)
            default:
                throw NetworkingError(
                    .invalidRequest,
                    "\(request) cannot outlive the process, because code decides its destination: name a file or"
                        + " a folder, or use a session without a journal.",
                    request: request
                )
            }
        guard download.validations.allSatisfy(\.rules.isEmpty) else {
            throw NetworkingError(
                .invalidRequest,
                "\(request) cannot outlive the process, because a rule of its validation is code: leave it out,"
                    + " or use a session without a journal.",
                request: request
            )
        }
        self.download = Download(
            path: StoredRequest.absolute(try FileOutput.path(of: target.file, for: "a download")),
            options: target.options.rawValue,
            isFolder: isFolder,
            validations: download.validations.map { validation in
                Validation(
                    statusCodes: validation.acceptableStatusCodes?.sorted(),
                    contentTypes: validation.acceptableContentTypes.sorted(),
                    followsAcceptHeader: validation.followsAcceptHeader
                )
            },
            checksum: download.checksum?.description,
            resumeData: download.resumeData
        )
    }

    // MARK: Data

    /// The record as the store keeps it.
    var data: Data {
        get throws(NetworkingError) {
            do {
                return try JSONEncoder().encode(self)
            } catch {
                throw NetworkingError(.storeFailed, "The transfer cannot be written: \(error)", underlying: error)
            }
        }
    }

    /// Reads a record; nil for what is none, or of another version.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: data), record.version == Self.version,
            record.request.request != nil
        else { return nil }
        self = record
    }

    // MARK: Going on

    /// The path of the partial file; nil for an upload, and where the server has not named the
    /// file.
    var knownPartialFile: String? {
        if let partialFile { return partialFile }
        guard let download, !download.isFolder else { return nil }
        return PartialFile.path(for: download.path)
    }

    /// The result of a transfer that is over: also of a download whose file had got its name when
    /// the process ended, and nobody could note that.
    ///
    /// - Parameter identity: Gives the identity of the file at a path.
    /// - Returns: The result; nil for a transfer that has to go on.
    func result(identity: (String) -> FileIdentity?) -> TransferResult? {
        if let result { return result }
        guard let commit, let path = commit.place(identity: identity) else { return nil }
        return TransferResult(head: commit.head, file: path)
    }
}

extension TransferRecord.Download {
    /// The download again, of a transfer.
    func download(of url: URL, _ transfer: JournaledTransfer) -> Download {
        let file = URL(filePath: path, directoryHint: isFolder ? .isDirectory : .notDirectory)
        let options = DownloadTarget.Options(rawValue: options)
        let destination: any DownloadDestination =
            isFolder ? FolderDestination(file, options: options) : DownloadTarget(file, options: options)
        return Download(
            url: url,
            destination: destination,
            resumeData: resumeData,
            checksum: checksum.flatMap { Checksum(stored: $0) },
            validations: validations.map { stored in
                var validation = ResponseValidation(
                    statusCodes: stored.statusCodes.map { Set($0) },
                    contentTypes: Set(stored.contentTypes)
                )
                validation.followsAcceptHeader = stored.followsAcceptHeader
                return validation
            },
            transfer: transfer
        )
    }
}

extension TransferRecord.Commit {
    /// The most free names between two that are taken: somebody may have removed files.
    private static let longestGap = 10

    /// The path under which the file is now; nil when it has not got its name, or has lost it.
    func place(identity: (String) -> FileIdentity?) -> String? {
        guard isNumbered else { return identity(path) == self.identity ? path : nil }
        let folder = SystemFile.folder(of: path)
        let name = String(path.dropFirst(folder.count))
        var gap = 0
        for number in 1...PartialFile.Target.mostNumbers where gap <= Self.longestGap {
            let candidate = number == 1 ? path : folder + FileName.numbered(name, number)
            guard let found = identity(candidate) else {
                gap += 1
                continue
            }
            if found == self.identity { return candidate }
            gap = 0
        }
        return nil
    }
}
