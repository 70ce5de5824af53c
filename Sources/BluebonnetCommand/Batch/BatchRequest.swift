import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The request of a line.
struct BatchRequest: Sendable {
    /// The request, without a body that is made of files.
    private(set) var request: Request

    /// The path of the file that is the body.
    private(set) var bodyFile: String?

    /// The parts of the form that is the body.
    private(set) var parts: [BatchPart]?

    /// The path of the file that the response body is streamed into.
    private(set) var output: String?

    private static let names: Set = [
        "id", "method", "url", "headers", "body", "bodyBase64", "bodyFile", "json", "form", "multipart", "redirect",
        "cache", "credentials", "timeout", "output",
    ]
    private static let bodyNames: Set = ["body", "bodyBase64", "bodyFile", "json", "form", "multipart"]

    /// Reads the members of a line.
    ///
    /// A member that is null counts as left out, except for `json`, where null is a value.
    ///
    /// - Parameters:
    ///   - members: The object.
    ///   - json: The text of its member `json`; nil where it has none.
    ///   - timeouts: The session's timeouts.
    /// - Throws: ``BatchError``.
    init(_ members: JSONObject, json: [UInt8]?, timeouts: Timeouts) throws(BatchError) {
        var url: String?
        var body: JSONObject.Element?
        var credentials: Credentials?
        request = Request(url: Self.placeholder)
        for (name, value) in members {
            guard Self.names.contains(name) else { throw .invalidLine("“\(name)” is not a known member of a line.") }
            if value.isNull, name != "json" { continue }
            if Self.bodyNames.contains(name) {
                if let body { throw .invalidLine("A request has one body, not “\(body.key)” and “\(name)”.") }
                body = (name, value)
                continue
            }
            switch name {
            case "url": url = try Self.string(value, of: name)
            case "method": request.method = try Self.method(value)
            case "headers": request.headerFields = try Self.headers(value)
            case "redirect": request.redirectPolicy = try Self.redirectPolicy(value)
            case "timeout": request.timeouts = try Self.timeouts(value, session: timeouts)
            case "output": output = try Self.path(value, of: name)
            case "cache": request.properties.cachePolicy = try Self.cachePolicy(value)
            case "credentials": credentials = try Self.credentials(value)
            default: break
            }
        }
        guard var url else { throw .invalidLine("The line has no “url”.") }
        do throws(CommandFailure) {
            let inURL = try Credentials.take(from: &url)
            // They are sent at once (RFC 7617 §2.2).
            (credentials ?? inURL)?.put(into: &request)
        } catch {
            throw .invalidLine(error.message)
        }
        if let body { try setBody(body.value, of: body.key, json: json) }
        request.url = try Self.url(url)
    }

    /// The URL of the request until that of the line has been read.
    private static let placeholder = URL(filePath: "/")

    // MARK: Body

    private mutating func setBody(_ value: JSONValue, of name: String, json: [UInt8]?) throws(BatchError) {
        switch name {
        case "body":
            request.body = .string(try Self.string(value, of: name))
        case "bodyBase64":
            guard let data = Data(base64Encoded: try Self.string(value, of: name)) else {
                throw .invalidLine("“bodyBase64” is not Base64 (RFC 4648 §4).")
            }
            request.body = .data(data)
        case "bodyFile":
            bodyFile = try Self.path(value, of: name)
        case "json":
            request.body = json.map { .data(Data($0)) }
            imply(contentType: "application/json")
        case "form":
            request.body = .string(try Self.form(value))
            imply(contentType: "application/x-www-form-urlencoded")
        default:
            parts = try BatchPart.parts(value)
        }
    }

    private mutating func imply(contentType: String) {
        guard !request.headerFields.contains(.contentType) else { return }
        request.headerFields.append(HTTPField(name: .contentType, value: contentType))
    }

    /// An object by the library's rules, or a list of pairs in its order.
    private static func form(_ value: JSONValue) throws(BatchError) -> String {
        let rules = QueryString()
        do throws(NetworkingError) {
            if value.object != nil { return try rules.encode(value) }
        } catch {
            throw BatchError(error)
        }
        guard let pairs = value.array else {
            throw wrongType(value, of: "form", wanted: "an object or a list of pairs")
        }
        var fields: [String] = []
        for pair in pairs {
            guard let pair = pair.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                throw .invalidLine("Each pair of “form” must be [name, value], two strings.")
            }
            fields.append("\(rules.escape(name))=\(rules.escape(value))")
        }
        return fields.joined(separator: "&")
    }

    // MARK: Other members

    private static func string(_ value: JSONValue, of name: String) throws(BatchError) -> String {
        guard let string = value.string else { throw wrongType(value, of: name, wanted: "a string") }
        return string
    }

    /// The URL without user and password, which have been taken from it.
    private static func url(_ text: String) throws(BatchError) -> URL {
        let url = URL(string: URLText.encoded(text))
        // In `localhost:80/x` and `127.0.0.1:80/x` the part before the colon is not a scheme.
        let isPort = text.prefix { $0 != "/" }.split(separator: ":").dropFirst().first?.allSatisfy(\.isNumber) ?? false
        if let url, !(url.scheme ?? "").isEmpty, !isPort || text.contains("://") { return url }
        let shown = text.prefix { $0 != "?" && $0 != "#" }
        let reason =
            text.contains("://")
            ? "is not a URL (RFC 3986)" : "has no scheme; write http:// or https:// in front of it"
        throw BatchError(NetworkingError(.invalidURL, "“\(shown)” \(reason)."))
    }

    private static func path(_ value: JSONValue, of name: String) throws(BatchError) -> String {
        let path = try string(value, of: name)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .invalidLine("“\(name)” must be a path: it is empty or has a NUL in it.")
        }
        return path
    }

    private static func method(_ value: JSONValue) throws(BatchError) -> HTTPRequest.Method {
        let name = try string(value, of: "method")
        guard let method = HTTPRequest.Method(name) else {
            throw .invalidLine("“\(name)” cannot be a method (RFC 9110 §9.1).")
        }
        return method
    }

    private static func headers(_ value: JSONValue) throws(BatchError) -> HTTPFields {
        var fields: HTTPFields = [:]
        if let object = value.object {
            for (name, value) in object { fields.append(try field(name, try string(value, of: "headers.\(name)"))) }
            return fields
        }
        guard let pairs = value.array else {
            throw wrongType(value, of: "headers", wanted: "a list of pairs or an object")
        }
        for pair in pairs {
            guard let pair = pair.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                throw .invalidLine("Each pair of “headers” must be [name, value], two strings.")
            }
            fields.append(try field(name, value))
        }
        return fields
    }

    /// Names and values are bytes: a character is the byte with its number (ISO-8859-1).
    private static func field(_ name: String, _ value: String) throws(BatchError) -> HTTPField {
        guard let fieldName = HTTPField.Name(name) else {
            throw .invalidLine("“\(name)” cannot be the name of a header (RFC 9110 §5.1).")
        }
        let value = HeaderValue.trimmed(value)
        guard value.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) else {
            throw .invalidLine("The value of \(fieldName.rawName) has a character above U+00FF, which is not one byte.")
        }
        guard let field = HTTPField(name: fieldName, latin1Value: value) else {
            throw .invalidLine("The value of \(fieldName.rawName) has CR, LF or NUL in it (RFC 9110 §5.5).")
        }
        return field
    }

    private static func redirectPolicy(_ value: JSONValue) throws(BatchError) -> RedirectPolicy {
        switch try string(value, of: "redirect") {
        case "follow": return .follow
        case "manual": return .manual
        case "error": return .error
        case let other: throw .invalidLine("“redirect” must be follow, manual or error, not “\(other)”.")
        }
    }

    private static func timeouts(_ value: JSONValue, session: Timeouts) throws(BatchError) -> Timeouts {
        guard case .number = value else { throw wrongType(value, of: "timeout", wanted: "a number of seconds") }
        // A number like 1e400 is more than a `Double` holds.
        guard let seconds = value.double.flatMap(Seconds.init), seconds.duration > .zero else {
            throw .invalidLine("“timeout” must be a number of seconds above 0 and up to \(Seconds.mostText).")
        }
        var timeouts = session
        timeouts.limitRequest(to: seconds.duration)
        return timeouts
    }

    private static func cachePolicy(_ value: JSONValue) throws(BatchError) -> CachePolicy {
        let text = try string(value, of: "cache")
        guard let policy = CachePolicy(rawValue: text) else {
            let names = CachePolicy.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidLine("“cache” must be one of \(names), not “\(text)”.")
        }
        return policy
    }

    private static func credentials(_ value: JSONValue) throws(BatchError) -> Credentials {
        guard let members = value.object else { throw wrongType(value, of: "credentials", wanted: "an object") }
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard name == "user" || name == "password" else {
                throw .invalidLine("“credentials.\(name)” is not a known member of a line.")
            }
            if value.isNull { continue }
            texts[name] = try string(value, of: "credentials.\(name)")
        }
        guard let user = texts["user"] else { throw .invalidLine("“credentials” has no “user”.") }
        do throws(CommandFailure) {
            return try .basic(checking: Array(user.utf8), password: Array((texts["password"] ?? "").utf8))
        } catch {
            throw .invalidLine(error.message)
        }
    }

    private static func wrongType(_ value: JSONValue, of name: String, wanted: String) -> BatchError {
        .invalidLine("“\(name)” must be \(wanted), not \(value.kindWithArticle).")
    }
}
