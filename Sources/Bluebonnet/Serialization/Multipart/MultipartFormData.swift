/// A `multipart/form-data` body (RFC 7578): named parts of text, bytes, files and streams, in their
/// order.
///
/// It is a value: copies share nothing that changes. Files and streams are read in blocks while the
/// body is sent, and are never whole in memory. Counterpart of `AFMultipartFormData`.
///
/// ```swift
/// let form = RequestContent.multipart { form in
///     try form.append(fileURL: file, name: "avatar")
///     form.append("42", name: "user")
/// }
/// let avatar = try await api.post("avatars", body: form, as: .json)
/// ```
///
/// Names and file names are UTF-8, and escaped as browsers do it: `"` becomes `%22`, everything
/// else stays. One with CR, LF or NUL is refused with
/// ``NetworkingError/Code/requestSerializationFailed``: functions that throw add nothing then; for
/// the others, the form keeps the first error, and making its body throws it.
public struct MultipartFormData: Sendable {
    /// The text that separates the parts. Random unless it was chosen: 128 bits from the system's
    /// secure source.
    public var boundary: String { separator.text }

    /// The speed at which the body is sent. Default: as fast as the connection allows. Copies have
    /// it, and it applies each time the form is sent.
    public var throttle: UploadThrottle?

    /// The parts in their order, to be looked at: in a test, or before they are sent.
    public internal(set) var parts: [MultipartPart] = []

    /// The first error of a function that does not throw.
    var fault: NetworkingError?

    let separator: MultipartBoundary

    /// Makes an empty form with a random boundary.
    public init() {
        separator = .random()
    }

    /// Makes an empty form with a boundary of the caller's choice, for reproducible bodies.
    ///
    /// A random boundary is safer: no part may contain a chosen one. Where parts in memory
    /// do, making the body throws; files and streams are not searched.
    ///
    /// - Parameter boundary: 1 to 70 characters of RFC 2046 §5.1.1: letters, digits, `'()+_,-./:=?`
    ///   and, not at the end, the space.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for another boundary.
    public init(boundary: String) throws(NetworkingError) {
        separator = try MultipartBoundary(chosen: boundary)
    }

    /// The value of the request's `Content-Type`: `multipart/form-data` and the boundary.
    public var contentType: String { "multipart/form-data; boundary=\(separator.parameter)" }

    /// The number of parts.
    public var count: Int { parts.count }

    /// Whether there are no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The exact length of the body in bytes; nil when a part is a stream without a length, or the
    /// sum is beyond `Int`.
    public var contentLength: Int? {
        MultipartEncoder.length(boundary: separator, parts: parts)
    }

    /// Whether the body can be sent a second time, as a 307 or 308 redirect or a retry needs: it
    /// holds no stream that can be read only once.
    public var isReplayable: Bool {
        parts.allSatisfy(\.isReplayable)
    }
}

extension MultipartFormData {
    /// Adds a part for a public function that does not throw.
    mutating func append(_ make: () throws(NetworkingError) -> MultipartPart) {
        do {
            parts.append(try make())
        } catch {
            fault = fault ?? error
        }
    }
}
