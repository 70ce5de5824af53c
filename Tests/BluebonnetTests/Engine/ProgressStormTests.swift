import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// What is told of each change of the counts runs inside the connection, and may cancel, suspend,
/// resume and start tasks there.
@Suite(.timeLimit(.minutes(5)))
struct ProgressStormTests {
    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) } }
    private static let large = pattern(3_000_000)

    private static let script = FaultServer.Script.requests { request in
        let words = request.target.split(separator: "/").compactMap { Int($0) }
        let isRight = request.body == Array(large.prefix(words[1]))
        return [.respond(isRight ? 200 : 500, bytes: Array(large.prefix(words[0])))]
    }

    private static func body(_ kind: Int, _ size: Int) -> RequestBody? {
        guard size > 0 else { return nil }
        let bytes = Array(large.prefix(size))
        switch kind {
        case 0: return .data(Data(bytes))
        case 1:
            return .stream {
                AsyncStream<[UInt8]> { continuation in
                    for start in stride(from: 0, to: size, by: 50_000) {
                        continuation.yield(Array(bytes[start..<min(size, start + 50_000)]))
                    }
                    continuation.finish()
                }
            }
        default: return .data(Data(bytes))
        }
    }

    @Test(arguments: [false, true])
    func `observers that suspend, resume or cancel their task inside the connection break nothing`(
        overTLS: Bool
    )
        async throws
    {
        let certificates = try TestCertificates.shared()
        let tls = overTLS ? ServerTLS(certificates.localhost) : nil
        let configuration = SessionConfiguration { configuration in
            configuration.tls.trustRoots = .pem(certificates.authority.certificatePEM)
            configuration.maximumConnectionsPerHost = 3
            configuration.timeouts = Timeouts(request: .seconds(25), continueWait: .milliseconds(5))
        }
        var all: [String: Int] = [:]
        try await FaultServer.run(Self.script, options: .init(tls: tls)) { server in
            try await withEngine(configuration) { session, engine in
                let next = Counter()
                try await withThrowingTaskGroup(of: [String].self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            var words: [String] = []
                            while case let number = next.increment(), number <= 240 {
                                words.append(try await one(number, server.baseURL, session))
                            }
                            return words
                        }
                    }
                    for try await words in group { for word in words { all[word, default: 0] += 1 } }
                }
                try await until("no task is left") { session.tasks.isEmpty }
                try await until("nothing waits") { engine.waitingExchanges == 0 && engine.attempts == 0 }
                #expect(engine.openConnections <= 3)
            }
        }
        #expect(all.keys.sorted() == ["cancelled", "right"], "\(all)")
    }

    private func one(_ number: Int, _ url: String, _ session: SessionManager) async throws -> String {
        var generator = SeededGenerator(seed: UInt64(number))
        let sizes = [0, 10, 5000, 100_000, 3_000_000]
        let (down, up) = (
            sizes[Int.random(in: 0..<sizes.count, using: &generator)],
            sizes[Int.random(in: 0..<sizes.count, using: &generator)]
        )
        let kind = Int.random(in: 0..<2, using: &generator)
        var request = try Request(up > 0 ? .put : .get, to: "\(url)/\(down)/\(up)", body: Self.body(kind, up))
        request.expectsContinue = Bool.random(using: &generator)
        let task = session.dataTask(for: request)
        let action = Int.random(in: 0..<7, using: &generator)
        let moment = Int.random(in: 1..<12, using: &generator)
        let small = try Request(to: "\(url)/10/0")
        let notices = Counter()
        task.core.call.observe { [weak task] counts in
            guard let counts else { return }
            let count = notices.increment()
            guard let task else { return }
            switch action {
            case 0: if count == moment { task.cancel() }
            case 1: if count == moment { task.suspend(); task.resume() }
            case 2:
                guard count == moment else { return }
                task.suspend()
                Task { task.resume() }
            case 3: if count <= 3 { session.dataTask(for: small).resume() }
            case 4: task.suspend(); task.resume()
            case 5:
                if counts.received > 0, counts.received == counts.expectedToReceive {
                    task.cancel()
                }
            default: break
            }
        }
        do {
            let response = try await task.response
            guard response.status.code == 200 else { return "wrong upload" }
            return response.value == Data(Self.large.prefix(down)) ? "right" : "wrong body"
        } catch {
            return "\(error.code)"
        }
    }
}
