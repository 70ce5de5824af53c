import Foundation
import LocalServer
import Testing

/// The memory of `batch` while nobody reads its results.
@Suite(.timeLimit(.minutes(10))) struct BatchMemoryTests {
    private static let lines = 800
    private static let size = 256 << 10
    /// The results that may wait: of 64 MiB.
    private static let mostWaiting = (64 << 20) / size

    @Test(arguments: [[], ["--ordered"]])
    func `a reader that does not read stops the requests, and the memory stays bounded`(
        options: [String]
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n"
        let script = FaultServer.Script.requests { _ in
            [.send(head), .fill(UInt8(ascii: "a"), count: Self.size)]
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { folder in
                let input = String(repeating: #"{"url":"\#(server.baseURL)/"}"# + "\n", count: Self.lines)
                try Data(input.utf8).write(to: folder.appending(path: "lines"))
                let process = Command.process(["batch", "lines"] + options)
                process.currentDirectoryURL = folder
                let output = Pipe()
                process.standardOutput = output
                let status = try process.start()
                // When enough responses wait, no other request is sent, however long the reader
                // waits: two seconds without one show that.
                var (count, peak) = (0, 0)
                var unchangedSince = ContinuousClock.now
                while count < Self.mostWaiting || unchangedSince.duration(to: .now) < .seconds(2) {
                    try #require(process.isRunning)
                    try await Task.sleep(for: .milliseconds(20))
                    peak = max(peak, try process.ownMemory)
                    guard server.requests.count > count else { continue }
                    count = server.requests.count
                    unchangedSince = .now
                }
                #expect(count < Self.mostWaiting + 100)
                #expect(peak < 150_000_000, "\(peak)")
                var results = 0
                while case let text = await output.nextText(), !text.isEmpty {
                    results += text.utf8.count { $0 == UInt8(ascii: "\n") }
                }
                #expect(results == Self.lines)
                #expect(await status.value == 0)
            }
        }
    }
}
