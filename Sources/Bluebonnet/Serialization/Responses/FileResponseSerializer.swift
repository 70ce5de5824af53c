public import FoundationEssentials
import NIOCore

/// Validates a response and writes its body to a file, whose URL is the value.
///
/// Accepts 2xx of any content type by default; a refused response is not written, so that an error
/// page is never taken for the file (AFNetworking moved it there). The bytes are written to a
/// temporary file beside the destination, which gets its name when it is complete.
///
/// The body is in memory before it is written. To write a body as it is received, use
/// ``SessionManager/open(_:)`` and ``ResponseBody/write(to:overwrites:)``.
///
/// Counterpart in AFNetworking: `destination` of its download tasks.
public struct FileResponseSerializer: ValidatingResponseSerializer {
    /// The changes that may be made before the file is written.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// Makes options of bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// An existing file is an error; otherwise it is replaced when the new one is complete, as
        /// by ``ResponseBody/write(to:overwrites:)``.
        public static let withoutOverwriting = Options(rawValue: 1)
        /// Missing folders of the path are made; otherwise they are an error.
        public static let createDirectories = Options(rawValue: 2)
    }

    /// The responses that are accepted. Default: 2xx of any content type.
    public var validation: ResponseValidation

    /// The file URL to write to.
    public var destination: URL

    /// The changes that may be made before the file is written. Default: none.
    public var options: Options

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - destination: A file URL.
    ///   - options: The changes that may be made before. Default: none.
    ///   - validation: The responses that are accepted. Default: 2xx of any content type.
    public init(destination: URL, options: Options = [], validation: ResponseValidation = .default) {
        self.destination = destination
        self.options = options
        self.validation = validation
    }

    /// Validates, then writes.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
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
        try AtomicFile.write(to: path, replaces: !options.contains(.withoutOverwriting)) { file in
            try file.write([ByteBuffer(bytes: body)])
        }
    }
}

extension ResponseSerializer where Self == FileResponseSerializer {
    /// The body of a 2xx response in a file.
    ///
    /// - Parameters:
    ///   - destination: A file URL.
    ///   - options: The changes that may be made before. Default: none.
    /// - Returns: The serializer.
    public static func file(_ destination: URL, options: FileResponseSerializer.Options = []) -> Self {
        Self(destination: destination, options: options)
    }
}
