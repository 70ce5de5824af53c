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
        /// Whether the body is compressed.
        var compresses = false
        var defaultScheme = "http"
        var unixSocket: String?
        /// The credentials of the options; where they are nil, those of the URL count.
        var credentials: Credentials?
        /// Whether user and password are sent by Digest alone.
        var usesDigest = false
        /// Whether standard input is the body when the items have none.
        var takesStandardInput = false
    }

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
    private var fields: [(name: String, value: JSONValue)] = []
    private var credentials: Credentials?
    private var bodyPath: String?
    private var files: [(name: String, path: String, mimeType: String?)] = []
    private var multipartType: String?
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
        var text = URLShorthand.expand(arguments.url, scheme: arguments.defaultScheme)
        let credentials = try Credentials.take(from: &text)
        self.credentials = arguments.credentials ?? credentials
        guard let url = URL(string: text) else {
            // The text before the at sign may be a password.
            guard !text.contains("@") else {
                throw .usage("The URL is not valid. In a password, write / as %2F, ? as %3F and # as %23.")
            }
            throw .usage("“\(text)” is not a URL.")
        }
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
            guard error.isTimeout else { throw .usage("\(error)") }
            let name = path == "-" ? "Standard input" : path
            throw CommandFailure(
                message: "request-timeout: \(name) had not been read to its end within the time of --timeout.",
                status: .timeout
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
            query.append("\(QueryString().escape(name))=\(QueryString().escape(try text(value)))")
        case .field(let name, let value):
            fields.append((name, .string(try text(value))))
        case .jsonField(let name, let value):
            guard !arguments.isForm, !arguments.isMultipart else {
                throw .usage("“\(name):=” is a JSON field; a form has only “\(name)=value”.")
            }
            fields.append((name, try json(value, name: name)))
        case .body(let path):
            guard bodyPath == nil else { throw .usage("There is more than one @file; a request has one body.") }
            bodyPath = path
        case .file(let name, let path, let mimeType):
            guard arguments.isForm || arguments.isMultipart else {
                throw .usage(
                    "“\(name)@\(path)” is a part of a form: add --form or --multipart; @\(path) sends the file as the body."
                )
            }
            files.append((name, path, mimeType))
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

    private func text(_ value: RequestItem.Value) throws(CommandFailure) -> String {
        switch value {
        case .text(let text):
            return text
        case .file(let path):
            guard let text = String(validating: try read(path), as: UTF8.self) else {
                throw .usage("\(path) is not a text in UTF-8.")
            }
            // The line end that editors put at the end of a file, LF or CRLF, belongs to the file
            // and not to the value.
            return text.last == "\n" || text.last == "\r\n" ? String(text.dropLast()) : text
        }
    }

    private func json(_ value: RequestItem.Value, name: String) throws(CommandFailure) -> JSONValue {
        do throws(JSONParsingError) {
            switch value {
            case .text(let text): return try JSONValue(parsing: text)
            case .file: break
            }
        } catch {
            throw .usage("“\(name):=” needs JSON: \(error.description)")
        }
        return try json(.text(try text(value)), name: name)
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

    /// Whether the form is multipart: as in HTTPie, also when it has files.
    private var isMultipart: Bool { arguments.isMultipart || !files.isEmpty }

    private mutating func setBody() throws(CommandFailure) {
        guard let bodyPath else {
            if isMultipart { return try setMultipartBody() }
            guard !fields.isEmpty else { return try setBodyFromStandardInput() }
            request.body = arguments.isForm ? formBody : try jsonBody
            return
        }
        guard fields.isEmpty, files.isEmpty else {
            throw .usage("There is a @file and there are fields; a request has one body.")
        }
        // Standard input, the shell's <(…) and everything else that is not a file is read whole:
        // its length is not known before.
        if bodyPath != "-", let body = try? RequestBody.file(URL(filePath: bodyPath)) {
            request.body = body
        } else {
            request.body = .data(Data(try read(bodyPath)))
        }
    }

    /// Methods whose requests have a body only where an item makes it (RFC 9110 §9.3).
    private static let methodsWithoutInput: Set<HTTPRequest.Method> = [
        .get, .head, .delete, .options, .trace, .connect,
    ]

    /// Makes the input that is piped into the command the body, as HTTPie does. Methods without a
    /// body read nothing, and an empty input makes no body.
    private mutating func setBodyFromStandardInput() throws(CommandFailure) {
        let mayHaveInput = arguments.method.map { !Self.methodsWithoutInput.contains($0) } ?? true
        guard arguments.takesStandardInput, mayHaveInput else { return }
        let bytes = try read("-")
        if !bytes.isEmpty { request.body = .data(Data(bytes)) }
    }

    private mutating func setMultipartBody() throws(CommandFailure) {
        var form = MultipartFormData()
        do throws(NetworkingError) {
            for field in fields { form.append(field.value.string ?? "", name: field.name) }
            for file in files {
                try form.append(fileURL: URL(filePath: file.path), name: file.name, mimeType: file.mimeType)
            }
            try request.setBody(multipart: form)
        } catch {
            throw .usage(error.message)
        }
        multipartType = form.contentType
    }

    private var jsonBody: RequestBody {
        get throws(CommandFailure) {
            var nested = NestedFields()
            for field in fields { try nested.set(field.value, at: try FieldPath(field.name)) }
            do throws(JSONWritingError) {
                return .data(try nested.json.data())
            } catch {
                throw .usage("The fields cannot be written as JSON: \(error.description)")
            }
        }
    }

    private var formBody: RequestBody {
        let pairs = fields.map { "\(QueryString().escape($0.name))=\(QueryString().escape($0.value.string ?? ""))" }
        return .string(pairs.joined(separator: "&"))
    }

    private var contentType: String? {
        guard request.body != nil else { return nil }
        if let multipartType { return multipartType }
        if let bodyPath, bodyPath != "-", !arguments.isJSON { return MediaType.ofFile(atPath: bodyPath) }
        return arguments.isForm ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// The fields that are sent by default come first, unless the user sets or unsets them.
    private mutating func setHeaderFields() {
        decodesContent = !unset.contains(HTTPField.Name.acceptEncoding.canonicalName)
        let sendsJSON = arguments.isJSON || contentType == "application/json"
        let automatic: [(HTTPField.Name, String?)] = [
            (.accept, sendsJSON ? "application/json, */*;q=0.5" : "*/*"),
            (.userAgent, "bluebonnet/\(MainCommand.version)"),
            (.contentType, contentType),
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
