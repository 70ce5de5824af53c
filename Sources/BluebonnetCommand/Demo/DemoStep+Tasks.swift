import Bluebonnet
import FoundationEssentials
import HTTPTypes
import LocalServer

/// Many requests at once, and a request that is cancelled.
extension DemoStep {
    static let cancellation = DemoStep(
        title: "Cancelling the Swift task cancels the request",
        code: #"let task = Task { try await session.data(for: request) }; task.cancel()"#
    ) { stage in
        try await FaultServer.run([.readRequest, .stall]) { server in
            let url = try DemoStage.url(server.baseURL + "/never")
            let task = Task { try await stage.session.data(for: Request(url: url)) }
            try await server.waitForRequests(1)
            let startedAt = ContinuousClock.now
            task.cancel()
            let error = try await DemoStage.error(expected: .cancelled) { _ = try await task.value }
            let time = startedAt.duration(to: .now)
            try await server.waitUntilClosed(connection: 0)
            return "\(error.code) after \(Int(time / .microseconds(1))) µs; the connection is closed"
        }
    }

    private static let count = 1000

    static let manyRequests = DemoStep(
        title: "A thousand requests at once share six connections",
        code: #"await withThrowingTaskGroup { group in … try await session.data(for: request) … }"#
    ) { stage in
        let request = Request(url: try stage.url("/get"))
        let startedAt = ContinuousClock.now
        let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask { try await stage.session.data(for: request).status.code == 200 }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let time = startedAt.duration(to: .now)
        try DemoFailure.unless(successes == count, expected: "\(count) responses with 200", got: successes)
        let perSecond = Int(Double(count) / (time / .seconds(1)))
        return "\(count) responses in \(Int(time / .milliseconds(1))) ms, \(perSecond) a second, server included"
    }
}
