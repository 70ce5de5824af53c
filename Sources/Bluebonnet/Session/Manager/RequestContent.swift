public import FoundationEssentials
import HTTPTypes
import NIOCore

/// What a call sends as its body, with its content type.
///
/// ```swift
/// try await api.post("users", body: .json(user))
/// try await api.put("videos/7", body: .file(file))
/// try await api.post("photos", body: .multipart { form in
///     try form.append(fileURL: file, name: "photo")
/// })
/// ```
///
/// The body is made when the request is made: an error, such as a missing file, is the error of the
/// call. A `Content-Type` among the call's headers wins over the content's own.
///
/// Counterpart of the `parameters:` and the `constructingBodyWithBlock:` of
/// `AFHTTPSessionManager`, and of `ParameterEncoder` and the `upload` functions in Alamofire.
public struct RequestContent: Sendable {
    /// Sets body and content type of a request; takes settings from the manager's serializer.
    private let put: @Sendable (inout Request, any RequestSerializer) throws(NetworkingError) -> Void

    private init(_ put: @escaping @Sendable (inout Request, any RequestSerializer) throws(NetworkingError) -> Void) {
        self.put = put
    }

    func put(into request: inout Request, serializer: any RequestSerializer) throws(NetworkingError) {
        do {
            try put(&request, serializer)
        } catch {
            throw error.completed(request: request)
        }
    }

    // MARK: Encoded values

    /// A value as the manager's request serializer writes it: a form with
    /// ``HTTPRequestSerializer``, JSON with ``JSONRequestSerializer``.
    ///
    /// `Data` is sent as it is, of the type `application/octet-stream`, and a `String` as text of
    /// the type `text/plain; charset=utf-8`.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The content.
    public static func encoded(_ value: some Encodable & Sendable) -> RequestContent {
        if let data = value as? Data { return .data(data) }
        if let text = value as? String { return .text(text) }
        return RequestContent { request, serializer throws(NetworkingError) in
            guard !(value is URL) else {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "A URL as a body has two meanings: write .file(url) for the file, or .json(url) for its text."
                )
            }
            request = try serializer.serialize(request, parameters: Parameters(value), to: .httpBody)
        }
    }

    /// A value as JSON (RFC 8259), whatever the manager's request serializer is. A
    /// ``JSONRequestSerializer`` of the manager gives its encoder and its format.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The content.
    public static func json(_ value: some Encodable & Sendable) -> RequestContent {
        json(Parameters(value))
    }

    /// A value as JSON by an encoder of yours, whatever the manager's request serializer is.
    ///
    /// ```swift
    /// let encoder = JSONEncoder()
    /// encoder.dateEncodingStrategy = .iso8601
    /// try await api.post("events", body: .json(user, encoder: encoder))
    /// ```
    ///
    /// For every body of a manager see ``JSONRequestSerializer/makeEncoder``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: The encoder; its format is kept. It is used when the request is made, so do not
    ///     change it before that.
    /// - Returns: The content.
    public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder) -> RequestContent {
        RequestContent { request, _ throws(NetworkingError) in
            let bytes: Data
            do {
                bytes = try encoder.encode(value)
            } catch {
                let message = "The body cannot be written as JSON."
                throw NetworkingError(.requestSerializationFailed, message, underlying: error)
            }
            try set(.data(bytes), "application/json", on: &request)
        }
    }

    /// Values by name as JSON: `.json(["page": page, "q": name])`.
    ///
    /// - Parameter parameters: The members of the object.
    /// - Returns: The content.
    public static func json(_ parameters: Parameters) -> RequestContent {
        RequestContent { request, serializer throws(NetworkingError) in
            var json = serializer as? JSONRequestSerializer ?? JSONRequestSerializer()
            json.settings = serializer.settings
            request = try json.serialize(request, parameters: parameters, to: .httpBody)
        }
    }

    /// A value as a form (`application/x-www-form-urlencoded`), by the rules of the manager's
    /// request serializer.
    ///
    /// - Parameter value: The value to encode; it must have keys.
    /// - Returns: The content.
    public static func form(_ value: some Encodable & Sendable) -> RequestContent {
        form(Parameters(value))
    }

    /// Values by name as a form: `.form(["page": page, "q": name])`.
    ///
    /// - Parameter parameters: The fields.
    /// - Returns: The content.
    public static func form(_ parameters: Parameters) -> RequestContent {
        RequestContent { request, serializer throws(NetworkingError) in
            var http = HTTPRequestSerializer()
            http.settings = serializer.settings
            request = try http.serialize(request, parameters: parameters, to: .httpBody)
        }
    }

    /// A value as an XML property list (`application/x-plist`). A ``PropertyListRequestSerializer``
    /// of the manager gives its format.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The content.
    public static func propertyList(_ value: some Encodable & Sendable) -> RequestContent {
        RequestContent { request, serializer throws(NetworkingError) in
            var list = serializer as? PropertyListRequestSerializer ?? PropertyListRequestSerializer()
            list.settings = serializer.settings
            request = try list.serialize(request, parameters: Parameters(value), to: .httpBody)
        }
    }

    // MARK: Bytes

    /// Bytes as they are.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: Their media type. Default: `application/octet-stream`.
    /// - Returns: The content.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestContent {
        body(.data(data), contentType: contentType)
    }

    /// Text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - contentType: Its media type. Default: `text/plain; charset=utf-8`.
    /// - Returns: The content.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestContent {
        body(.string(text), contentType: contentType)
    }

    /// A file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: A file URL. The call fails with ``NetworkingError/Code/requestBodyFailed`` when it
    ///     is not one, or when there is no readable regular file.
    ///   - contentType: The media type. Default: that of the file name's extension;
    ///     `application/octet-stream` if that is not known.
    /// - Returns: The content.
    public static func file(_ file: URL, contentType: String? = nil) -> RequestContent {
        RequestContent { request, _ throws(NetworkingError) in
            let body = try RequestBody.file(file)
            let type = contentType ?? MIMETypes.system.type(ofFileNamed: file.lastPathComponent)
            try set(body, type, on: &request)
        }
    }

    /// Pieces that are produced while they are sent, once: of a second call with the same content,
    /// the error is ``NetworkingError/Code/requestBodyNotReplayable``.
    ///
    /// - Parameters:
    ///   - sequence: The pieces; see ``RequestBody/stream(_:length:)``.
    ///   - length: The length in bytes, if known; the body is sent chunked without.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    /// - Returns: The content.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ sequence: Pieces,
        length: Int? = nil,
        contentType: String = "application/octet-stream"
    ) -> RequestContent where Pieces.Element: Collection<UInt8> {
        body(.stream(sequence, length: length), contentType: contentType)
    }

    /// Any body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: Its media type; nil for none.
    /// - Returns: The content.
    public static func body(_ body: RequestBody, contentType: String?) -> RequestContent {
        RequestContent { request, _ throws(NetworkingError) in try set(body, contentType, on: &request) }
    }

    private static func set(
        _ body: RequestBody,
        _ contentType: String?,
        on request: inout Request
    ) throws(NetworkingError) {
        if let contentType, !request.headerFields.contains(.contentType) {
            try HTTPField.Name.contentType.check(contentType)
            request.headerFields.append(HTTPField(name: .contentType, value: contentType))
        }
        request.body = body
    }

    // MARK: Forms with parts

    /// A multipart form (RFC 7578), whose files and streams are read while it is sent.
    ///
    /// `parameters` come first, one part for each value with the names of the query (`a[b]`,
    /// `a[]`); then the parts that the closure adds. Without any part there is no body. The
    /// `Content-Type` is always the form's, since it names the boundary. To send a form that was
    /// made before, assign it: `.multipart { $0 = form }`.
    ///
    /// - Parameters:
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - build: Adds the parts. A ``NetworkingError`` that it throws is the error of the call,
    ///     another error is below ``NetworkingError/Code/requestSerializationFailed``.
    /// - Returns: The content. GET and HEAD cannot have it.
    public static func multipart(
        parameters: Parameters = [:],
        _ build: @escaping @Sendable (inout MultipartFormData) throws -> Void
    ) -> RequestContent {
        RequestContent { request, _ throws(NetworkingError) in
            try request.setBody(parameters: parameters, build: build)
        }
    }
}

extension Request {
    /// Makes a form the body, unless it has no part.
    mutating func setBody(
        parameters: Parameters,
        build: (inout MultipartFormData) throws -> Void
    ) throws(NetworkingError) {
        let form = try form(parameters: parameters, build: build)
        if !form.isEmpty { try setBody(multipart: form) }
    }

    /// A form for this request.
    func form(
        parameters: Parameters,
        build: (inout MultipartFormData) throws -> Void
    ) throws(NetworkingError) -> MultipartFormData {
        try checkTakesForm()
        var form = MultipartFormData()
        do {
            try build(&form)
            try form.prepend(parameters)
            try form.check()
        } catch let error as NetworkingError {
            throw error.completed(request: self)
        } catch is CancellationError {
            throw NetworkingError(.cancelled, "The request was cancelled while its form was made.", request: self)
        } catch {
            throw NetworkingError(
                .requestSerializationFailed,
                "The form could not be made: \(error)",
                request: self,
                underlying: error
            )
        }
        return form
    }
}
