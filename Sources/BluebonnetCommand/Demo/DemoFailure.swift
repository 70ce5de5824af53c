/// An error of a step of the tour that got something else than it expected.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    /// Stops the tour unless the condition holds.
    ///
    /// - Parameters:
    ///   - condition: What must be true.
    ///   - expectation: The expected value, for the message.
    ///   - actual: The value that came instead.
    /// - Throws: ``DemoFailure``.
    static func unless(_ condition: Bool, expected expectation: String, got actual: Any?) throws(DemoFailure) {
        guard !condition else { return }
        throw DemoFailure(description: "expected \(expectation), got \(actual.map { "\($0)" } ?? "nothing")")
    }
}
