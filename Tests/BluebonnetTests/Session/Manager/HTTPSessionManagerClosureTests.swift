import BluebonnetTesting
import Dispatch
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The verbs with closures. Every closure checks that it runs on the queue that was set.
@Suite(.timeLimit(.minutes(5)))
struct HTTPSessionManagerClosureTests {
    private typealias Success = @Sendable (DataTask<JSONValue>, JSONValue) -> Void
    private typealias Failure = @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void

    private enum Outcome: Sendable {
        case success(DataTask<JSONValue>, JSONValue)
        case failure(DataTask<JSONValue>?, NetworkingError)

        var value: JSONValue? {
            if case .success(_, let value) = self { value } else { nil }
        }

        var error: NetworkingError? {
            if case .failure(_, let error) = self { error } else { nil }
        }

        var task: DataTask<JSONValue>? {
            switch self {
            case .success(let task, _): task
            case .failure(let task, _): task
            }
        }
    }

    private let queue = DispatchQueue(label: "closure tests")

    /// The outcome that the called closure gets; a second call would trap.
    private func outcome(_ start: (@escaping Success, @escaping Failure) -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let queue = queue
            start(
                { task, value in
                    dispatchPrecondition(condition: .onQueue(queue))
                    continuation.resume(returning: .success(task, value))
                },
                { task, error in
                    dispatchPrecondition(condition: .onQueue(queue))
                    continuation.resume(returning: .failure(task, error))
                }
            )
        }
    }

    /// A manager that runs closures on the queue.
    private func api(_ session: SessionManager, baseURL: String = "http://example.com/") -> HTTPSessionManager {
        var api = HTTPSessionManager(baseURL: URL(string: baseURL), session: session)
        api.completionQueue = queue
        return api
    }

    @Test func `the success closure gets the started task and the value`() async throws {
        try await withSession(transport: StubTransport { _ in .json(["a": 1]) }) { session in
            let api = api(session)
            var started: DataTask<JSONValue>?
            let outcome = await outcome { success, failure in
                started = api.get("x", parameters: ["page": 2], success: success, failure: failure)
            }
            #expect(outcome.value == ["a": 1])
            let task = try #require(outcome.task)
            #expect(started === task)
            #expect(task.state == .completed)
            #expect(task.originalRequest.url.absoluteString == "http://example.com/x?page=2")
            #expect(task.head?.status == .ok)
        }
    }

    @Test func `every verb with closures sends its method`() async throws {
        try await LocalServer.run { server in
            await withSession { session in
                let api = api(session, baseURL: server.baseURL)
                let form: Parameters = ["a": 1]
                let outcomes = [
                    await outcome { api.get("anything", success: $0, failure: $1) },
                    await outcome { api.post("anything", parameters: form, success: $0, failure: $1) },
                    await outcome { api.put("anything", parameters: form, success: $0, failure: $1) },
                    await outcome { api.patch("anything", parameters: form, success: $0, failure: $1) },
                    await outcome { api.delete("anything", success: $0, failure: $1) },
                ]
                let methods = outcomes.map { $0.value?["method"]?.string }
                #expect(methods == ["GET", "POST", "PUT", "PATCH", "DELETE"])
                let forms = outcomes.map { $0.value?["form"] ?? .null }
                let sent: JSONValue = ["a": "1"]
                #expect(forms == [[:], sent, sent, sent, [:]])
            }
        }
    }

    @Test func `the success closure of head gets the task with the response head`() async throws {
        try await LocalServer.run { server in
            await withSession { session in
                let api = api(session, baseURL: server.baseURL)
                let task = await withCheckedContinuation { continuation in
                    api.head("get") { task in continuation.resume(returning: task) }
                }
                #expect(task.head?.status == .ok)
                #expect(task.originalRequest.method == .head)
            }
        }
    }

    @Test func `the failure closure gets the task and the error`() async throws {
        let transport = StubTransport { _ in .json(["reason": "no"], status: .forbidden) }
        await withSession(transport: transport) { session in
            let api = api(session)
            let outcome = await outcome { api.get("x", success: $0, failure: $1) }
            #expect(outcome.error?.code == .unacceptableStatusCode)
            #expect(outcome.error?.parsedBody as? JSONValue == ["reason": "no"])
            #expect(outcome.task?.state == .completed)
        }
    }

    @Test func `the failure closure gets no task for a request that cannot be serialized`() async throws {
        let transport = StubTransport { _ in .json([:]) }
        await withSession(transport: transport) { session in
            let api = api(session)
            var hasTask = true
            let outcome = await outcome { success, failure in
                hasTask = api.post("x", parameters: Parameters("no keys"), success: success, failure: failure) != nil
            }
            #expect(outcome.error?.code == .requestSerializationFailed)
            #expect(outcome.task == nil)
            #expect(!hasTask)
            #expect(transport.requests.isEmpty)
        }
    }

    @Test func `cancelling the task that is returned calls the failure closure`() async throws {
        let transport = StubTransport { _ in StubResponse.json([:]).delayed(by: .seconds(3600)) }
        await withSession(transport: transport) { session in
            let api = api(session)
            let outcome = await outcome { success, failure in
                api.get("x", success: success, failure: failure)?.cancel()
            }
            #expect(outcome.error?.code == .cancelled)
            #expect(outcome.task?.state == .completed)
        }
    }

    @Test func `the progress closure runs on the completion queue before the success closure`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let api = api(session, baseURL: server.baseURL)
                let queue = queue
                let (steps, continuation) = AsyncStream.makeStream(of: TaskProgress.self)
                let outcome = await outcome { success, failure in
                    api.get(
                        "json",
                        progress: { step in
                            dispatchPrecondition(condition: .onQueue(queue))
                            continuation.yield(step)
                        },
                        success: success,
                        failure: failure
                    )
                }
                continuation.finish()
                let body = try #require(outcome.value)
                var last: TaskProgress?
                for await step in steps { last = step }
                #expect(body["slideshow"] != nil)
                #expect(last?.fractionCompleted == 1)
            }
        }
    }

    @Test func `the response serializer of the manager makes the value`() async throws {
        let transport = StubTransport { _ in .json(["a": nil, "b": 1]) }
        await withSession(transport: transport) { session in
            let first = api(session)
            var second = first
            second.responseSerializer = JSONResponseSerializer(removesKeysWithNullValues: true)
            let kept = await outcome { first.get("x", success: $0, failure: $1) }
            let removed = await outcome { second.get("x", success: $0, failure: $1) }
            #expect(kept.value == ["a": nil, "b": 1])
            #expect(removed.value == ["b": 1])
        }
    }
}
