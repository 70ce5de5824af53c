import FoundationEssentials

/// Downloads to what is no file.
extension Download {
    /// Writes a body to a pipe or a device.
    func write(
        _ response: TransportResponse,
        toSpecial target: PartialFile.Target,
        _ digests: DownloadDigests,
        _ context: ExchangeContext
    ) async throws -> URL {
        digests.expect(response, at: 0)
        let body = response.body
        let isHashed = !digests.isEmpty
        let length = response.head.hasContentEncoding ? nil : body.wholeByteCount
        let didWrite = tellWriting(from: 0, of: length, context)
        do {
            // Whoever stops the task does not stop the Swift task that awaits it, and a pipe may
            // have no reader.
            try await StoppableCall.run(for: response.request, context, .elsewhere) {
                _ = try await FileOutput.write(to: target.path, overwrites: true) { output in
                    var output = output
                    output.didWrite = didWrite
                    let hashed = output.observed { blocks in digests.update(blocks, at: nil) }
                    return try await body.write(to: isHashed ? hashed : output)
                }
            }
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
        return URL(filePath: target.path, directoryHint: .notDirectory)
    }
}
