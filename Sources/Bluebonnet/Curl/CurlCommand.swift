import FoundationEssentials
import HTTPTypes

extension Request {
    /// The request as a command for curl that can be pasted into a POSIX shell and sends what the
    /// engine sends.
    ///
    /// The fields that curl would add (`Accept`, `User-Agent`, a `Content-Type`, `Expect`) are
    /// removed where the request lacks them. No text leaves its quotes: the shell passes on the
    /// bytes of the request, and runs nothing but curl, `printf` and `base64`. Control characters
    /// and bytes that are not UTF-8 are written as octal numbers, so that a terminal takes none for
    /// a key; NUL, which no word can hold, is only in bodies that are piped in.
    ///
    /// Text in memory is written in the command, other bytes are piped in as base64, files are
    /// named; a multipart form becomes `--form` options, with a boundary of curl's, where curl can
    /// make all of its parts. For a body above 1 MiB or from a sequence, a comment says that it has
    /// to be given on standard input. Timeouts, redirects and proxies are in it when the request
    /// has them itself; what a session adds (``SessionConfiguration/additionalHeaderFields``, its
    /// proxies and addresses, interceptors, `Accept-Encoding`) is not: ask
    /// ``SessionTask/currentRequest`` for the request that was sent.
    ///
    /// User and password of the URL are never in it, because the engine does not send them.
    ///
    /// - Parameter redacting: Whether secrets are replaced by `REDACTED`: the values of
    ///   `Authorization` (its scheme stays), `Proxy-Authorization`, `Cookie` and `Set-Cookie`; and
    ///   those of header fields, query parameters, fields and parts of forms, and members of JSON
    ///   bodies whose names say that they are secrets, such as `password`, `api_key`,
    ///   `X-Auth-Token`, `user[pin]`, `signature`; and the password and the token for a proxy.
    ///   Default: true. A secret under another name, in
    ///   plain text or in a path is not recognized.
    /// - Returns: The command, over several lines.
    public func curlDescription(redacting: Bool = true) -> String {
        CurlCommand(self, redacting: redacting).text
    }
}

/// A request as a command for curl: the words of its command line, what is piped into it, what a
/// person has to know.
struct CurlCommand {
    /// The largest body on the command line; Linux takes no longer words than 128 KiB.
    private static let longestWord = 100_000
    /// The largest body in the description.
    private static let largestBody = 1 << 20
    /// The most parts of a form that are written on the command line one by one.
    private static let mostParts = 100

    private let request: Request
    private let redacts: Bool
    private let form: MultipartFormData?
    private var words: [String] = []
    private var input: String?
    private var notes: [String] = []

    init(_ request: Request, redacting: Bool) {
        self.request = request
        redacts = redacting
        form = request.body?.form
        // A content type of the user's own is not the one that curl would make for the form.
        if let form, form.contentType == request.headerFields[.contentType], form.count <= Self.mostParts,
            let parts = CurlForm.words(for: form, redacting: redacting),
            parts.allSatisfy({ $0.utf8.count <= Self.longestWord })
        {
            words += methodWords(impliedBy: "--form")
            words += headerWords(body: .form)
            words += parts
        } else {
            let body = bodyWords()
            words += methodWords(impliedBy: body.first)
            words += headerWords(body: body.isEmpty || body.first == "--upload-file" ? .none : .data)
            if !body.isEmpty { words.append(body.joined(separator: " ")) }
        }
        if request.body?.trailers != nil { notes.append("curl sends no trailers: those behind the body are left out.") }
        words += optionWords()
        words += proxyWords()
        words += targetWords()
    }

    /// The command, a word or pair of words a line.
    var text: String {
        let command = (["\(input.map { "\($0) | " } ?? "")curl"] + words).joined(separator: " \\\n  ")
        return (notes.map { "# \($0)" } + [command]).joined(separator: "\n")
    }

    // MARK: Method and fields

    private func methodWords(impliedBy body: String?) -> [String] {
        let implied: HTTPRequest.Method =
            switch body {
            case nil: .get
            case "--upload-file": .put
            default: .post
            }
        if request.method == .head, body == nil { return ["--head"] }
        return request.method == implied ? [] : ["--request \(ShellWord(request.method.rawValue).text)"]
    }

    /// The options for the body, which decide whether curl adds a content type.
    private enum BodyOption { case none, data, form }

    private func headerWords(body option: BodyOption) -> [String] {
        var words: [String] = []
        func add(_ field: some BidirectionalCollection<UInt8>) {
            words.append("--header \(ShellWord(bytes: field).text)")
        }
        for field in request.headerFields {
            let name = field.name.canonicalName
            // Curl counts by itself, and twice would be wrong.
            if name == "content-length" { continue }
            if name == "content-type", option == .form { continue }
            let value = value(of: field)
            // A field without a value is written with a semicolon; with a colon curl would leave it
            // out.
            let isBlank = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            add(Array("\(field.name.rawName)\(isBlank ? ";" : ": ")".utf8) + (isBlank ? [] : value))
            if name == "accept-encoding" { words.append("--compressed") }
        }
        // The fields that curl would add, and the engine does not.
        let fields = request.headerFields
        if !fields.contains(.accept) { add("Accept:".utf8) }
        if !fields.contains(.userAgent) { add("User-Agent:".utf8) }
        if option == .data, !fields.contains(.contentType) { add("Content-Type:".utf8) }
        if let body = request.body, body.length != 0, !fields.contains(.expect) {
            if request.expectsContinue == true {
                add("Expect: 100-continue".utf8)
            } else if option == .none || body.length ?? .max > 1024 {
                // curl 7.88 expects it for each upload of a file, however short.
                add("Expect:".utf8)
            }
        }
        return words
    }

    /// The bytes of a field's value, which need not be UTF-8.
    private func value(of field: HTTPField) -> [UInt8] {
        let shown = redacts ? SecretNames.redacted(field) : field.value
        guard shown == field.value else { return Array(shown.utf8) }
        // The bytes are copied while the closure runs.
        return unsafe field.withUnsafeBytesOfValue { bytes in unsafe Array(bytes) }
    }

    // MARK: Body

    private mutating func bodyWords() -> [String] {
        guard let body = request.body else {
            // RFC 9110 §8.6: the engine sends a length of 0 with these.
            return [.post, .put, .patch].contains(request.method) ? ["--data-raw", "''"] : []
        }
        if let path = body.path { return fileWords(path) }
        guard var data = body.data else {
            let length = body.length.map { "\($0) bytes" } ?? "bytes"
            notes.append("The body is \(length) from a sequence: give it on standard input.")
            return body.length == nil ? ["--upload-file", "-"] : ["--data-binary", "@-"]
        }
        guard data.count <= Self.largestBody else {
            notes.append("The body of \(data.count) bytes is not shown: give it on standard input.")
            return ["--data-binary", "@-"]
        }
        if redacts, let form, let redacted = CurlForm.redacted(form).bytes() { data = redacted }
        guard
            let readable = redacts
                ? SecretNames.redacted(data, fields: request.headerFields) : data
        else {
            notes.append("The body may hold secrets that cannot be found in it: give it on standard input.")
            return ["--data-binary", "@-"]
        }
        // Redacted before anything else: base64 hides nothing.
        data = readable
        if let text = String(validating: data, as: UTF8.self), ShellWord.canCarry(text) {
            let word = ShellWord(text).text
            if word.utf8.count <= Self.longestWord { return ["--data-raw", word] }
            input = "printf %s \(word)"
        } else {
            input = "printf %s \(data.base64EncodedString()) | base64 -d"
        }
        return ["--data-binary", "@-"]
    }

    private func fileWords(_ path: String) -> [String] {
        // `-` and `.` are the standard input to curl.
        let path = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        // `--upload-file` does not read the file into memory first; but it looks for patterns in
        // the name unless told not to, and adds the name to a URL that ends in a slash.
        let isPlain =
            request.method == .put
            && request.url.path(percentEncoded: true).utf8.last.map { $0 != UInt8(ascii: "/") } ?? false
        return isPlain ? ["--upload-file", ShellWord(path).text] : ["--data-binary", ShellWord("@" + path).text]
    }

    // MARK: Options and target

    private func optionWords() -> [String] {
        var words: [String] = []
        if request.redirectPolicy == .follow { words.append("--location") }
        if let timeouts = request.timeouts {
            if let connect = timeouts.connect { words.append("--connect-timeout \(connect.inSeconds)") }
            if let whole = timeouts.request { words.append("--max-time \(whole.inSeconds)") }
            if let wait = timeouts.continueWait, request.expectsContinue == true {
                words.append("--expect100-timeout \(wait.inSeconds)")
            }
        }
        return words
    }

    private mutating func proxyWords() -> [String] {
        guard let origin = try? request.target.origin else { return [] }
        let proxy = CurlProxy(of: request, to: origin, redacting: redacts)
        if let note = proxy.note { notes.append(note) }
        return proxy.words
    }

    private func targetWords() -> [String] {
        guard let target = try? RequestTarget(request.url), target.host.utf8.allSatisfy(Self.isOfHost),
            let socket = socketWords(target.origin)
        else {
            // The engine refuses this URL; behind `--url` its beginning cannot be taken for an
            // option.
            return ["--url \(ShellWord(request.url.redactedDescription).text)"]
        }
        var path = Array(target.path.utf8)
        if redacts, let mark = path.firstIndex(of: UInt8(ascii: "?")) {
            path = path[...mark] + SecretNames.redacted(pairs: path[(mark + 1)...])
        }
        var words = socket
        let url = Array("\(target.origin.isSecure ? "https" : "http")://\(target.host)".utf8) + path
        let patterns: Set = [UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}")]
        let file = (request.body?.path ?? "").utf8
        if url.contains(where: patterns.contains) || file.contains(where: patterns.contains) {
            words.append("--globoff")
        }
        let segments = path.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
        if segments.contains(where: Self.isDots) { words.append("--path-as-is") }
        words.append(ShellWord(bytes: url).text)
        return words
    }

    /// The option for a Unix-domain socket; nil for a path that no word can hold.
    private func socketWords(_ origin: Origin) -> [String]? {
        guard case .unixSocket(let socket) = origin.endpoint else { return [] }
        let path = socket.text
        return path.utf8.contains(0) ? nil : ["--unix-socket \(ShellWord(path).text)"]
    }

    /// Whether a byte cannot end the host of a URL: what comes out of percent-coding could be a
    /// sign that curl takes for the end of a user name, or for the beginning of a path.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F..., UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
            UInt8(ascii: "\\"):
            false
        default: true
        }
    }

    /// `.` and `..`, which curl would resolve, also percent-encoded (RFC 3986 §5.2.4, §6.2.2.2).
    private static func isDots(_ segment: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(segment), as: UTF8.self).lowercased().replacing("%2e", with: ".")
        return text == "." || text == ".."
    }
}

extension Duration {
    /// For curl: `2`, `0.25`; milliseconds at the finest.
    fileprivate var inSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "\(seconds)" }
        let digits = "\(1000 + milliseconds)".dropFirst()
        return "\(seconds).\(digits)"
    }
}
