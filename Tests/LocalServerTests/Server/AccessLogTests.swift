import LocalServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessLogTests {
    private final class Log: Sendable {
        let records: AsyncStream<AccessRecord>
        let record: AsyncStream<AccessRecord>.Continuation

        init() {
            (records, record) = AsyncStream.makeStream()
        }
    }

    @Test func `the log has a record for each request, with the bytes of its body`() async throws {
        let log = Log()
        try await LocalServer.run(LocalServer.Options(log: { log.record.yield($0) })) { server in
            let bytes = try await RawResponse.fetch("/bytes/1000?seed=1", from: server)
            #expect(bytes.body.count == 1000)
            let missing = try await RawResponse.fetch("/status/404", method: "POST", from: server)
            #expect(missing.status == 404)
        }
        log.record.finish()
        var records: [AccessRecord] = []
        // The request with which the server ends is not one of them.
        for await record in log.records { records.append(record) }
        #expect(records.map(\.method) == ["GET", "POST"])
        #expect(records.map(\.target) == ["/bytes/1000?seed=1", "/status/404"])
        #expect(records.map(\.status) == [200, 404])
        #expect(records.map(\.bytes) == [1000, 0])
        #expect(records.allSatisfy { $0.version == "HTTP/1.1" && $0.origin == "127.0.0.1" && !$0.isCut })
    }

    @Test func `a response that is cut off is marked`() async throws {
        let log = Log()
        try await LocalServer.run(LocalServer.Options(log: { log.record.yield($0) })) { server in
            _ = try await RawResponse.fetch("/fault/truncate/5", from: server)
        }
        let record = await log.records.first { $0.target == "/fault/truncate/5" }
        #expect(record?.isCut == true)
        #expect(record?.bytes == 5)
    }
}
