import Crypto
import FoundationEssentials

/// What a partial file belongs to, as an extended attribute of the file itself.
///
/// It is written before the first byte, so that bytes are never taken for those of another version,
/// and continues the download after a crash, when nobody has resume data. The URL is only there as
/// a digest: others who may read the file learn neither a token in it nor its query.
struct DownloadRecord: Sendable, Hashable, Codable {
    /// The name of the attribute.
    static let attribute = "user.bluebonnet"
    /// The number of the format; another one is not read. Where parts are missing it is the second
    /// one, because readers of the first take the size of the file for the number of its bytes.
    private static let versions = 1...2

    private var version = Self.versions.lowerBound
    /// Another one for each download that begins at its first byte.
    private(set) var token = String(UInt64.random(in: .min ... .max), radix: 36)
    /// The digest of the URL, see ``digest(of:)``. A download may be continued from another one.
    var resource: String
    /// The number of bytes of the whole, where it is known.
    var length: Int?
    private var entityTag: String?
    private var lastModified: String?
    /// What responses with a part leave out.
    var fields: RepresentationFields
    /// How many bytes the disk has for certain: after a loss of power no others are trusted.
    var secured = 0
    /// What is missing of a file that is fetched in several parts at once; nil for others.
    var missing: [Range<Int>]? {
        didSet { version = missing == nil ? Self.versions.lowerBound : Self.versions.upperBound }
    }
    /// What the disk does not have for certain of such a file.
    var missingOnDisk: [Range<Int>]?
    /// The start of the machine during which the file was written; see ``SystemFile/currentBoot``.
    var boot = SystemFile.currentBoot

    /// Makes the record of a download that begins.
    init(url: URL, length: Int?, validator: ResumeData.Validator?, fields: RepresentationFields) {
        resource = Self.digest(of: url)
        self.length = length
        self.fields = fields
        self.validator = validator
    }

    /// The record of a partial file that has none.
    init(_ resumeData: ResumeData) {
        self.init(
            url: resumeData.url,
            length: resumeData.totalByteCount,
            validator: resumeData.validator,
            fields: resumeData.fields
        )
    }

    /// The version of the representation; nil when the rest cannot be asked for later.
    var validator: ResumeData.Validator? {
        get { entityTag.map { .entityTag($0) } ?? lastModified.map { .lastModified($0) } }
        set {
            (entityTag, lastModified) = (nil, nil)
            switch newValue {
            case .entityTag(let tag): entityTag = tag
            case .lastModified(let date): lastModified = date
            case nil: break
            }
        }
    }

    /// The SHA-256 digest of a URL without its user, password and fragment.
    static func digest(of url: URL) -> String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        components?.fragment = nil
        let text = components?.string ?? url.absoluteString
        return Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }

    /// How many bytes of a file of this size can be trusted.
    ///
    /// Since the machine was started, the system has had all that was written, whatever became of
    /// the process. Before that power may have been lost, and what the disk did not have is zeros
    /// or nothing.
    func trusted(of size: Int, boot: String? = SystemFile.currentBoot) -> Int {
        boot != nil && boot == self.boot ? size : min(secured, size)
    }

    /// Notes that no more than some parts are missing of a file, and perhaps on the disk. Of two
    /// such states the one with fewer bytes is the later one.
    mutating func note(missing parts: [Range<Int>], isOnDisk: Bool = false) {
        func isLater(than known: [Range<Int>]?) -> Bool {
            known.map { DownloadSegments.count(parts) < DownloadSegments.count($0) } ?? true
        }
        if isLater(than: missing) { missing = parts }
        if isOnDisk, isLater(than: missingOnDisk) { missingOnDisk = parts }
    }

    /// What is missing of a file in parts, after all that cannot be trusted was taken away; nil for
    /// other files. As ``trusted(of:boot:)``.
    func missing(of size: Int, boot: String? = SystemFile.currentBoot) -> [Range<Int>]? {
        guard let missing, let length else { return nil }
        let trusted = boot != nil && boot == self.boot ? missing : missingOnDisk ?? [0..<length]
        return DownloadSegments.merged(trusted + (size < length ? [size..<length] : []))
    }

    // MARK: The attribute

    /// The record as bytes.
    var encoded: [UInt8] {
        get throws { Array(try JSONEncoder().encode(self)) }
    }

    /// Reads a record; nil for what is none, or of another version.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            Self.versions.contains(record.version), record.secured >= 0, record.length ?? 0 >= 0,
            record.validator?.isFieldValue ?? true
        else { return nil }
        let parts = (record.missing ?? []) + (record.missingOnDisk ?? [])
        guard parts.allSatisfy({ $0.lowerBound >= 0 && $0.upperBound <= record.length ?? -1 }) else { return nil }
        self = record
    }

    /// The record of a file; nil where there is none.
    ///
    /// - Throws: ``SystemFile/Failure`` where the file system has no attributes.
    init?(of file: SystemFile) throws {
        guard let bytes = try file.attribute(Self.attribute) else { return nil }
        self.init(bytes)
    }

    /// The record without all that is not needed to know the file again.
    var shortened: DownloadRecord {
        var record = self
        record.validator = nil
        record.fields = RepresentationFields()
        return record
    }
}
