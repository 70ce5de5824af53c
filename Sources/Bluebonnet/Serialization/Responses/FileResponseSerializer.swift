public import FoundationEssentials
import NIOCore

/// Validates a response and writes its body to a file, whose URL is the value.
///
/// Accepts 2xx of any content type by default; of a refused response nothing is written, so that no
/// error page is taken for the file (AFNetworking moved it there). The bytes go to a temporary file
/// beside the destination, which takes its name when it is complete.
///
/// The body has been in memory before. For a body that should not be, use
/// ``SessionManager/stream(_:)`` and ``ResponseBody/write(to:overwrites:)``.
///
/// AFNetworking: `destination` of its download tasks.
public struct FileResponseSerializer: ValidatingResponseSerializer {
    /// What may be done to make room for the file.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// Makes options of bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A file that stands there is replaced; otherwise it is an error.
        public static let overwrite = Options(rawValue: 1)
        /// Folders on the way that are missing are made; otherwise it is an error.
        public static let createDirectories = Options(rawValue: 2)
    }

    /// Which responses are accepted. Default: 2xx of any content type.
    public var validation: ResponseValidation

    /// Where the file goes.
    public var destination: URL

    /// What may be done to make room for it. Default: nothing.
    public var options: Options

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - destination: A file URL.
    ///   - options: What may be done to make room for the file. Default: nothing.
    ///   - validation: Which responses are accepted. Default: 2xx of any content type.
    public init(destination: URL, options: Options = [], validation: ResponseValidation = .default) {
        self.destination = destination
        self.options = options
        self.validation = validation
    }

    /// Validates, then writes.
    ///
    /// - Parameters:
    ///   - body: The body bytes, content coding undone.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The destination.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or ``NetworkingError/Code/outputFailed``
    ///   for a file that cannot be written.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> URL {
        try validation.validate(body, head: head, request: request)
        do {
            try write(body)
        } catch {
            throw NetworkingError(
                .outputFailed,
                "The response could not be written: \(error)",
                request: request,
                response: head,
                body: body,
                underlying: error
            )
        }
        return destination
    }

    private func write(_ body: Data) throws {
        if options.contains(.createDirectories) {
            let folder = destination.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let path = destination.path(percentEncoded: false)
        try AtomicFile.write(to: path, replaces: options.contains(.overwrite)) { file in
            try file.write([ByteBuffer(bytes: body)])
        }
    }
}

extension ResponseSerializer where Self == FileResponseSerializer {
    /// The body of a 2xx response in a file.
    ///
    /// - Parameters:
    ///   - destination: A file URL.
    ///   - options: What may be done to make room for the file. Default: nothing.
    /// - Returns: The serializer.
    public static func file(_ destination: URL, options: FileResponseSerializer.Options = []) -> Self {
        Self(destination: destination, options: options)
    }
}
