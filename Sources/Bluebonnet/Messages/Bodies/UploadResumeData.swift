public import FoundationEssentials

/// What continues an upload that was interrupted: the upload resource on the server, and what it is
/// for.
///
/// It comes from ``UploadTask/cancelProducingResumeData()`` and from
/// ``NetworkingError/uploadResumeData`` of an upload that failed, and goes into the `resuming:` of
/// the next one. There is one only where the server supports resumable uploads; see
/// ``ResumableUploads``.
///
/// It is for a request with the same body. A form is written as when its upload was begun, with the
/// same boundary. What can be seen to be different is an error, and nothing is sent then: another
/// length, another type of a multipart body, a file of another size or time, a request that cannot
/// be resumed, an upload resource where no redirect may lead from the request. Bytes in memory, and
/// sequences, are not compared.
///
/// It can be stored, as it is `Codable`. Who has it may write to the upload, where the server asks
/// for nothing more than the URL: protect it like a password.
///
/// Counterpart of the `NSURLSessionUploadTaskResumeData` of an error of URLSession.
public struct UploadResumeData: Sendable, Hashable, Codable {
    /// The format of the encoded form.
    private static let format = 1

    /// The upload resource.
    public let url: URL

    /// The URL to which the upload was sent.
    public let originalURL: URL

    /// The number of bytes of the whole, when it is known.
    public let totalByteCount: Int?

    /// The interop version of the draft, which holds for the whole upload.
    let version: ResumableUploads.DraftVersion

    /// What tells the body from another one; nil where an earlier version of this library did not
    /// note it.
    let content: UploadContent?

    init(
        url: URL,
        originalURL: URL,
        totalByteCount: Int?,
        version: ResumableUploads.DraftVersion,
        content: UploadContent? = nil
    ) {
        self.url = url
        self.originalURL = originalURL
        self.totalByteCount = totalByteCount
        self.version = version
        self.content = content
    }

    // MARK: Codable

    private enum CodingKeys: String, CodingKey {
        case format, url, originalURL, totalByteCount, version, content
    }

    /// Decodes resume data of this version of the format.
    ///
    /// - Throws: `DecodingError` for another version, and for a negative count.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func check(_ condition: Bool, _ key: CodingKeys, _ fault: String) throws {
            guard !condition else { return }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: fault)
        }
        let format = try container.decode(Int.self, forKey: .format)
        try check(format == Self.format, .format, "Version \(format) of resume data is not known.")
        url = try container.decode(URL.self, forKey: .url)
        originalURL = try container.decode(URL.self, forKey: .originalURL)
        totalByteCount = try container.decodeIfPresent(Int.self, forKey: .totalByteCount)
        try check(totalByteCount ?? 0 >= 0, .totalByteCount, "The number of bytes is negative.")
        let number = try container.decode(Int.self, forKey: .version)
        let version = ResumableUploads.DraftVersion(known: number)
        try check(version != nil, .version, "Interop version \(number) of resumable uploads is not known.")
        self.version = version ?? .version6
        content = try container.decodeIfPresent(UploadContent.self, forKey: .content)
    }

    /// Encodes the resume data.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(url, forKey: .url)
        try container.encode(originalURL, forKey: .originalURL)
        try container.encodeIfPresent(totalByteCount, forKey: .totalByteCount)
        try container.encode(version.number, forKey: .version)
        try container.encodeIfPresent(content, forKey: .content)
    }
}
