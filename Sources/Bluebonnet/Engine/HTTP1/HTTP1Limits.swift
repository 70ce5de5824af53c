/// The most that is accepted of an HTTP/1.1 response outside its body. Lengths are in bytes;
/// those of lines are counted without the line ending.
struct HTTP1Limits: Sendable, Hashable {
    /// The longest head (status line and header lines with their line endings) or trailer section.
    /// Default: 64 KiB.
    var headerSection = 65_536
    /// The longest single status, header or trailer line. Default: 64 KiB, as the section.
    var headerLine = 65_536
    /// The longest line with a chunk size and its extensions. Default: 4 KiB.
    var chunkLine = 4_096

    /// The most header or trailer fields in one section; `HTTPFields` cannot hold 65 535 or more.
    static let fieldCount = 32_768

    /// The most informational responses before the final one, beside those below.
    static let informationalCount = 64
    /// The most 104 responses before the final one: a server says with them how much of an upload
    /// it has, once a second or so, for as long as the upload takes.
    static let uploadNoticeCount = 100_000
}
