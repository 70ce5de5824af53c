import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The request that the command's arguments describe.
struct RequestPlan: Sendable {
    /// The arguments that decide what is sent.
    struct Arguments: Sendable {
        /// The method; nil is GET without a body and POST with one.
        var method: HTTPRequest.Method?
        var url: String
        var items: [String] = []
        /// Items that options stand for, in front of the others.
        var parsedItems: [RequestItem] = []
        /// Whether JSON is asked for, and is the type of a body that has no type of its own.
        var isJSON = false
        var isForm = false
        var isMultipart = false
        /// The boundary of a multipart form; nil is a random one.
        var boundary: String?
        /// The body as it is.
        var literal: [UInt8]?
        /// Whether the length of the body is not told: with HTTP/1.1 it is sent chunked.
        var isChunked = false
        /// Whether the body is compressed.
        var compresses = false
        var defaultScheme = "http"
        /// Whether `.` and `..` stay in the path of the URL.
        var keepsDotSegments = false
        var unixSocket: String?
        /// The credentials of the options; where they are nil, those of the URL count.
        var credentials: Credentials?
        /// Whether user and password are sent by Digest alone.
        var usesDigest = false
        /// Whether standard input is the body when the items have none.
        var takesStandardInput = false
    }

    /// The usual `User-Agent`.
    static let userAgent = "bluebonnet/\(MainCommand.version)"

    /// The request.
    private(set) var request: Request

    /// False when the user has left out `Accept-Encoding`: no coding is offered then, and none has
    /// to be undone.
    private(set) var decodesContent = true

    /// The header fields of the items and the options, without those that are sent by default.
    var ownHeaderFields: HTTPFields {
        var fields = headerFields
        fields.append(
            contentsOf: request.headerFields.filter { $0.name == .authorization && !fields.contains($0.name) }
        )
        if case .basic(let user, let password) = credentials, !arguments.usesDigest,
            !fields.contains(.authorization)
        {
            fields[.authorization] = "Basic " + Data(user + [UInt8(ascii: ":")] + password).base64EncodedString()
        }
        return fields
    }

    private let arguments: Arguments
    private let read: @Sendable (String) throws(CommandFailure) -> [UInt8]
    private var query: [String] = []
    private var items: BodyItems
    private var content: BodyItems.Content?
    private var credentials: Credentials?
    private var unset: Set<String> = []
    private var headerFields: HTTPFields = [:]

    /// Makes the request.
    ///
    /// - Parameters:
    ///   - arguments: The command's arguments.
    ///   - read: Reads a file whole; `-` is standard input.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``, or what `read` throws.
    init(
        _ arguments: Arguments,
        read: @escaping @Sendable (String) throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        self.arguments = arguments
        self.read = read
        items = BodyItems(arguments, read: read)
        var text = URLShorthand.expand(arguments.url, scheme: arguments.defaultScheme)
        let credentials = try Credentials.take(from: &text)
        if !arguments.keepsDotSegments { text = DotSegments.removed(from: text) }
        text = URLText.encoded(text)
        self.credentials = arguments.credentials ?? credentials
        let url = URL(string: text)
        if let fault = URLFault.text(for: text, isRefused: url == nil) { throw .usage(fault) }
        guard let url else { throw .usage("“\(text)” is not a URL.") }
        request = Request(method: arguments.method ?? .get, url: url)
        for item in arguments.parsedItems { try add(item) }
        for item in arguments.items { try add(try RequestItem(item)) }
        try setURL(text)
        try setBody()
        if arguments.method == nil, request.body != nil { request.method = .post }
        setHeaderFields()
    }

    /// Reads a file, or standard input (`-`).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - deadline: The end of the waiting for a program that writes it.
    /// - Returns: All bytes.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``, or with ``ExitStatus/timeout`` at
    ///   the deadline.
    static func readFile(
        _ path: String,
        until deadline: ContinuousClock.Instant?
    ) throws(CommandFailure) -> [UInt8] {
        do throws(SystemFailure) {
            guard path == "-" else { return try InputFile(path: path).readToEnd(until: deadline) }
            return try StandardInput.readToEnd(until: deadline)
        } catch {
            guard error.isTimeout else { throw .usage("\(error).") }
            let name = path == "-" ? "Standard input" : path
            throw CommandFailure(
                message: "\(name) had not been read to its end within the time of --timeout.",
                status: .timeout,
                code: "request-timeout"
            )
        }
    }

    // MARK: Items

    private mutating func add(_ item: RequestItem) throws(CommandFailure) {
        switch item {
        case .header(let name, let value):
            headerFields.append(try headerField(name, try headerValue(value)))
        case .emptyHeader(let name):
            headerFields.append(try headerField(name, ""))
        case .unsetHeader(let name):
            let field = try headerField(name, "")
            guard field.name.canonicalName != "host" else {
                throw .usage("Host cannot be left out (RFC 9112 §3.2).")
            }
            unset.insert(field.name.canonicalName)
        case .query(let name, let value):
            query.append("\(QueryString().escape(name))=\(QueryString().escape(try queryValue(value)))")
        case .field(let name, let value):
            items.add(try text(value), name: name)
        case .jsonField(let name, let value):
            try items.add(json: Array(try text(value).utf8), name: name)
        case .body(let path):
            try items.setFile(path)
        case .file(let name, let file):
            try items.add(file, name: name)
        case .part(let name, let value, let type):
            items.add(try text(value), name: name, type: type)
        }
    }

    private func headerField(_ name: String, _ value: String) throws(CommandFailure) -> HTTPField {
        guard let fieldName = HTTPField.Name(name) else { throw .usage("“\(name)” cannot be the name of a header.") }
        if let fault = HeaderValue.fault(of: value) {
            throw .usage("The value of \(name) has \(fault) in it (RFC 9110 §5.5).")
        }
        return HTTPField(name: fieldName, value: value)
    }

    /// The value without white space around it, nor the line ends at the end of a file.
    private func headerValue(_ value: RequestItem.Value) throws(CommandFailure) -> String {
        switch value {
        case .text(let text): HeaderValue.trimmed(text)
        case .file: HeaderValue.trimmedWithLineEnds(try text(value))
        }
    }

    /// The value without the line end that editors put at the end of a file, LF or CRLF.
    private func queryValue(_ value: RequestItem.Value) throws(CommandFailure) -> String {
        let text = try text(value)
        guard case .file = value else { return text }
        return text.last == "\n" || text.last == "\r\n" ? String(text.dropLast()) : text
    }

    private func text(_ value: RequestItem.Value) throws(CommandFailure) -> String {
        switch value {
        case .text(let text):
            return text
        case .file(let path):
            guard let text = String(validating: try read(HomeFolder.expanded(path)), as: UTF8.self) else {
                throw .usage("\(path) is not a text in UTF-8.")
            }
            return text
        }
    }

    // MARK: Parts

    private mutating func setURL(_ text: String) throws(CommandFailure) {
        if !query.isEmpty {
            // The query is added to the text that `URL` has encoded. Added before, one stray `%` in
            // it would make `URL` encode every `%` of the text.
            let base = URL(string: text)?.absoluteString ?? text
            let end = base.utf8.firstIndex(of: UInt8(ascii: "#")) ?? base.endIndex
            let separator = base.utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
            guard let url = URL(string: base[..<end] + separator + query.joined(separator: "&") + base[end...]) else {
                throw .usage("“\(text)” is not a URL.")
            }
            request.url = url
        }
        guard let path = arguments.unixSocket else { return }
        let host = URLShorthand.host(of: request.url)
        request.url = try URLShorthand.overUnixSocket(request.url, path: path)
        // The engine only knows the socket; the server must see the host of the user's URL.
        if host != "localhost", !headerFields.contains(where: { $0.name.canonicalName == "host" }) {
            headerFields.insert(try headerField("Host", host), at: 0)
        }
    }

    private mutating func setBody() throws(CommandFailure) {
        let position = headerFields.firstIndex { $0.name == .contentType }
        let given = position.map { headerFields[$0].value }
        content = try items.content(boundary: given.flatMap(Request.boundary) ?? arguments.boundary)
        request.body = content?.body
        guard arguments.boundary == nil || content?.boundary != nil else {
            throw .usage("--boundary is for a multipart form: add --multipart, or a file with --form.")
        }
        // Without its boundary nobody can read a form (RFC 7578 §4.1).
        guard let position, let given, let boundary = content?.boundary, Request.boundary(of: given) == nil,
            given.lowercased().hasPrefix("multipart/")
        else { return }
        headerFields[position].value = "\(given); boundary=\(boundary)"
    }

    /// The fields that are sent by default come first, unless the user sets or unsets them.
    private mutating func setHeaderFields() {
        decodesContent = !unset.contains(HTTPField.Name.acceptEncoding.canonicalName)
        let sendsJSON = arguments.isJSON || content?.type == "application/json"
        let automatic: [(HTTPField.Name, String?)] = [
            (.accept, sendsJSON ? "application/json, */*;q=0.5" : "*/*"),
            (.userAgent, Self.userAgent),
            (.contentType, content?.type),
        ]
        var result: HTTPFields = [:]
        for (name, value) in automatic {
            guard let value, !unset.contains(name.canonicalName), !headerFields.contains(where: { $0.name == name })
            else { continue }
            result.append(HTTPField(name: name, value: value))
        }
        result.append(contentsOf: headerFields)
        request.headerFields = result
        if !unset.contains(HTTPField.Name.authorization.canonicalName) {
            credentials?.put(into: &request, usesDigest: arguments.usesDigest)
        }
        if arguments.compresses { request.interceptors.append(RequestCompression(threshold: 0)) }
    }
}
