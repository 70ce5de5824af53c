public import HTTPTypes

/// The status and the header fields of a response.
///
/// Field values are bytes. They are shown as UTF-8, where bytes that are not UTF-8 become U+FFFD;
/// the exact bytes stay in ``headerFields``, where `HTTPField.withUnsafeBytesOfValue(_:)` gives
/// them.
///
/// A received head keeps its bytes as they came: looking up single fields here is cheaper than
/// ``headerFields``, which builds all of them each time.
///
/// Counterpart of `NSHTTPURLResponse`, which also has the URL.
public struct ResponseHead: Sendable {
    private struct Structured: Sendable {
        var headerFields: HTTPFields
        var status: HTTPResponse.Status
    }

    /// One reference in either case: heads are handed from layer to layer.
    private enum Storage: Sendable {
        case received(RawHeaderFields)
        case structured(CopyOnWrite<Structured>)
    }

    private var storage: Storage
    private let statusNumber: UInt16

    /// The version of HTTP the response came in.
    public let httpVersion: HTTPVersion

    /// Makes a head of your own, for stubs and tests.
    ///
    /// - Parameters:
    ///   - status: The status with its reason phrase.
    ///   - headerFields: The header fields in order. Default: none.
    ///   - httpVersion: The version to report. Default: HTTP/1.1.
    public init(
        status: HTTPResponse.Status,
        headerFields: HTTPFields = [:],
        httpVersion: HTTPVersion = .http1_1
    ) {
        storage = .structured(CopyOnWrite(Structured(headerFields: headerFields, status: status)))
        // A status has three digits at most.
        statusNumber = UInt16(status.code)
        self.httpVersion = httpVersion
    }

    /// Makes a head from the type of swift-http-types, as HTTP/1.1.
    public init(_ response: HTTPResponse) {
        self.init(status: response.status, headerFields: response.headerFields)
    }

    /// Wraps a head as it was received; the code has three digits.
    init(received fields: RawHeaderFields, statusCode: Int, httpVersion: HTTPVersion) {
        storage = .received(fields)
        statusNumber = UInt16(statusCode)
        self.httpVersion = httpVersion
    }

    /// The status code alone, which costs less than ``status``.
    package var statusCode: Int { Int(statusNumber) }

    /// The status with the reason phrase that was received, each of its bytes as the character of
    /// the same number.
    public var status: HTTPResponse.Status {
        switch storage {
        case .received(let fields):
            HTTPResponse.Status(code: statusCode, reasonPhrase: String(latin1: fields.reasonPhrase))
        case .structured(let head):
            head.value.status
        }
    }

    /// All header fields in the order received, repeats and the spelling of names kept.
    ///
    /// A value that was folded over several lines is one line, joined with a space.
    public var headerFields: HTTPFields {
        get {
            switch storage {
            case .received(let fields): fields.httpFields
            case .structured(let head): head.value.headerFields
            }
        }
        set { storage = .structured(CopyOnWrite(Structured(headerFields: newValue, status: status))) }
    }

    /// The value of a header field, nil without one; several are joined in order with ", " (cookies
    /// with "; ").
    public subscript(name: HTTPField.Name) -> String? {
        switch storage {
        case .received(let fields): fields[name]
        case .structured(let head): head.value.headerFields[name]
        }
    }

    /// The values of all header fields with this name, in order.
    public func values(for name: HTTPField.Name) -> [String] {
        switch storage {
        case .received(let fields): fields.values(for: name)
        case .structured(let head): head.value.headerFields[values: name]
        }
    }

    /// Whether there is a header field with this name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        switch storage {
        case .received(let fields): fields.contains(name)
        case .structured(let head): head.value.headerFields.contains(name)
        }
    }

    /// Whether there is `Cache-Control`, `Expires`, `ETag` or `Last-Modified`.
    var hasCachingField: Bool {
        switch storage {
        case .received(let fields): fields.hasCachingField
        case .structured(let head):
            [HTTPField.Name.cacheControl, .expires, .eTag, .lastModified].contains {
                head.value.headerFields.contains($0)
            }
        }
    }

    /// Whether there is a `Content-Encoding`, which costs less than ``contains(_:)``.
    var hasContentEncoding: Bool {
        switch storage {
        case .received(let fields): fields.framingNames.contains(.contentEncoding)
        case .structured(let head): head.value.headerFields.contains(.contentEncoding)
        }
    }

    /// The same head without the fields whose names in lower case are unwanted, and with another
    /// one behind the rest. One that was received stays in the form in which it came.
    func replacing(
        adding field: (name: HTTPField.Name, value: String)? = nil,
        _ isUnwanted: (String) -> Bool
    ) -> ResponseHead {
        switch storage {
        case .received(let fields):
            let fields = fields.replacing(adding: field, isUnwanted)
            return ResponseHead(received: fields, statusCode: statusCode, httpVersion: httpVersion)
        case .structured(let head):
            var fields = head.value.headerFields
            fields.removeAll(where: isUnwanted)
            if let field { fields.append(HTTPField(name: field.name, value: field.value)) }
            return ResponseHead(status: status, headerFields: fields, httpVersion: httpVersion)
        }
    }

    /// The bytes of the header section, about.
    var byteCount: Int {
        switch storage {
        case .received(let fields): fields.byteCount
        case .structured(let head):
            head.value.headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
        }
    }

    /// The type and subtype of the first `Content-Type` in lower case without parameters, such as
    /// "application/json".
    ///
    /// Nil without the field, or when it names no type.
    public var mediaType: String? {
        guard let contentType = values(for: .contentType).first else { return nil }
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let bytes = type.filter { !ASCII.isBlank($0) }
        return bytes.isEmpty ? nil : String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
    }

    /// The head as the type of swift-http-types, which has no place for the version.
    public var httpResponse: HTTPResponse {
        HTTPResponse(status: status, headerFields: headerFields)
    }

    /// Names and values in order, each byte of a value as the character of the same number
    /// (ISO-8859-1).
    package var latin1Fields: [(name: String, value: String)] {
        switch storage {
        case .received(let fields): fields.latin1Pairs
        case .structured(let head): head.value.headerFields.map { ($0.name.rawName, $0.latin1Value) }
        }
    }
}

extension ResponseHead: Hashable {
    /// Whether both have the same version, status code and header fields, however they are stored.
    ///
    /// As in swift-http-types the reason phrase does not count, nor does the order of fields with
    /// different names.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.statusCode == rhs.statusCode && lhs.httpVersion == rhs.httpVersion && lhs.headerFields == rhs.headerFields
    }

    /// Feeds what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(statusCode)
        hasher.combine(httpVersion)
        hasher.combine(headerFields)
    }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// The names of the header fields, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["headerFields": ConcealedFields(headerFields)]) }

    /// The status line, such as "HTTP/1.1 200 OK"; no field, because fields may carry secrets.
    public var description: String {
        let status = status
        return "HTTP/\(httpVersion) \(status.code)" + (status.reasonPhrase.isEmpty ? "" : " " + status.reasonPhrase)
    }
}

extension ResponseHead {
    /// One line about a response for logs: status, media type, size and request. Of what the server
    /// wrote no more than a line, and no control character.
    func summary(byteCount: Int?, _ request: Request) -> String {
        let status = status
        let words: [String?] = [
            [String(status.code), Self.printable(status.reasonPhrase)].filter { !$0.isEmpty }.joined(separator: " "),
            mediaType.map(Self.printable),
            byteCount.map { $0 == 1 ? "1 byte" : "\($0) bytes" },
            request.description,
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.shortened.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }
}
