import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The items that make the body of a request, in their order.
struct BodyItems: Sendable {
    /// The body, and the type that it is sent with unless the user names one.
    struct Content: Sendable {
        var body: RequestBody
        var type: String?
        /// The boundary of a form with files.
        var boundary: String?
    }

    private enum Part: Sendable {
        case text(name: String, value: JSONValue, written: [UInt8]?, type: String?)
        case file(name: String, file: RequestItem.PartFile)
    }

    private let arguments: RequestPlan.Arguments
    private let read: @Sendable (String) throws(CommandFailure) -> [UInt8]
    private var parts: [Part] = []
    /// The file that is the whole body.
    private var path: String?

    /// - Parameters:
    ///   - arguments: The arguments of the request.
    ///   - read: Reads a file whole; `-` is standard input.
    init(_ arguments: RequestPlan.Arguments, read: @escaping @Sendable (String) throws(CommandFailure) -> [UInt8]) {
        self.arguments = arguments
        self.read = read
    }

    // MARK: Items

    /// Adds a text.
    mutating func add(_ text: String, name: String, type: String? = nil) {
        parts.append(.text(name: name, value: .string(text), written: nil, type: type))
    }

    /// Adds a value as it is written in JSON.
    ///
    /// - Throws: ``CommandFailure`` for what is not JSON, and for a value that a form cannot hold.
    mutating func add(json: [UInt8], name: String) throws(CommandFailure) {
        let value: JSONValue
        // The parser reads UTF-16 as well, of which no part can be copied.
        guard !json.contains(0) else { throw .usage("“\(name):=” needs JSON in UTF-8.") }
        do throws(JSONParsingError) {
            value = try JSONValue(parsing: json)
        } catch {
            throw .usage("“\(name):=” needs JSON: \(error.description) “\(name)=” takes every text.")
        }
        let written = JSONTokens(json)
        let text = written.reduce(into: []) { $0 += written.bytes[$1.range] }
        parts.append(.text(name: name, value: value, written: text, type: nil))
    }

    /// Adds a file of a form.
    ///
    /// - Throws: ``CommandFailure`` where the body is not a form.
    mutating func add(_ file: RequestItem.PartFile, name: String) throws(CommandFailure) {
        guard arguments.isForm || arguments.isMultipart else {
            throw .usage(
                "“\(name)@\(file.path)” is a part of a form: add --form or --multipart; "
                    + "@\(file.path) sends the file as the body."
            )
        }
        parts.append(.file(name: name, file: file))
    }

    /// Makes a file the whole body.
    ///
    /// - Throws: ``CommandFailure`` for a second one.
    mutating func setFile(_ path: String) throws(CommandFailure) {
        guard self.path == nil else { throw .usage("There is more than one @file; a request has one body.") }
        self.path = path
    }

    // MARK: Content

    /// The body and its type.
    ///
    /// - Parameter boundary: The boundary that the user has chosen for a form with files.
    /// - Returns: Both; nil where there is no body.
    /// - Throws: ``CommandFailure``.
    func content(boundary: String?) throws(CommandFailure) -> Content? {
        let sources = [arguments.literal != nil, path != nil, !parts.isEmpty]
        guard sources.count(where: \.self) < 2 else {
            throw .usage("A request has one body: fields, @file or --raw.")
        }
        if let literal = arguments.literal { return plain(Data(literal)) }
        if let path { return try fileContent(path) }
        let hasFiles = parts.contains { if case .file = $0 { true } else { false } }
        if arguments.isMultipart || hasFiles { return try multipartContent(boundary: boundary) }
        guard !parts.isEmpty else { return try inputContent() }
        return plain(Data(arguments.isForm ? Array(try form.utf8) : try json))
    }

    /// The type of a body that no item names.
    private var usualType: String {
        arguments.isForm ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// A body of the usual type.
    private func plain(_ data: Data) -> Content {
        guard arguments.isChunked else { return Content(body: .data(data), type: usualType) }
        return Content(body: .stream { ResponseBody.data(data) }, type: usualType)
    }

    private func fileContent(_ path: String) throws(CommandFailure) -> Content {
        let isTypeOfFile = path != "-" && !arguments.isJSON
        let type = isTypeOfFile ? MediaType.ofFile(atPath: path) : usualType
        return Content(body: try fileBody(path), type: type)
    }

    private func fileBody(_ path: String) throws(CommandFailure) -> RequestBody {
        let place = HomeFolder.expanded(path)
        if arguments.isChunked {
            // What cannot be opened is an error before anything is sent.
            if path != "-" { try check(place) }
            return .stream(FilePieces(path: place))
        }
        if path != "-", let body = try? RequestBody.file(HomeFolder.file(place)) { return body }
        // Standard input, the shell's <(…) and everything else that is not a file is read whole:
        // its length is not known before.
        return .data(Data(try read(place)))
    }

    private func check(_ path: String) throws(CommandFailure) {
        do throws(SystemFailure) {
            try InputFile.checkAccess(to: path)
        } catch {
            throw .usage("\(error).")
        }
    }

    /// Methods whose requests have a body only where an item makes it (RFC 9110 §9.3).
    private static let methodsWithoutInput: Set<HTTPRequest.Method> = [
        .get, .head, .delete, .options, .trace, .connect,
    ]

    /// The input that is piped into the command, which is the body as in HTTPie. Methods without a
    /// body read nothing, and an empty input makes no body.
    private func inputContent() throws(CommandFailure) -> Content? {
        let mayHaveInput = arguments.method.map { !Self.methodsWithoutInput.contains($0) } ?? true
        guard arguments.takesStandardInput, mayHaveInput else { return nil }
        if arguments.isChunked { return Content(body: .stream(FilePieces(path: "-")), type: usualType) }
        let bytes = try read("-")
        return bytes.isEmpty ? nil : plain(Data(bytes))
    }

    private var json: [UInt8] {
        get throws(CommandFailure) {
            var nested = NestedFields()
            for case .text(let name, let value, let written, _) in parts {
                try nested.set(value, written: written, at: try FieldPath(name))
            }
            do throws(JSONWritingError) {
                return try nested.data()
            } catch {
                throw .usage("The fields cannot be written as JSON: \(error.description)")
            }
        }
    }

    private var form: String {
        get throws(CommandFailure) {
            var pairs: [String] = []
            for case .text(let name, let value, let written, _) in parts {
                let text = try text(of: value, written, name: name)
                pairs.append("\(QueryString().escape(name))=\(QueryString().escape(text))")
            }
            return pairs.joined(separator: "&")
        }
    }

    /// The text of a field of a form: a string, a number as it is written, true or false.
    private func text(of value: JSONValue, _ written: [UInt8]?, name: String) throws(CommandFailure) -> String {
        if let text = value.string { return text }
        guard value.object == nil, value.array == nil, !value.isNull, let written else {
            throw .usage(
                "“\(name):=”: a form can hold a string, a number, true or false, but not \(value.kindWithArticle)."
            )
        }
        return String(decoding: written, as: UTF8.self)
    }

    // MARK: Multipart

    private func multipartContent(boundary: String?) throws(CommandFailure) -> Content {
        guard !parts.isEmpty else { throw .usage("--multipart needs fields or files: name=value, name@file.") }
        var form = MultipartFormData()
        do throws(NetworkingError) {
            if let boundary { form = try MultipartFormData(boundary: boundary) }
        } catch {
            throw .usage(error.message)
        }
        for part in parts { try append(part, to: &form) }
        do throws(NetworkingError) {
            return Content(body: try form.makeBody(), type: form.contentType, boundary: form.boundary)
        } catch {
            throw .usage(error.message)
        }
    }

    private func append(_ part: Part, to form: inout MultipartFormData) throws(CommandFailure) {
        switch part {
        case .text(let name, let value, let written, let type):
            let text = try text(of: value, written, name: name)
            if arguments.isChunked {
                form.append(name: name, mimeType: type) { ResponseBody.data(Data(text.utf8)) }
            } else {
                form.append(text, name: name, mimeType: type)
            }
        case .file(let name, let file):
            let path = HomeFolder.expanded(file.path)
            let fileName = file.name ?? String(path.split(separator: "/").last ?? "-")
            if arguments.isChunked {
                if path != "-" { try check(path) }
                let pieces = FilePieces(path: path)
                form.append(stream: pieces, name: name, fileName: fileName, mimeType: file.type)
            } else if path == "-" || FileKind(target: path) != .regular {
                // Standard input and pipes have no length; a file that is missing is an error here.
                form.append(Data(try read(path)), name: name, fileName: fileName, mimeType: file.type)
            } else {
                try append(fileAtPath: path, named: fileName, type: file.type, name: name, to: &form)
            }
        }
    }

    private func append(
        fileAtPath path: String,
        named fileName: String,
        type: String?,
        name: String,
        to form: inout MultipartFormData
    ) throws(CommandFailure) {
        do throws(NetworkingError) {
            try form.append(fileURL: HomeFolder.file(path), name: name, fileName: fileName, mimeType: type)
        } catch {
            throw .usage(error.message)
        }
    }
}
