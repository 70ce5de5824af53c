public import FoundationEssentials
import NIOCore
import Synchronization

extension RequestBody {
    /// Produces the body as the engine would send it, piece by piece: for transports of your own,
    /// and for looking at what would be sent.
    ///
    /// A body whose ``isReplayable`` is false is used up by it.
    ///
    /// - Parameter receive: Takes a piece; the next one is produced when it returns.
    /// - Throws: ``NetworkingError/Code/requestBodyLengthMismatch`` when the source brings more or
    ///   less than ``length``; what the source throws, and what `receive` throws.
    public func read(_ receive: @escaping @Sendable (Data) async throws -> Void) async throws {
        if case .bytes(let buffer) = storage {
            guard buffer.readableBytes > 0 else { return }
            return try await receive(Data(buffer.readableBytesView))
        }
        do {
            let counter = Mutex(0)
            let length = length
            let sink = Sink.bytes { piece in
                let count = counter.withLock { count in
                    count += piece.readableBytes
                    return count
                }
                if let length, count > length { throw RequestBodyLengthMismatch.more(than: length) }
                // A copy, because the body may be sent again, whatever the receiver does to the
                // piece.
                try await receive(Data(piece.readableBytesView))
            }
            try await produce(sink)
            let count = counter.withLock { $0 }
            if let length, count < length { throw RequestBodyLengthMismatch.only(count, of: length) }
        } catch let mismatch as RequestBodyLengthMismatch {
            throw NetworkingError(.requestBodyLengthMismatch, mismatch.description)
        }
    }

    /// Produces the whole body in memory.
    ///
    /// - Parameter limit: The most bytes to take. Default: 1 GiB.
    /// - Returns: The bytes.
    /// - Throws: ``NetworkingError/Code/requestBodyLengthMismatch`` when the source brings more or
    ///   less than ``length``, ``NetworkingError/Code/requestBodyFailed`` when it fails,
    ///   ``NetworkingError/Code/bodyTooLarge`` for a longer body, and
    ///   ``NetworkingError/Code/cancelled`` when it ends because the Swift task was cancelled.
    public func collect(upTo limit: Int = 1 << 30) async throws(NetworkingError) -> Data {
        do {
            return try await collected(upTo: limit)
        } catch let error as NetworkingError {
            throw error
        } catch let error as CancellationError {
            throw NetworkingError.wrapping(error)
        } catch {
            throw NetworkingError.ofRequestBody(error)
        }
    }

    private func collected(upTo limit: Int) async throws -> Data {
        if case .bytes(let buffer) = storage, buffer.readableBytes <= limit { return Data(buffer.readableBytesView) }
        let bytes = Mutex(Data())
        try await read { piece in
            let isWithin = bytes.withLock { bytes in
                bytes.append(piece)
                return bytes.count <= limit
            }
            guard isWithin else {
                throw NetworkingError(
                    .bodyTooLarge,
                    "The request body is longer than the \(limit) bytes that may be collected."
                )
            }
        }
        return bytes.withLock { $0 }
    }
}

/// The source of a request body, or of a part of it, brought more or less than was declared.
struct RequestBodyLengthMismatch: Error, CustomStringConvertible {
    let subject: String
    let length: Int
    let produced: String

    static let wholeBody = "request body"

    static func more(than length: Int, in subject: String = wholeBody) -> Self {
        Self(subject: subject, length: length, produced: "more")
    }

    static func only(_ produced: Int, of length: Int, in subject: String = wholeBody) -> Self {
        Self(subject: subject, length: length, produced: "only \(produced)")
    }

    var description: String { "The \(subject) was declared as \(length) bytes, but \(produced) came from its source." }
}

extension NetworkingError {
    /// Whether the error says already that the fault lies in the request body, so that it need not
    /// be wrapped.
    private var isAboutRequestBody: Bool {
        [.requestBodyFailed, .requestBodyNotReplayable, .requestBodyLengthMismatch].contains(code)
    }

    /// The error for the user, of an error of the source of a request body.
    static func ofRequestBody(_ error: any Error) -> NetworkingError {
        if let mismatch = error as? RequestBodyLengthMismatch {
            return NetworkingError(.requestBodyLengthMismatch, mismatch.description)
        }
        if let error = error as? NetworkingError, error.isAboutRequestBody { return error }
        return NetworkingError(.requestBodyFailed, "The request body could not be read: \(error)", underlying: error)
    }
}
