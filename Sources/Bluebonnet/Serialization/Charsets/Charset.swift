/// A way to write text as bytes, with its names on the Internet.
///
/// UTF-8, UTF-16, UTF-32, US-ASCII and ISO-8859-1 are read and written here; the system's `iconv`
/// reads and writes all others: GBK, GB18030, Big5, Shift_JIS, EUC-JP, EUC-KR, ISO-8859-x,
/// windows-125x, KOI8-R and many more.
///
/// A label of a subset of what is really sent means the whole set, as in the Encoding Standard of
/// WHATWG: `gb2312` is GBK, `shift_jis` is windows-31J, `ks_c_5601-1987` and `euc-kr` are
/// windows-949, `big5` has Hong Kong's characters and `euc-jp` those of NEC and IBM. Unlike in the
/// standard, `iso-8859-1` and `us-ascii` are these charsets and not windows-1252, and `utf-16`
/// without a mark is big-endian (RFC 2781 §4.3). UTF-7 and the national variants of ISO-2022 except
/// the Japanese one are unknown: text in them can be made to look like something else.
///
/// Counterpart in AFNetworking: `NSStringEncoding`, as `stringEncoding` of its request serializers.
public struct Charset: Sendable, Hashable, CustomStringConvertible {
    enum Scheme: Sendable, Hashable {
        case utf8
        case ascii
        case latin1
        /// `isBigEndian` is nil where a mark decides; without a mark the text is big-endian.
        case utf16(isBigEndian: Bool?)
        case utf32(isBigEndian: Bool?)
        /// Big5 is read as it is used on the web, and written as the system writes it.
        case big5
        /// A charset of the system, with its name for `iconv`.
        case system(String)
    }

    /// The usual name: `UTF-8`, `GBK`, `Shift_JIS`.
    public let name: String

    let scheme: Scheme

    init(_ name: String, _ scheme: Scheme) {
        self.name = name
        self.scheme = scheme
    }

    /// Finds a charset by its name or an alias, in any case; nil for one that neither this library
    /// nor the system knows.
    ///
    /// - Parameter label: The name, as in the `charset` parameter of a `Content-Type`.
    public init?(_ label: String) {
        guard let charset = Self.labelled(label) else { return nil }
        self = charset
    }

    /// The ``name``.
    public var description: String { name }

    /// Whether two charsets are read and written in the same way.
    public static func == (left: Charset, right: Charset) -> Bool { left.scheme == right.scheme }

    /// Feeds the values that `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}

extension Charset {
    /// UTF-8 (RFC 3629).
    public static let utf8 = Charset("UTF-8", .utf8)
    /// US-ASCII: the first 128 characters.
    public static let ascii = Charset("US-ASCII", .ascii)
    /// ISO-8859-1: the first 256 characters.
    public static let latin1 = Charset("ISO-8859-1", .latin1)
    /// UTF-16; read by its byte-order mark, big-endian without one and when written (RFC 2781
    /// §4.3).
    public static let utf16 = Charset("UTF-16", .utf16(isBigEndian: nil))
    /// UTF-16 with the high byte first.
    public static let utf16BigEndian = Charset("UTF-16BE", .utf16(isBigEndian: true))
    /// UTF-16 with the low byte first.
    public static let utf16LittleEndian = Charset("UTF-16LE", .utf16(isBigEndian: false))
    /// UTF-32; read by its byte-order mark, big-endian without one and when written.
    public static let utf32 = Charset("UTF-32", .utf32(isBigEndian: nil))
    /// UTF-32 with the high byte first.
    public static let utf32BigEndian = Charset("UTF-32BE", .utf32(isBigEndian: true))
    /// UTF-32 with the low byte first.
    public static let utf32LittleEndian = Charset("UTF-32LE", .utf32(isBigEndian: false))
}

extension Charset {
    /// The treatment of bytes that are not text, and of characters that a charset has no bytes for.
    public enum Fallback: Sendable, Hashable {
        /// Both are errors.
        case fail
        /// Bytes become U+FFFD; characters become `?`.
        case replace
    }
}
