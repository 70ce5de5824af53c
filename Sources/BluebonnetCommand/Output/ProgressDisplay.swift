import Bluebonnet

/// Draws a bar on standard error while a request runs, and removes it at the end.
enum ProgressDisplay {
    /// The time between two drawings; a person cannot read faster.
    private static let pause = Duration.milliseconds(100)

    /// Runs the work and shows the progress of the session's only task until it ends.
    ///
    /// ``Terminal/endStatus()`` also removes the bar, for good.
    static func show<Result: Sendable>(
        of session: SessionManager,
        during work: () async throws -> Result
    ) async throws -> Result {
        // Swift cancels and awaits this when the work ends, also when it throws.
        async let _ = draw(session)
        return try await work()
    }

    /// Draws by the clock and not when bytes are transferred, so that a person sees when none are.
    private static func draw(_ session: SessionManager) async {
        while (try? await Task.sleep(for: pause)) != nil {
            guard let progress = session.tasks.first?.currentProgress else { continue }
            Terminal.shared.show { columns in ProgressBar(progress).text(columns: columns) }
        }
        Terminal.shared.endStatus()
    }
}
