import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// The hooks of downloads.
@Suite(.timeLimit(.minutes(5)))
struct DownloadHooksTests {
    private static func downloading(
        _ change: (inout SessionHooks) -> Void
    ) -> SessionConfiguration {
        SessionConfiguration { change(&$0.hooks) }
    }

    @Test func `a file goes where the hook wants, and otherwise where its task says`() async throws {
        let bytes = RangeResponses.bytes(100)
        try await withDirectory { directory in
            try await FaultServer.run(.requests { RangeResponses(bytes: bytes).steps($0) }) { server in
                let log = EventLog<String>()
                let moved = directory.appending(path: "moved")
                try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: true)
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidFinishDownloading = { task, location in
                        log.append("\(task.identifier) \((try? Data(contentsOf: location))?.count ?? -1)")
                        switch task.originalRequest.url.lastPathComponent {
                        case "file": return moved.appending(path: "chosen")
                        case "folder": return FolderDestination(moved)
                        default: return nil
                        }
                    }
                }
                try await withSession(configuration) { session in
                    for name in ["file", "folder", "nil"] {
                        let request = try Request(to: server.baseURL + "/" + name)
                        let file = try await session.download(request, to: directory.appending(path: "a"))
                        #expect(try Data(contentsOf: file) == Data(bytes))
                    }
                }
                #expect(try names(in: directory) == ["a", "moved"])
                #expect(try names(in: moved) == ["chosen", "folder"])
                #expect(log.events == ["1 100", "2 100", "3 100"])
            }
        }
    }

    @Test func `a destination of the hook that cannot be used fails the download, which can be continued`() async throws
    {
        let bytes = RangeResponses.bytes(100)
        try await withDirectory { directory in
            try await FaultServer.run(.requests { RangeResponses(bytes: bytes).steps($0) }) { server in
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidFinishDownloading = { _, _ in directory.appending(path: "missing/a") }
                }
                let file = directory.appending(path: "a")
                let request = try Request(to: server.baseURL)
                let error = try await withSession(configuration) { session in
                    try await networkingError { try await session.download(request, to: file) }
                }
                #expect(error.code == .outputFailed)
                let resumeData = try #require(error.resumeData)
                try await withSession(SessionConfiguration()) { session in
                    try await session.download(request, to: file, resuming: resumeData)
                }
                #expect(try Data(contentsOf: file) == Data(bytes))
            }
        }
    }

    @Test func `a download that goes on tells where, and what it writes`() async throws {
        let bytes = RangeResponses.bytes(5_000_000)
        try await withDirectory { directory in
            let script = FaultServer.Script.requests { request in
                let isFirst = request.value(of: "Range") == nil
                return RangeResponses(bytes: bytes, cut: isFirst ? 2_000_000 : nil).steps(request)
            }
            try await FaultServer.run(script) { server in
                let (log, wrote) = (EventLog<String>(), EventLog<[Int]>())
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidResume = { log.append("\($0.identifier) \($1) \($2 ?? -1)") }
                    hooks.downloadTaskDidWriteData = { wrote.append([$0.identifier, $1, $2, $3 ?? -1]) }
                }
                try await withSession(configuration) { session in
                    let (request, file) = (try Request(to: server.baseURL), directory.appending(path: "a"))
                    let error = try await networkingError { try await session.download(request, to: file) }
                    #expect(log.events.isEmpty)
                    let resumeData = try #require(error.resumeData)
                    let kept = resumeData.byteCount
                    try await session.download(request, to: file, resuming: resumeData)
                    #expect(log.events == ["2 \(kept) 5000000"])
                    for (task, start, end) in [(1, 0, kept), (2, kept, 5_000_000)] {
                        let steps = wrote.events.filter { $0[0] == task }
                        var total = start
                        for step in steps {
                            total += step[1]
                            #expect(step[2] == total && step[3] == 5_000_000)
                        }
                        #expect(total == end)
                    }
                }
            }
        }
    }

    @Test func `the requests of a segmented download write in one count`() async throws {
        let size = 20_000_000
        try await withDirectory { directory in
            try await LocalServer.run { server in
                let (wrote, calls) = (EventLog<[Int]>(), EventLog<String>())
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidWriteData = { wrote.append([$1, $2, $3 ?? -1]) }
                    hooks.taskDidComplete = { calls.append("\($0.identifier) \($1?.code.rawValue ?? "nil")") }
                }
                try await withSession(configuration) { session in
                    var request = try Request(to: server.baseURL + "/range/\(size)")
                    request.properties.downloadSegments = 3
                    try await session.download(request, to: directory.appending(path: "a"))
                }
                var total = 0
                for step in wrote.events {
                    total += step[0]
                    #expect(step[1] == total && step[2] == size)
                }
                #expect(total == size && calls.events == ["1 nil"])
            }
        }
    }

    @Test func `requests that wait for a hook may be given up, as those for parts of a file that changed`()
        async throws
    {
        let (gate, calls) = (FaultGate(), Counter())
        var parts = SegmentServer()
        parts.fault = { start in
            guard start == 2 * SegmentServer.piece else { return nil }
            let range = SegmentServer.range(from: start)
            return [
                .hold(gate),
                .send(SegmentServer.head(of: range, SegmentServer.bytes.count, "ETag: \"v2\"\r\n")), .close,
            ]
        }
        try await FaultServer.run(.requests { [parts] in parts.steps($0) }) { server in
            try await withDirectory { directory in
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidWriteData = { _, _, _, _ in
                        if calls.increment() == 1 { try? await Task.sleep(for: .seconds(3600)) }
                    }
                }
                try await withSession(configuration) { session in
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: try SegmentServer.request(server, 3), to: file)
                    task.resume()
                    try await until("the hook waits") { calls.value == 1 }
                    // Two of the requests have written something, of which one waits for its turn.
                    try await until("all are sent") { server.requests.count == 3 }
                    _ = try await settled { task.currentProgress.download.completed }
                    gate.open()
                    let saved = try await task.value
                    #expect(try Data(contentsOf: saved) == Data(SegmentServer.bytes))
                }
            }
        }
    }

    @Test func `a hook that is slow holds back the download, and stops with it`() async throws {
        try await withDirectory { directory in
            let (gate, calls) = (Gate(), Counter())
            defer { gate.open() }
            let size = 64 << 20
            let script: FaultServer.Script = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .fill(0x61, count: size),
            ]
            try await FaultServer.run(script) { server in
                let configuration = Self.downloading { hooks in
                    hooks.downloadTaskDidWriteData = { _, _, _, _ in
                        calls.increment()
                        await gate.wait()
                    }
                }
                try await withSession(configuration) { session in
                    let request = try Request(to: server.baseURL)
                    let task = session.downloadTask(for: request, to: directory.appending(path: "a"))
                    task.resume()
                    try await until("the hook waits") { calls.value == 1 }
                    let sent = try await settled { server.connections.first?.bytesSent ?? 0 }
                    #expect(sent < size)
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .cancelled && calls.value == 1)
                    #expect(try names(in: directory) == [])
                }
            }
        }
    }

    @Test func `a download to a device tells what it writes`() async throws {
        try await LocalServer.run { server in
            let log = EventLog<String>()
            let configuration = Self.downloading { hooks in
                hooks.downloadTaskDidWriteData = { _, count, total, expected in
                    log.append("\(count) \(total) \(expected ?? -1)")
                }
                hooks.downloadTaskDidFinishDownloading = { _, _ in
                    Issue.record("there is no file to move")
                    return nil
                }
            }
            try await withSession(configuration) { session in
                let request = try Request(to: server.baseURL + "/range/1000")
                try await session.download(request, to: URL(filePath: "/dev/null"))
            }
            #expect(log.events.last?.hasPrefix("1000 1000") == true)
        }
    }
}
