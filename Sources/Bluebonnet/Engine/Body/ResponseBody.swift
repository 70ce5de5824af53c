public import FoundationEssentials
public import HTTPTypes
import NIOCore

/// The body of a response: an asynchronous sequence of pieces that is read once, with back-pressure.
///
/// While nobody reads, at most about a megabyte waits in memory and the server is slowed down. A body that is dropped before
/// its end closes its connection. Content coding is undone unless the session says otherwise.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    enum Storage: Sendable {
        /// All of it is here.
        case whole(ByteBuffer, trailers: HTTPFields)
        /// It comes piece by piece.
        case stream(Reader)
        /// It comes from another body through content decoders.
        indirect case decoded(ResponseBody, coding: ContentCoding, limits: Limits)
    }

    /// Owns the reading side of a stream: when the last copy of the body goes, the stream is abandoned.
    final class Reader: Sendable {
        let stream: BodyStream

        init(_ stream: BodyStream) {
            self.stream = stream
        }

        deinit {
            stream.abandon()
        }
    }

    let storage: Storage

    /// Kept alive while the body is: a session does not go away under a body that is being read.
    let owner: (any AnyObject & Sendable)?

    init(_ storage: Storage, owner: (any AnyObject & Sendable)? = nil) {
        self.storage = storage
        self.owner = owner
    }

    func keeping(_ owner: any AnyObject & Sendable) -> ResponseBody {
        ResponseBody(storage, owner: owner)
    }

    /// A body that is there already, for transports and interceptors that answer by themselves.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - trailers: The trailer fields. Default: none.
    /// - Returns: The body.
    public static func data(_ data: Data, trailers: HTTPFields = [:]) -> ResponseBody {
        ResponseBody(.whole(ByteBuffer(bytes: data), trailers: trailers))
    }

    /// The trailer fields (RFC 9110 §6.5); complete when the body has been read to its end, empty before.
    public var trailers: HTTPFields {
        switch storage {
        case .whole(_, let trailers): trailers
        case .stream(let reader): reader.stream.finished?.trailers ?? [:]
        case .decoded(let source, _, _): source.trailers
        }
    }

    /// When the last byte came, if it came after the head was handed over.
    var lastByteAt: NIODeadline? {
        switch storage {
        case .whole: nil
        case .stream(let reader): reader.stream.finished?.at
        case .decoded(let source, _, _): source.lastByteAt
        }
    }

    /// Makes the iterator. A body is read by one iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }

    /// The pieces of a body as `Data`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let body: ResponseBody
        private var buffers: Buffers

        fileprivate init(body: ResponseBody) {
            self.body = body
            buffers = body.makeBuffers()
        }

        /// The next piece, never empty; nil at the end.
        ///
        /// - Throws: ``NetworkingError``: a connection lost, a truncated body, a timeout, a content coding that is broken.
        public mutating func next() async throws -> Data? {
            try await buffers.next().map(Data.init(taking:))
        }
    }
}

@available(*, unavailable)
extension ResponseBody.AsyncIterator: Sendable {}

extension ResponseBody {
    /// Reads the whole body.
    ///
    /// - Parameter limit: The most bytes to keep. Default: 1 GiB.
    /// - Returns: The bytes.
    /// - Throws: ``NetworkingError/Code/bodyTooLarge`` beyond the limit, and whatever ends a body early.
    public func collect(upTo limit: Int = 1 << 30) async throws -> Data {
        Data(taking: try await collectBuffer(upTo: limit))
    }

    func collectBuffer(upTo limit: Int) async throws -> ByteBuffer {
        if case .whole(let buffer, _) = storage {
            guard buffer.readableBytes <= limit else { throw Self.tooLarge(limit) }
            return buffer
        }
        var buffers = makeBuffers()
        var whole = ByteBuffer()
        do {
            while var piece = try await buffers.next() {
                guard piece.readableBytes <= limit - whole.readableBytes else { throw Self.tooLarge(limit) }
                if whole.readableBytes == 0 { whole = piece } else { whole.writeBuffer(&piece) }
            }
        } catch var error as NetworkingError {
            if error.body == nil, whole.readableBytes > 0 { error.body = Data(taking: whole) }
            throw error
        }
        return whole
    }

    /// Reads and drops the body so that its connection can serve again; gives both up beyond the limit or at an error.
    func discard(upTo limit: Int) async {
        if case .decoded(let source, _, _) = storage { return await source.discard(upTo: limit) }
        guard case .stream = storage else { return }
        var buffers = makeBuffers()
        var count = 0
        while count <= limit, let piece = try? await buffers.next() { count += piece.readableBytes }
    }

    private static func tooLarge(_ limit: Int) -> NetworkingError {
        NetworkingError(.bodyTooLarge, "The response body is larger than the \(limit) bytes allowed in memory.")
    }
}

extension ResponseBody {
    func makeBuffers() -> Buffers {
        switch storage {
        case .whole(let buffer, _): Buffers(.whole(buffer))
        case .stream(let reader): Buffers(.stream(reader))
        case .decoded(let source, let coding, let limits):
            Buffers(.decoded(source.makeBuffers(), ContentDecoder(coding, limits: limits)))
        }
    }

    /// The pieces of a body as the engine's buffers.
    struct Buffers {
        enum Step {
            case whole(ByteBuffer)
            case stream(Reader)
            indirect case decoded(Buffers, ContentDecoder)
            case ended
        }

        private var step: Step

        init(_ step: Step) {
            self.step = step
        }

        /// A piece that is here already, without waiting; nil says nothing about the end.
        func nextIfAvailable() -> ByteBuffer? {
            guard case .stream(let reader) = step else { return nil }
            return reader.stream.nextIfAvailable()
        }

        mutating func next() async throws -> ByteBuffer? {
            switch step {
            case .ended:
                return nil
            case .whole(let buffer):
                step = .ended
                return buffer.readableBytes > 0 ? buffer : nil
            case .stream(let reader):
                let buffer = try await reader.stream.next()
                if buffer == nil { step = .ended }
                return buffer
            case .decoded(var source, let decoder):
                defer { if case .decoded = step { step = .decoded(source, decoder) } }
                while true {
                    if let block = try decoder.nextBlock() { return block }
                    guard let piece = try await source.next() else {
                        try decoder.finish()
                        step = .ended
                        return nil
                    }
                    decoder.push(piece)
                }
            }
        }
    }
}
