import Bluebonnet

/// Draws a bar on standard error while a request runs, and takes it away at the end.
enum ProgressDisplay {
    /// A person cannot read faster.
    private static let pause = Duration.milliseconds(100)

    /// Runs the work and shows the progress of the session's only task meanwhile.
    ///
    /// The bar also goes for good with ``Terminal/endStatus()``.
    static func show<Result: Sendable>(
        of session: SessionManager,
        during work: () async throws -> Result
    ) async throws -> Result {
        // Stopped and awaited when the work is over, however that ends.
        async let _ = draw(session)
        return try await work()
    }

    /// Draws by the clock and not by what comes in, so that a transfer that stands still is seen
    /// to.
    private static func draw(_ session: SessionManager) async {
        while (try? await Task.sleep(for: pause)) != nil {
            guard let progress = session.tasks.first?.currentProgress else { continue }
            Terminal.shared.show { columns in ProgressBar(progress).text(columns: columns) }
        }
        Terminal.shared.endStatus()
    }
}
