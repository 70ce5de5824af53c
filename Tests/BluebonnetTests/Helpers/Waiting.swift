/// A condition that a test needs was not met.
struct Unmet: Error, CustomStringConvertible {
    var description: String
}

/// Returns when the condition holds; throws after thirty seconds.
func until(_ expectation: String, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw Unmet(description: "not within 30 seconds: \(expectation)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Runs the work with longer and longer timeouts until it passes: a timer that must not run would
/// fire with each of them; a machine that pauses for a second makes it fire with some only.
func patiently(
    first timeouts: [Duration] = [.milliseconds(500), .seconds(3)],
    last: Duration = .seconds(10),
    _ work: (Duration) async throws -> Void
) async throws {
    for timeout in timeouts where (try? await work(timeout)) != nil { return }
    try await work(last)
}

/// The value once it has stopped changing.
func settled(_ value: () -> Int) async throws -> Int {
    var last = value()
    var calm = 0
    while calm < 20 {
        try await Task.sleep(for: .milliseconds(10))
        let now = value()
        calm = now == last ? calm + 1 : 0
        last = now
    }
    return last
}
