public import FoundationEssentials
import HTTPTypes

/// What continues a download that was interrupted: the file with the bytes so far, their number,
/// and the version of the representation that they belong to.
///
/// It comes from ``DownloadTask/cancelProducingResumeData()`` and from
/// ``NetworkingError/resumeData`` of a download that failed, and goes into the `resuming:` of the
/// next one. It can be stored, as it is `Codable`, but has to be protected like a path that the
/// program writes to: the file it names is changed.
///
/// The bytes are in the partial file, not here. A partial file that is gone, or shorter than noted,
/// is no error: what is missing is fetched again. Neither is one that another download has begun
/// anew: the file says what it belongs to, where the file system has extended attributes, and then
/// all is fetched again.
///
/// After a crash, ``init(continuing:from:)`` makes it of the partial file.
///
/// Counterpart of the `resumeData` of `NSURLSessionDownloadTask`, which AFNetworking's
/// `downloadTaskWithResumeData:` takes, and of Alamofire's `resumeData`.
public struct ResumeData: Sendable, Hashable, Codable {
    /// The format of the encoded form.
    private static let version = 1

    /// The URL of the request. A later one may have another URL, for example with a new signature:
    /// ``DownloadTask`` compares the version of the representation, not the URL.
    public let url: URL

    /// The file with the bytes so far.
    public let partialFile: URL

    /// The number of bytes so far.
    public let byteCount: Int

    /// The number of bytes of the whole, when it is known.
    public let totalByteCount: Int?

    /// The version that the bytes belong to.
    let validator: Validator

    /// The token of the record of the partial file; nil where the file had none.
    let token: String?

    /// What responses with a part leave out.
    let fields: RepresentationFields

    init(
        url: URL,
        partialFile: URL,
        byteCount: Int,
        totalByteCount: Int?,
        validator: Validator,
        token: String? = nil,
        fields: RepresentationFields = .init()
    ) {
        self.url = url
        self.partialFile = partialFile
        self.byteCount = byteCount
        self.totalByteCount = totalByteCount
        self.validator = validator
        self.token = token
        self.fields = fields
    }

    /// Removes the partial file, when the download will not be continued.
    public func removePartialFile() {
        try? FileManager.default.removeItem(at: partialFile)
    }

    // MARK: Codable

    private enum CodingKeys: String, CodingKey {
        case version, url, partialFile, byteCount, totalByteCount, entityTag, lastModified, token, fields
    }

    /// Decodes resume data of this version of the format.
    ///
    /// - Throws: `DecodingError` for another version, a negative count, no version of the
    ///   representation, and a partial file that is no file URL.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func check(_ condition: Bool, _ key: CodingKeys, _ fault: String) throws {
            guard !condition else { return }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: fault)
        }
        let version = try container.decode(Int.self, forKey: .version)
        try check(version == Self.version, .version, "Version \(version) of resume data is not known.")
        url = try container.decode(URL.self, forKey: .url)
        partialFile = try container.decode(URL.self, forKey: .partialFile)
        try check(partialFile.isFileURL, .partialFile, "The partial file is not a file URL.")
        byteCount = try container.decode(Int.self, forKey: .byteCount)
        try check(byteCount >= 0, .byteCount, "The number of bytes is negative.")
        totalByteCount = try container.decodeIfPresent(Int.self, forKey: .totalByteCount)
        try check(byteCount <= totalByteCount ?? .max, .totalByteCount, "There are more bytes than in all.")
        if let tag = try container.decodeIfPresent(String.self, forKey: .entityTag) {
            validator = .entityTag(tag)
        } else {
            validator = .lastModified(try container.decode(String.self, forKey: .lastModified))
        }
        try check(validator.isFieldValue, .entityTag, "The version of the representation is no field value.")
        // Not in the data of earlier versions of this library.
        token = try container.decodeIfPresent(String.self, forKey: .token)
        fields = try container.decodeIfPresent(RepresentationFields.self, forKey: .fields) ?? .init()
    }

    /// Encodes the resume data.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(url, forKey: .url)
        try container.encode(partialFile, forKey: .partialFile)
        try container.encode(byteCount, forKey: .byteCount)
        try container.encodeIfPresent(totalByteCount, forKey: .totalByteCount)
        switch validator {
        case .entityTag(let tag): try container.encode(tag, forKey: .entityTag)
        case .lastModified(let date): try container.encode(date, forKey: .lastModified)
        }
        try container.encodeIfPresent(token, forKey: .token)
        try container.encode(fields, forKey: .fields)
    }

    /// A strong validator: two representations with the same one are equal byte for byte (RFC 9110
    /// §8.8.1). No other may be in `If-Range` (§13.1.5).
    enum Validator: Sendable, Hashable {
        case entityTag(String)
        case lastModified(String)

        /// The strong validator of a response; nil when it has none.
        init?(_ head: ResponseHead) {
            if let tag = head[.eTag] {
                // A weak one begins with W/ (§8.8.3). Beside any tag a date must not be sent
                // (§13.1.5): the tags of two versions may differ when their dates do not.
                guard tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count > 1 else { return nil }
                self = .entityTag(tag)
                return
            }
            // The file may change again within the second that the date names (§8.8.2.2).
            guard let text = head[.lastModified], let modified = HTTPDate(text),
                let date = head[.date].flatMap({ HTTPDate($0) }),
                date.secondsSince1970 >= modified.secondsSince1970 + 1
            else { return nil }
            self = .lastModified(text)
        }

        var isEntityTag: Bool {
            if case .entityTag = self { true } else { false }
        }

        /// The value of `If-Range`.
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }

        var isFieldValue: Bool { HTTPField.isValidValue(text) }

        /// Whether a part of a file belongs to this version. With a tag it says so: it must have
        /// the `ETag` of the whole, also in a response to `If-Range`, where `Last-Modified` may be
        /// left out (RFC 9110 §15.3.7).
        func isShared(by head: ResponseHead) -> Bool {
            switch self {
            case .entityTag(let tag): head[.eTag] == tag
            case .lastModified: !isContradicted(by: head)
            }
        }

        /// Whether a response says that it belongs to another version. One that says nothing does
        /// not.
        func isContradicted(by head: ResponseHead) -> Bool {
            switch self {
            case .entityTag(let tag): head[.eTag].map { $0 != tag } ?? false
            case .lastModified(let date): head[.lastModified].map { $0 != date } ?? false
            }
        }
    }
}
