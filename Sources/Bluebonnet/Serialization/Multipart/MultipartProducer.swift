import NIOCore

/// Produces a multipart body: carries out the actions of ``MultipartEncoder``.
struct MultipartProducer: Sendable {
    let boundary: MultipartBoundary
    let parts: [MultipartPart]

    /// Produces the body once, from its beginning.
    func produce(_ sink: RequestBody.Sink) async throws {
        var encoder = MultipartEncoder(boundary: boundary, parts: parts)
        var reader: (any MultipartReader)?
        while true {
            switch encoder.next() {
            case .emit(let piece):
                try await sink(piece)
            case .read(let part, let count):
                if reader == nil, let take = sink.takeFile, try await produceFile(part, take) {
                    encoder.skipSource()
                    continue
                }
                let current = try reader ?? open(part)
                reader = current
                let piece = try await read(part, upTo: count, from: current)
                do {
                    if let piece { try encoder.receive(piece) } else { try encoder.endSource() }
                } catch {
                    throw self.error(error)
                }
                // Without its reader, the file of a part that is done is closed.
                if encoder.currentSource != part { reader = nil }
            case .finished:
                return
            }
        }
    }

    /// Passes a large file to the sink as a file; returns false when the part is not one.
    private func produceFile(
        _ part: Int,
        _ take: @Sendable (FilePart) async throws -> Void
    ) async throws -> Bool {
        guard case .source(let source) = parts[part].content, source.isLargeFile, let path = source.path,
            let length = source.length
        else {
            return false
        }
        do {
            return try await FilePart.produce(from: path, length: length, subject: subject(part), take)
        } catch let failure as SystemFile.Failure {
            throw unreadable(part, failure)
        }
    }

    private func open(_ part: Int) throws -> any MultipartReader {
        guard case .source(let source) = parts[part].content else {
            throw NetworkingError(.requestBodyFailed, "The form part “\(parts[part].label)” has no source.")
        }
        return try source.open()
    }

    private func read(_ part: Int, upTo count: Int, from reader: any MultipartReader) async throws -> ByteBuffer? {
        do {
            return try await reader.next(upTo: count)
        } catch let error where !(error is CancellationError) {
            throw unreadable(part, error)
        }
    }

    // MARK: Errors

    private func subject(_ part: Int) -> String { "form part “\(parts[part].label)”" }

    private func unreadable(_ part: Int, _ error: any Error) -> NetworkingError {
        NetworkingError(.requestBodyFailed, "The \(subject(part)) could not be read: \(error)", underlying: error)
    }

    private func error(_ mismatch: MultipartEncoder.LengthMismatch) -> NetworkingError {
        let (subject, declared) = (subject(mismatch.part), mismatch.declared)
        let found =
            mismatch.received.map { RequestBodyLengthMismatch.only($0, of: declared, in: subject) }
            ?? .more(than: declared, in: subject)
        return NetworkingError(.requestBodyLengthMismatch, found.description)
    }
}
