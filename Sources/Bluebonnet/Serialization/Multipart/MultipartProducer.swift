import NIOCore

/// Produces a multipart body: does the reading that ``MultipartEncoder`` asks for.
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
                let current = try reader ?? open(part)
                reader = current
                let piece = try await read(part, upTo: count, from: current)
                do {
                    if let piece { try encoder.received(piece) } else { try encoder.ended() }
                } catch {
                    throw self.error(error)
                }
                // The file of a part that is done need not stay open.
                if encoder.currentSource != part { reader = nil }
            case .finished:
                return
            }
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
            throw NetworkingError(
                .requestBodyFailed,
                "The form part “\(parts[part].label)” could not be read: \(error)",
                underlying: error
            )
        }
    }

    private func error(_ mismatch: MultipartEncoder.LengthMismatch) -> NetworkingError {
        let came = mismatch.received.map { "only \($0)" } ?? "more"
        return NetworkingError(
            .requestBodyLengthMismatch,
            """
            The form part “\(parts[mismatch.part].label)” was declared as \(mismatch.declared) bytes, and \(came) came \
            from its source.
            """
        )
    }
}

extension NetworkingError {
    /// Whether the error says already that the fault lies in the request body, so that it need not be wrapped.
    var isAboutRequestBody: Bool {
        [.requestBodyFailed, .requestBodyNotReplayable, .requestBodyLengthMismatch].contains(code)
    }
}
