/// The most that a response may cost before it is refused with an error. Sizes are in bytes.
///
/// No counterpart in AFNetworking or Alamofire.
public struct Limits: Sendable, Hashable {
    /// The size of a response body collected in memory, content coding undone. Default: 1 GiB.
    /// Bodies streamed to a file or to the caller have no limit. Error:
    /// ``NetworkingError/Code/bodyTooLarge``.
    public var bodyInMemory: Int

    /// The size of the whole header section. Default: 64 KiB. Error:
    /// ``NetworkingError/Code/headerTooLarge``.
    public var headerSection: Int

    /// The size of one header line, which is never more than that of the section. Default: 64 KiB,
    /// as the section; servers send cookies and policies of that size. Error:
    /// ``NetworkingError/Code/headerTooLarge``.
    public var headerLine: Int

    /// The number of redirects that are followed. Default: 20. Error:
    /// ``NetworkingError/Code/tooManyRedirects``.
    public var redirects: Int

    /// The factor by which a body may grow when its content coding is undone; checked once it
    /// exceeds 10 MiB, so that small repetitive responses pass. Default: 200 (deflate reaches 1032
    /// on zeros alone). Error: ``NetworkingError/Code/contentDecodingLimitExceeded``.
    public var decodingRatio: Int

    /// The size a body may reach when its content coding is undone, also when streamed. Default: 16
    /// GiB. Error: ``NetworkingError/Code/contentDecodingLimitExceeded``.
    public var decodedBody: Int

    /// The size of one line of ``ResponseBody/lines``, without its LF or CRLF. Default: 1 MiB.
    /// Error: ``NetworkingError/Code/lineTooLong``.
    public var line: Int

    static let defaultLine = 1 << 20

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - bodyInMemory: The size of a body in memory. Default: 1 GiB.
    ///   - headerSection: The size of the header section. Default: 64 KiB.
    ///   - headerLine: The size of one header line. Default: 64 KiB.
    ///   - redirects: How many redirects are followed. Default: 20.
    ///   - decodingRatio: The ratio of decoding. Default: 200.
    ///   - decodedBody: The size of a decoded body. Default: 16 GiB.
    ///   - line: The size of one line. Default: 1 MiB.
    public init(
        bodyInMemory: Int = 1 << 30,
        headerSection: Int = 65_536,
        headerLine: Int = 65_536,
        redirects: Int = 20,
        decodingRatio: Int = 200,
        decodedBody: Int = 16 << 30,
        line: Int = 1 << 20
    ) {
        self.bodyInMemory = bodyInMemory
        self.headerSection = headerSection
        self.headerLine = headerLine
        self.redirects = redirects
        self.decodingRatio = decodingRatio
        self.decodedBody = decodedBody
        self.line = line
    }
}
