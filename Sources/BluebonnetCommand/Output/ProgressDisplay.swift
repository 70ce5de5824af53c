import Bluebonnet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Draws the progress on standard error while work runs, and removes it at the end.
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
        let frame: @Sendable (Terminal.Size) -> StatusLines.Frame? = { size in
            guard let progress = session.tasks.first?.currentProgress else { return nil }
            return StatusLines.Frame(rows: [StatusLines.Row(ProgressBar(progress).text(columns: size.columns))])
        }
        return try await show(frame, during: work)
    }

    /// Runs the work and draws frames until it ends.
    ///
    /// - Parameters:
    ///   - frame: Makes the next frame for a size of the window; nil where nothing changes.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    static func show<Result: Sendable>(
        _ frame: @escaping @Sendable (Terminal.Size) -> StatusLines.Frame?,
        during work: () async throws -> Result
    ) async throws -> Result {
        // When the shell continues a command that Ctrl-Z has stopped, the cursor is elsewhere.
        let signals = TerminationSignals([SIGCONT]) { _ in Terminal.shared.forgetStatus() }
        defer { signals.stop() }
        // Swift cancels and awaits this when the work ends, also when it throws.
        async let _ = draw(frame)
        return try await work()
    }

    /// Draws by the clock and not when bytes are transferred, so that a person sees when none are.
    private static func draw(_ frame: @Sendable (Terminal.Size) -> StatusLines.Frame?) async {
        while (try? await Task.sleep(for: pause)) != nil { Terminal.shared.show(frame) }
        Terminal.shared.endStatus()
    }
}
