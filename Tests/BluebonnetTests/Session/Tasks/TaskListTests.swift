import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A session lists its tasks by their kind.
@Suite(.timeLimit(.minutes(3)))
struct TaskListTests {
    private struct Kinds: Equatable {
        var data: [Int]
        var upload: [Int]
        var download: [Int]
        var stream: [Int]

        init(_ session: SessionManager) {
            data = session.dataTasks.map(\.identifier)
            upload = session.uploadTasks.map(\.identifier)
            download = session.downloadTasks.map(\.identifier)
            stream = session.streamTasks.map(\.identifier)
        }

        init(data: [Int] = [], upload: [Int] = [], download: [Int] = [], stream: [Int] = []) {
            (self.data, self.upload, self.download, self.stream) = (data, upload, download, stream)
        }
    }

    @Test func `tasks that were not started are listed by their kind, for as long as they are referenced`() throws {
        let session = SessionManager()
        let api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
        let request = try Request(to: "http://example.com/")
        let file = URL(filePath: "/tmp/never")
        do {
            let tasks: [any SessionTask] = [
                session.dataTask(for: request),
                session.uploadTask(for: request),
                session.downloadTask(for: request, to: file),
                session.streamTask(for: request),
                try api.streamTask(.get, "a"),
                try api.downloadTask(.get, "a", to: file),
                try api.uploadTask("a", from: .text("a"), as: .json),
                try api.dataTask(.post, "a", body: .text("a"), as: .json),
            ]
            let numbers = tasks.map(\.identifier)
            #expect(
                Kinds(session)
                    == Kinds(
                        data: [numbers[0], numbers[7]],
                        upload: [numbers[1], numbers[6]],
                        download: [numbers[2], numbers[5]],
                        stream: [numbers[3], numbers[4]]
                    )
            )
            #expect(session.tasks.map(\.identifier) == numbers)
            #expect(session.tasks.allSatisfy { $0.state == .suspended })
        }
        #expect(Kinds(session) == Kinds() && session.tasks.isEmpty && session.core.rememberedTasks == 0)
    }

    @Test func `calls that are awaited are listed by their verb`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1"), .hold(gate), .send("2")]
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { directory in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "file")
                    async let data: Data = api.get("data")
                    async let posted: Data = api.post("posted", body: .text("a"))
                    async let uploaded: Data = api.upload("uploaded", from: .text("a"))
                    async let downloaded = api.download("downloaded", to: file)
                    async let streamed = api.stream("streamed").collect()
                    try await server.waitForRequests(5)
                    let targets = { (tasks: [any SessionTask]) in
                        tasks.map { $0.originalRequest.url.lastPathComponent }.sorted()
                    }
                    #expect(targets(api.session.dataTasks) == ["data", "posted"])
                    #expect(targets(api.session.uploadTasks) == ["uploaded"])
                    #expect(targets(api.session.downloadTasks) == ["downloaded"])
                    #expect(targets(api.session.streamTasks) == ["streamed"])
                    #expect(api.session.tasks.count == 5)
                    gate.open()
                    let values = try await [data, posted, uploaded, streamed]
                    #expect(values.allSatisfy { $0 == Data("12".utf8) })
                    _ = try await downloaded
                    try await until("no task is left") { api.session.tasks.isEmpty }
                    #expect(Kinds(api.session) == Kinds())
                }
            }
        }
    }
}
