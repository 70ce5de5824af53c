/// A step of the tour did not show what it promises.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    /// Stops the tour unless the condition holds.
    ///
    /// - Parameters:
    ///   - condition: What must be true.
    ///   - expectation: What was expected, for the message.
    ///   - actual: What came instead.
    /// - Throws: ``DemoFailure``.
    static func unless(_ condition: Bool, expected expectation: String, got actual: Any?) throws(DemoFailure) {
        guard !condition else { return }
        throw DemoFailure(description: "expected \(expectation), got \(actual.map { "\($0)" } ?? "nothing")")
    }
}
