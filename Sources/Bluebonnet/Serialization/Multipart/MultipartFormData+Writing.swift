#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import NIOCore
import NIOPosix

/// The form as a file.
extension MultipartFormData {
    /// Writes the whole body to a file, for example to upload it later or to give a stream a length.
    ///
    /// The bytes go to a temporary file beside the destination, which takes its name when the body is complete: when this
    /// throws, what stood there before stands there still. A link is followed; a device or a pipe is written to as it
    /// stands. The ``throttle`` does not slow the writing.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - overwrites: Whether a file that stands there is replaced. Default: true.
    /// - Returns: The file as the body of a request, throttled like the form; the request's `Content-Type` must be
    ///   ``contentType``.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when the file cannot be written, otherwise what sending the form would
    ///   fail with; ``NetworkingError/Code/cancelled`` when the caller is cancelled.
    @discardableResult
    public func write(to file: URL, overwrites: Bool = true) async throws -> RequestBody {
        try await write(to: file, overwrites: overwrites, clock: ContinuousClock())
    }

    func write(to file: URL, overwrites: Bool, clock: some Clock<Duration>) async throws -> RequestBody {
        try check()
        guard file.isFileURL else {
            throw NetworkingError(
                .outputFailed,
                "Expected URL to be a file URL: a form cannot be written to \(file.redactedDescription)."
            )
        }
        let destination = file.resolvingSymlinksInPath().path(percentEncoded: false)
        let manager = FileManager.default
        guard overwrites || !manager.fileExists(atPath: destination) else {
            throw NetworkingError(.outputFailed, "The file \(destination) exists already.")
        }
        switch try? manager.attributesOfItem(atPath: destination)[.type] as? FileAttributeType {
        case nil, .typeRegular:
            try await writeWhole(to: destination, overwrites: overwrites)
        case .typeDirectory:
            throw NetworkingError(.outputFailed, "A form cannot be written to \(destination), which is a directory.")
        default:
            let output = try await Self.blocking { try SystemFile(writing: destination) }
            try await write(to: output)
        }
        let body = try RequestBody.file(file)
        guard let throttle else { return body }
        return body.throttled(throttle, clock: clock)
    }

    private func writeWhole(to destination: String, overwrites: Bool) async throws {
        let name = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        let output = try await Self.blocking { try SystemFile(creating: name) }
        do {
            try await write(to: output)
            try await Self.blocking { try output.move(to: destination, replaces: overwrites) }
        } catch {
            output.remove()
            throw error
        }
    }

    private func write(to output: SystemFile) async throws {
        do {
            let sink = RequestBody.Sink.bytes { piece in
                try Task.checkCancellation()
                try await Self.blocking { try output.write([piece]) }
            }
            try await MultipartProducer(boundary: separator, parts: parts).produce(sink)
        } catch let error as CancellationError {
            throw NetworkingError(.cancelled, "The writing of the form was cancelled.", underlying: error)
        }
    }

    /// Runs file work on a thread that may block.
    private static func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        do {
            return try await NIOThreadPool.singleton.runIfActive(work)
        } catch let failure as SystemFile.Failure {
            throw NetworkingError(.outputFailed, "The form could not be written: \(failure)", underlying: failure)
        }
    }
}
