extension TransportResponse {
    /// Writes the body to a file while it arrives, until its end or until the task is stopped.
    ///
    /// - Throws: What ended it early; an error of the library has the request and the head.
    func writeBody(to output: FileOutput, _ context: ExchangeContext) async throws {
        do {
            if body.comesFromSequence {
                try await StoppableCall.run(for: request, context, .elsewhere) { [body] in
                    _ = try await body.write(to: output)
                }
            } else {
                try await body.write(to: output)
            }
        } catch let error as NetworkingError {
            throw error.completed(request: request, response: head)
        }
    }
}
