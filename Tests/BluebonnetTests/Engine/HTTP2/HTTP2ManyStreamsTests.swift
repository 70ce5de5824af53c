import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// As many streams at once as a large server allows.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2ManyStreamsTests {
    @Test func `ten thousand streams are open at once on one connection`() async {
        // In another process, where no other test takes memory.
        await #expect(processExitsWith: .success) {
            let count = 10_000
            let gate = FaultGate()
            let script = HTTP2FaultServer.Script.heads { request in
                // The first request brings the settings.
                request.path == "/first" ? [.respond()] : [.hold(gate), .respond()]
            }
            let options = HTTP2FaultServer.Options(settings: [.maxConcurrentStreams: UInt32(count)])
            let configuration = SessionConfiguration.http2 {
                $0.maximumConnectionsPerHost = 1
                // On a busy machine it takes long until all of them are there.
                $0.timeouts = Timeouts(waiting: nil, firstByte: nil, betweenBytes: nil)
                // The server is in this process, and may be busy longer than one on the network.
                $0.healthTimes.silence = .minutes(10)
                $0.healthTimes.patience = .minutes(10)
            }
            try await HTTP2FaultServer.run(script, options: options) { server in
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/first"))
                    let before = try peakMemory()
                    let task = Task { await bodies(of: count, in: session) { _ in try Request(to: server.baseURL) } }
                    try await server.waitForHeads(1 + count, timeout: .seconds(240))
                    gate.open()
                    for result in await task.value { #expect(try result.get() == "") }
                    // Those of the server and of its record are in the same process.
                    let growth = try peakMemory() - before
                    #expect(growth < 200 << 20, "the process grew by \(growth) bytes")
                }
                #expect(server.connections.count == 1)
                #expect(Set(server.requests.map(\.stream)).count == 1 + count)
            }
        }
    }
}
