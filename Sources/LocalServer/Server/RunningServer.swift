/// A server that listens until it is shut down.
protocol RunningServer: Sendable {
    func shutdown() async
}

extension RunningServer {
    /// Runs the body with the server and shuts it down, also when the body throws.
    func use<Result>(_ body: (Self) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await shutdown()
            return result
        } catch {
            await shutdown()
            throw error
        }
    }
}
