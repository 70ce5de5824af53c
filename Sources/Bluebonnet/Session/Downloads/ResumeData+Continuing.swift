public import FoundationEssentials

extension ResumeData {
    /// What continues a download to a file whose process was killed, or whose machine lost power,
    /// so that nobody has resume data of it.
    ///
    /// ```swift
    /// let (url, file) = (request.url, URL(filePath: "big.iso"))
    /// let resumeData = ResumeData(continuing: file, from: url)
    /// try await session.download(request, to: file, resuming: resumeData)
    /// ```
    ///
    /// The partial file beside the target says what it belongs to, in the extended attribute
    /// `user.bluebonnet`. After a loss of power only the bytes count that had been forced to the
    /// disk, which happens every five seconds. The server decides whether its file is still the
    /// same version, as for every download that is continued.
    ///
    /// Nil when there is no partial file, when it belongs to another URL, when its server could not
    /// continue it, and where the file system has no extended attributes: FAT, exFAT, tmpfs before
    /// Linux 6.6, and some network file systems.
    ///
    /// The file is read, but not taken: another download may write to it, and continuing is an
    /// error then.
    ///
    /// - Parameters:
    ///   - target: The file URL to which the download was to go.
    ///   - url: The URL of the download. User, password and fragment do not count.
    public init?(continuing target: URL, from url: URL) {
        guard let path = try? PartialFile.Target(DownloadTarget(target)).path else { return nil }
        self.init(partialFile: PartialFile.path(for: path), from: url)
    }

    /// What continues the download that a partial file belongs to.
    init?(partialFile path: String, from url: URL) {
        guard let file = try? SystemFile(reading: path),
            let record = try? DownloadRecord(of: file), record.resource == DownloadRecord.digest(of: url),
            let validator = record.validator, let size = try? file.size()
        else { return nil }
        let missing = record.missing(of: size).map { DownloadSegments.count($0) }
        let count = missing.map { (record.length ?? 0) - $0 } ?? record.trusted(of: size)
        guard count > 0, count <= record.length ?? .max else { return nil }
        self.init(
            url: url,
            partialFile: URL(filePath: file.path, directoryHint: .notDirectory),
            byteCount: count,
            totalByteCount: record.length,
            validator: validator,
            token: record.token,
            fields: record.fields
        )
    }
}
