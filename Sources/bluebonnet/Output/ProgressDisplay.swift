import Bluebonnet

/// Draws a bar on standard error while a request runs, and takes it away at the end.
struct ProgressDisplay {
    let stream: StandardStream

    /// A person cannot read faster.
    private static let pause = Duration.milliseconds(100)

    /// Runs the work and shows the progress of the first task that the session starts meanwhile.
    func show<Result>(
        of session: SessionManager,
        during work: () async throws -> sending Result
    ) async throws -> sending Result {
        let events = session.events
        async let drawing: Void = draw(events)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        // The task is over, and the drawing with it.
        await drawing
        return try result.get()
    }

    private func draw(_ events: AsyncStream<SessionEvent>) async {
        for await event in events {
            guard case .didResume(let task) = event else { continue }
            await draw(task.progress)
            return
        }
    }

    private func draw(_ progress: AsyncStream<TaskProgress>) async {
        var next = ContinuousClock.now
        var isDrawn = false
        for await state in progress where ContinuousClock.now >= next {
            stream.write("\r\u{1B}[K\(ProgressBar(state).text)".utf8)
            next = .now + Self.pause
            isDrawn = true
        }
        if isDrawn { stream.write("\r\u{1B}[K".utf8) }
    }
}
