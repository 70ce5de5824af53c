import ArgumentParser
import Bluebonnet

/// The options about what is shown of a request and its response.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .customLong("print")],
        help: ArgumentHelp(
            "What is shown: H and B, head and body of the request, h and b, those of the response, m its times.",
            valueName: "parts"
        )
    )
    var printed: PrintedParts?

    @Flag(name: .long, help: "Show the head of the response only, as --print=h does.")
    var headers = false

    @Flag(name: .long, help: "Show the body of the response only, as --print=b does and as by default.")
    var body = false

    @Flag(name: .long, help: "Show connection, bytes and times only, as --print=m does.")
    var meta = false

    @Flag(name: .long, help: "Show the heads of all requests and responses, redirects included.")
    var all = false

    @Flag(name: .shortAndLong, help: "Show nothing but errors.")
    var quiet = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The colours; balanced ones can be read on dark and on light backgrounds.",
            valueName: "theme"
        )
    )
    var style: Theme?

    @Option(
        name: .long,
        help: ArgumentHelp("Show the response as if it had this media type, as text/xml.", valueName: "type")
    )
    var responseMime: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Show the response as text in this charset, as big5.", valueName: "charset")
    )
    var responseCharset: String?

    func validate() throws {
        if let responseMime, MediaType.name(of: responseMime)?.contains("/") != true {
            throw ValidationError("“\(responseMime)” is not a media type, as text/xml is one.")
        }
        if let responseCharset, !BodyText.knows(charset: responseCharset) {
            throw ValidationError("“\(responseCharset)” is not a charset of web pages, as iso-8859-1 and big5 are.")
        }
        if quiet, printed != nil || headers || body || meta || all {
            throw ValidationError("--quiet shows nothing, and cannot be used with options that say what is shown.")
        }
    }

    /// Whether an option says which parts are shown.
    var choosesParts: Bool { printed != nil || headers || body || meta }

    /// The type that a body is shown by.
    ///
    /// - Parameter sent: The `Content-Type` of the response; nil without one.
    /// - Returns: It, or what the options say in its place.
    func contentType(of sent: String?) -> String? {
        guard responseMime != nil || responseCharset != nil else { return sent }
        let type = (responseMime ?? sent).flatMap(MediaType.name) ?? "text/plain"
        let named = [responseMime, sent].compactMap { $0.flatMap(Charset.label(ofContentType:)) }
        let charset = responseCharset ?? named.first
        return charset.map { "\(type); charset=\($0)" } ?? type
    }

    /// The parts to show.
    ///
    /// - Parameter usual: The parts without an option that says so.
    /// - Returns: The parts.
    func parts(usual: PrintedParts) -> PrintedParts {
        var parts = printed ?? []
        if headers { parts.insert(.responseHead) }
        if body { parts.insert(.responseBody) }
        if meta { parts.insert(.meta) }
        if quiet { return [] }
        if all, !choosesParts { return [.requestHead, .responseHead, .responseBody] }
        return choosesParts ? parts : usual
    }
}

/// The parts of an exchange that are shown.
struct PrintedParts: OptionSet, ExpressibleByArgument, Sendable {
    let rawValue: Int

    static let requestHead = PrintedParts(rawValue: 1)
    static let requestBody = PrintedParts(rawValue: 2)
    static let responseHead = PrintedParts(rawValue: 4)
    static let responseBody = PrintedParts(rawValue: 8)
    static let meta = PrintedParts(rawValue: 16)
    static let request: PrintedParts = [.requestHead, .requestBody]
    static let heads: PrintedParts = [.requestHead, .responseHead]

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Reads the letters of HTTPie's `--print`; nil for another letter.
    init?(argument: String) {
        let letters: [Character: PrintedParts] = [
            "H": .requestHead, "B": .requestBody, "h": .responseHead, "b": .responseBody, "m": .meta,
        ]
        self = []
        for letter in argument {
            guard let part = letters[letter] else { return nil }
            insert(part)
        }
    }
}
