import Foundation

/// The inputs that a run begins with, and the folder for new ones that are worth keeping.
struct FuzzCorpus {
    private let target: FuzzTarget

    init(_ target: FuzzTarget) {
        self.target = target
    }

    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the inputs in the repository.
    private var folder: URL { Self.repository.appending(path: "Tests/FuzzTests/Corpus/\(target.rawValue)") }

    /// The folder of the inputs that earlier runs on this machine kept.
    private var finds: URL { Self.repository.appending(path: ".build-fuzz/\(target.rawValue)") }

    /// The inputs of the repository, in the order of their names.
    func inputs() throws -> [[UInt8]] { try Self.files(in: folder) }

    /// The inputs that earlier runs kept.
    func earlierFinds() -> [[UInt8]] { (try? Self.files(in: finds)) ?? [] }

    private static func files(in folder: URL) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { Array(try Data(contentsOf: $0)) }
    }

    /// Keeps an input whose outcome is of a new kind.
    func keep(_ input: [UInt8], number: Int) throws {
        try FileManager.default.createDirectory(at: finds, withIntermediateDirectories: true)
        try Data(input).write(to: finds.appending(path: "find-\(number)"))
    }

    /// Saves the input that is tried next, so that it is known after a crash or a hang.
    func note(_ input: [UInt8]) throws {
        try Data(input).write(to: Self.repository.appending(path: ".build-fuzz/\(target.rawValue)-last-input"))
    }

    /// Makes the folder for finds.
    func prepare() throws {
        try FileManager.default.createDirectory(at: finds, withIntermediateDirectories: true)
    }

    /// Pieces of input that have a meaning in the format of the parser.
    var words: [[UInt8]] {
        if target == .webSocket { return Self.frames }
        let texts: [String] =
            switch target {
            case .http1:
                [
                    "HTTP/1.1 200 OK\r\n", "\r\n", "\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n",
                    "0\r\n\r\n",
                    "HTTP/1.1 100 C\r\n\r\n", ": ", ";", ",", " ", "\t", "ffffffffffffffff", "HTTP/1.0", "204", "304",
                    "101",
                ]
            case .http2:
                [
                    "\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}\u{0}",
                    "\u{0}\u{0}\u{6}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{4}\u{0}\u{1}\u{0}\u{0}",
                    "\u{0}\u{0}\u{4}\u{3}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{8}",
                    "\u{0}\u{0}\u{4}\u{8}\u{0}\u{0}\u{0}\u{0}\u{5}\u{7F}\u{7F}\u{7F}\u{7F}",
                    "\u{0}\u{0}\u{8}\u{6}\u{0}\u{0}\u{0}\u{0}\u{0}abcdefgh",
                    "\u{0}\u{0}\u{8}\u{7}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{3}\u{0}\u{0}\u{0}\u{0}",
                    "\u{0}\u{0}\u{2}\u{0}\u{1}\u{0}\u{0}\u{0}\u{1}ok", "\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{3}",
                    "\u{0}\u{0}\u{4}\u{0}\u{8}\u{0}\u{0}\u{0}\u{1}\u{1}ok\u{0}",
                    "\u{0}\u{0}\u{5}\u{1}\u{4}\u{0}\u{0}\u{0}\u{3}\u{8}\u{3}200",
                    "\u{0}\u{0}\u{5}\u{1}\u{5}\u{0}\u{0}\u{0}\u{5}\u{8}\u{3}204",
                    "\u{0}\u{0}\u{5}\u{1}\u{0}\u{0}\u{0}\u{0}\u{1}\u{8}\u{3}103",
                    "\u{0}\u{0}\u{5}\u{9}\u{4}\u{0}\u{0}\u{0}\u{1}\u{0}\u{1}a\u{1}b",
                    "\u{0}\u{0}\u{5}\u{5}\u{4}\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{2}\u{2}",
                    "\u{0}\u{0}\u{5}\u{2}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{7}",
                ]
            case .hpack:
                [
                    "\u{8}\u{3}200", "\u{0}\u{1}a\u{1}b", "@\u{1}a\u{1}b", "\u{10}\u{1}a\u{0}", " ", "?",
                    "\u{7F}\u{7F}",
                    "\u{0}\u{E}content-length\u{1}5", "\u{0}\u{A}connection\u{5}close", "\u{0}\u{7}:status\u{3}404",
                    "\u{F}\u{2F}\u{1}x", "\u{0}\u{1}A\u{1} ", "\u{5C}\u{2}12",
                ]
            case .json, .decodable:
                [
                    "{", "}", "[", "]", "\"", ":", ",", "null", "true", "false", "1e", "-0", ".5", "\\u", "\\ud800",
                    "\\udc00", "\\", "\u{FEFF}", "\u{10FFFF}", "\"id\":", "\"child\":{", "\"tags\":{\"a\":1}", "e+309",
                    "18446744073709551616", "\"children\":[{}]", "\"when\":0.5", "\"values\":[null,1]",
                    "\"data\":\"aGk=\"",
                ]
            case .events:
                [
                    "data", "data: ", "event: ", "id: ", "retry: 1", ":", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}", "\0",
                    " ",
                ]
            case .lines: ["\n", "\r", "\r\n", "a"]
            case .xml:
                [
                    "<", ">", "/>", "</", "&", "&amp;", "&e;", ";", "'", "\"", "]]>", "<!--", "--", "-->", "<?", "?>",
                    "<![CDATA[", "&#", "&#x", "<!ENTITY e 'x'>", "<!DOCTYPE a [", "]>", "%", "/", "=", ":", "xmlns",
                    "xmlns:p='u'", " p:q='v'", "\u{FEFF}", "\r", "encoding='utf-16'", "<a>", "</a>", "\u{85}",
                ]
            case .xpath:
                [
                    "a", "b", "//", "/", "[", "]", "(", ")", "@", "*", "1", "'x'", "\"", "..", ".", "::", "child",
                    "ancestor-or-self::", "preceding::", "count(", "|", "+", "-", "=", "<", " and ", " or ", " div ",
                    " mod ", "text()", "node()", "processing-instruction('pi')", "position()", "last()", "string(", ",",
                    "p:b", "namespace::*", "following-sibling::*", "not(", "concat(", "substring(", "translate(", "id(",
                    "lang('en')", "1e9", "-0", "$v", "9999999999999999999",
                ]
            case .propertyList:
                [
                    "<plist>", "</plist>", "<dict>", "</dict>", "<key>", "</key>", "<array>", "</array>", "<string>",
                    "</string>", "<integer>", "<real>", "nan", "-", "0x", "<true/>", "<date>", "2026-02-30T25:61:61Z",
                    "<data>", "====", "bplist00", "\u{0}", "\u{1}", "\u{8}", "\u{F}",
                ]
            case .charset: ["\u{1B}$B", "\u{1B}(B", "\u{1B}(J", "\u{E}", "\u{F}", "\u{FEFF}"]
            case .challenge:
                [
                    ",", "=", "\"", "\\", " ", "\t", "Basic ", "Digest ", "Negotiate ", "realm=", "nonce=\"n\"", "a==",
                    "qop=auth", "\u{0}", "\u{E4}",
                ]
            case .cookie:
                [
                    "; ", "=", ";", " ", "\t", "\n", "\r\n", "Secure", "HttpOnly", "Path=/", "Domain=", "Domain=com",
                    "SameSite=None", "Max-Age=", "Expires=", "06 Nov 2044", "08:49:37", "__Secure-", "__host-", "#",
                    "#HttpOnly_", "TRUE", "FALSE", "example.com\tTRUE\t/\tFALSE\t0\ta\tb\n", "99999999999999999999",
                    "\u{0}", "\u{E4}",
                ]
            case .retryAfter:
                [
                    "0", "1", "9", "60", "1999", "Fri, ", "Friday, ", "31", "-Dec-99", " Dec ", "23:59:59", ":60",
                    " GMT",
                    " ", ",", "-", "+1", "\u{0}", "\u{E4}",
                ]
            case .cacheControl, .storedHead:
                [
                    "\nCache-Control:", "no-store", "no-cache", "=\"", "\"", "\\", ",", "=", "max-age=", "s-maxage=",
                    "private", "public", "must-revalidate", "must-understand", "immutable", "max-stale", "min-fresh=",
                    "stale-while-revalidate=60", "stale-if-error=", "99999999999999999999", "0", "-1", "\n", " ", "\t",
                    "\nAge:", "\nVary:", "*", "\nExpires:", "\nDate:Fri, 15 Jan 2027 08:00:00 GMT", "\nConnection:",
                    "\nETag:", "W/", "\nLast-Modified:Thu, 01 Jan 1970 00:00:00 GMT", "\n>Range:bytes=",
                    "\n>If-None-Match:", "\n>If-Range:", "\n>Accept-Language:", "accept-language", "\nContent-Length:",
                    "\u{0}", "\u{E4}",
                ]
            case .contentRange:
                [
                    "bytes ", "BYTES", "*", "/", "-", "0", "1", "9223372036854775807", "9223372036854775806", " ", "+",
                    "/*",
                ]
            default: []
            }
        return texts.map { Array($0.utf8) }
    }

    /// Frames of a WebSocket, whole and in part.
    private static let frames: [[UInt8]] = [
        [0x81, 2, 0x68, 0x69], [0x01, 1, 0xC3], [0x80, 1, 0xBC], [0x00, 0], [0x80, 0], [0x82, 0], [0x89, 1, 0x70],
        [0x8A, 0], [0x88, 0], [0x88, 2, 0x03, 0xE8], [0x88, 5, 0x0F, 0xA0, 0x62, 0x79, 0x65], [0x81, 126, 0, 126],
        [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        [0xC1, 1, 0x00], [0xC2, 2, 0x03, 0x00], [0x41, 3, 0xF2, 0x48, 0xCD], [0x80, 4, 0xC9, 0xC9, 0x07, 0x00],
        [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00], [0xC2, 5, 0x00, 0x01, 0x00, 0xFE, 0xFF], [0x00, 0x00, 0xFF, 0xFF],
        [0xF0, 0x9F, 0x98, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0x81, 0x82, 1, 2, 3, 4],
    ]
}
