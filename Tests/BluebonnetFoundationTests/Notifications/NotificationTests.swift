import Bluebonnet
import BluebonnetFoundation
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// The notifications of a session, with AFNetworking's names.
@Suite(.timeLimit(.minutes(5)))
struct NotificationTests {
    private static let names: [Notification.Name] = [
        .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete, .downloadTaskDidMoveFile,
        .downloadTaskDidFailToMoveFile, .sessionDidInvalidate,
    ]

    private enum Serializer: Sendable {
        case string, json, other
    }

    /// What a test looks at of a notification.
    private struct Seen: Sendable {
        var name: String
        var task: Int?
        var data: Data?
        var value: String?
        var serializer: Serializer?
        var file: URL?
        var code: Int?
        var requests: Int?
        var isOnQueue: Bool
    }

    /// Collects the notifications of a center of its own.
    private final class Observer: Sendable {
        let queue = DispatchQueue(label: "notifications")
        let center = NotificationCenter()
        private let key = DispatchSpecificKey<Bool>()
        private let storage = Mutex<[Seen]>([])

        var seen: [Seen] { storage.withLock(\.self) }
        var names: [String] { seen.map { String($0.name.split(separator: ".").last ?? "") } }

        init() {
            queue.setSpecific(key: key, value: true)
            for name in NotificationTests.names {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
                    self?.note(note)
                }
            }
        }

        private func note(_ note: Notification) {
            let info = note.userInfo ?? [:]
            let seen = Seen(
                name: note.name.rawValue,
                task: (note.object as? any SessionTask)?.identifier,
                data: info[NetworkingUserInfoKey.responseData] as? Data,
                value: text(info[NetworkingUserInfoKey.serializedResponse]),
                serializer: info[NetworkingUserInfoKey.responseSerializer].map { serializer in
                    switch serializer {
                    case is StringResponseSerializer: .string
                    case is JSONResponseSerializer: .json
                    default: .other
                    }
                },
                file: info[NetworkingUserInfoKey.assetPath] as? URL,
                code: (info[NetworkingUserInfoKey.error] as? NSError)?.code,
                requests: (info[NetworkingUserInfoKey.sessionTaskMetrics] as? TaskMetrics)?.transactionCount,
                isOnQueue: DispatchQueue.getSpecific(key: key) == true
            )
            storage.withLock { $0.append(seen) }
        }

        private func text(_ value: Any?) -> String? {
            switch value {
            case let file as URL: file.path
            case let json as JSONValue: json["message"]?.string
            default: value as? String
            }
        }
    }

    @Test func `a task posts its resume, suspension and completion with data and value, in order`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "hello")]) { server in
            let observer = Observer()
            try await withSession { session in
                session.postNotifications(to: observer.center, on: observer.queue)
                let task = session.dataTask(for: try Request(to: server.baseURL), as: .string)
                task.resume()
                try await server.waitForRequests(1)
                task.suspend()
                task.resume()
                gate.open()
                _ = try await task.value
                try await until("the end is posted") { observer.names.contains("complete") }
                let end = try #require(observer.seen.last)
                #expect(observer.names == ["resume", "suspend", "resume", "complete"])
                #expect(observer.seen.allSatisfy { $0.task == task.identifier && $0.isOnQueue })
                #expect(end.requests == 1)
                #expect(end.serializer == .string)
                #expect(end.data == Data("hello".utf8) && end.value == "hello" && end.code == nil && end.file == nil)
            }
            try await until("the end of the session is posted") { observer.names.last == "invalidate" }
        }
    }

    @Test func `a failed task posts its error as AFNetworking numbered it, with the body`() async throws {
        try await FaultServer.run([.readRequest, .respond(404, body: "gone")]) { server in
            let observer = Observer()
            try await withSession { session in
                session.postNotifications(to: observer.center, on: observer.queue)
                _ = try? await session.response(for: try Request(to: server.baseURL), as: .string)
                try await until("the end is posted") { observer.names.contains("complete") }
                let end = try #require(observer.seen.last)
                #expect(end.code == -1011 && end.data == Data("gone".utf8))
            }
        }
    }

    @Test func `a failed task posts its parsed body as the value`() async throws {
        let fields = [("Content-Type", "application/json")]
        try await FaultServer.run([.readRequest, .respond(404, headers: fields, body: #"{"message":"gone"}"#)]) {
            server in
            let observer = Observer()
            try await withSession { session in
                session.postNotifications(to: observer.center, on: observer.queue)
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                _ = try await networkingError { try await api.get("a", as: .json) }
                try await until("the end is posted") { observer.names.contains("complete") }
                let end = try #require(observer.seen.last)
                #expect(end.code == -1011 && end.value == "gone")
            }
        }
    }

    @Test func `a call of a manager posts the serializer that it named`() async throws {
        try await FaultServer.run(
            .requests { _ in [.respond(headers: [("Content-Type", "application/json")], body: "[1]")] }
        ) { server in
            let observer = Observer()
            try await withSession { session in
                session.postNotifications(to: observer.center, on: observer.queue)
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                _ = try await api.get("a", as: .string)
                _ = try await api.response(.get, "b", as: .json)
                let task = try api.dataTask(.get, "c", as: .string)
                _ = try await task.value
                _ = try await session.dataTask(for: try Request(to: server.baseURL)).value
                try await until("the ends are posted") { observer.names.count { $0 == "complete" } == 4 }
                let ends = observer.seen.filter { $0.name.hasSuffix("complete") }
                #expect(ends.map(\.serializer) == [.string, .json, .string, nil])
            }
        }
    }

    @Test func `a download posts its file before its completion`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "contents")] }) { server in
            try await withDirectory { folder in
                let observer = Observer()
                try await withSession { session in
                    session.postNotifications(to: observer.center, on: observer.queue)
                    let (file, missing) = (folder.appending(path: "a"), folder.appending(path: "none/b"))
                    let task = session.downloadTask(for: try Request(to: server.baseURL), to: file)
                    _ = try await task.value
                    try await until("the end is posted") { observer.names.contains("complete") }
                    #expect(observer.names == ["resume", "file-manager-succeed", "complete"])
                    #expect(observer.seen.last?.file?.path == file.path && observer.seen.last?.data == nil)
                    #expect(observer.seen.last?.value == file.path)
                    let failing = session.downloadTask(for: try Request(to: server.baseURL), to: missing)
                    _ = await failing.result
                    try await until("the other end is posted") { observer.names.count == 6 }
                    #expect(observer.names.suffix(3) == ["resume", "file-manager-error", "complete"])
                }
            }
        }
    }

    @Test func `none of five thousand notifications is lost, and none comes after the stop`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { server in
            let observer = Observer()
            try await withSession { session in
                let posts = session.postNotifications(to: observer.center, on: observer.queue)
                observer.queue.suspend()
                let request = try Request(to: server.baseURL)
                for _ in 0..<2500 { _ = try await session.data(for: request) }
                observer.queue.resume()
                try await until("all are posted") { observer.seen.count == 5000 }
                posts.stop()
                _ = try await session.data(for: request)
            }
            observer.queue.sync {}
            #expect(observer.seen.count == 5000)
        }
    }
}
