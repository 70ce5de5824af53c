#if GTK
    /// Something that is tried with widgets.
    struct Check: Sendable {
        let name: String
        private let body: @MainActor (Report) async throws -> Void

        init(_ name: String, _ body: @escaping @MainActor (Report) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Runs it.
        ///
        /// - Returns: What was wrong.
        @MainActor
        func run() async -> [String] {
            let report = Report()
            do {
                try await body(report)
            } catch {
                report.faults.append("\(error)")
            }
            return report.faults
        }

        static let all = widgets + webViews

        private static let widgets =
            mainLoop + pictures + reuse + animations + buttons + progressBars + taskStates

        #if WebKitGTK
            private static let webViews = webPages + webLoads + links + webCookies + webMemory
        #else
            private static let webViews: [Check] = []
        #endif
    }

    /// What was wrong in a check.
    @MainActor
    final class Report {
        fileprivate(set) var faults: [String] = []

        /// Notes a fault where the condition does not hold.
        func expect(_ condition: Bool, _ fault: @autoclosure () -> String, line: Int = #line) {
            if !condition { faults.append("line \(line): \(fault())") }
        }

        /// Notes a fault where two values differ.
        func expect<Value: Equatable>(_ value: Value, is wanted: Value, line: Int = #line) {
            expect(value == wanted, "\(value) in place of \(wanted)", line: line)
        }
    }

    /// A condition that a check needs was not met.
    struct Unmet: Error, CustomStringConvertible {
        var description: String
    }

    /// Returns when the condition holds; throws after thirty seconds. The main loop runs meanwhile.
    @MainActor
    func until(_ expectation: String, _ condition: @MainActor () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                throw Unmet(description: "not within 30 seconds: \(expectation)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Unwraps a value that a check needs.
    func require<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Unmet(description: "line \(line): there is no value") }
        return value
    }
#endif
