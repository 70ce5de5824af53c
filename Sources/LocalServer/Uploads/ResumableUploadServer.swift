import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server of resumable uploads (draft-ietf-httpbis-resumable-upload-12) with scripted faults, and
/// the record of its requests.
///
/// A POST, PUT or PATCH of any path outside `/uploads/` is an upload, resumable where the request
/// offers it. Its response is a 201 with the bytes as a number: `{"length": 7}`.
package final class ResumableUploadServer: RunningServer {
    private let listener: any Channel
    let state: ResumableUploadState

    private init(listener: any Channel, state: ResumableUploadState) {
        self.listener = listener
        self.state = state
    }

    /// Starts a server, runs the body with it and shuts it down, also when the body throws.
    @discardableResult
    package static func run<Result>(
        _ options: Options = Options(),
        _ body: (ResumableUploadServer) async throws -> Result
    ) async throws -> Result {
        try await start(options).use(body)
    }

    /// Starts a server that runs until ``shutdown()``.
    package static func start(_ options: Options = Options()) async throws -> ResumableUploadServer {
        let state = ResumableUploadState(options)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    state.opened(channel)
                    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
                    try channel.pipeline.syncOperations.addHandler(ResumableUploadHandler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return ResumableUploadServer(listener: listener, state: state)
    }

    /// Stops listening and closes every connection.
    package func shutdown() async {
        try? await listener.close().get()
        for channel in state.channels { try? await channel.close().get() }
    }

    /// The URL without a path.
    package var baseURL: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// The requests so far, in the order of their arrival.
    package var requests: [Request] { state.requests }

    /// The uploads so far, in the order of their creation; ordinary ones too.
    package var uploads: [Upload] { state.uploads }

    /// Forgets all upload resources.
    package func forgetUploads() {
        state.forget()
    }

    /// Closes all connections.
    package func closeConnections() {
        for channel in state.channels { channel.close(promise: nil) }
    }

    /// What it does beside what the draft says.
    package struct Options: Sendable {
        /// The interop versions that it knows.
        package var versions: Set<Int> = [6, 8]
        /// Whether a creation gets a 104.
        package var announces = true
        /// The n-th request with a body is cut after so many bytes of it; nil for one that is not.
        package var cuts: [Int?] = []
        /// The n-th request with a body gets no further than so many bytes of it, and no response.
        package var stalls: [Int?] = []
        /// The bytes that a cut request loses, of those that had come.
        package var loses = 0
        /// The limit of one request, `max-append-size`.
        package var mostAtOnce: Int?
        /// The values of `Location`, of a path.
        package var locations: @Sendable (_ path: String) -> [String] = { [$0] }
        /// After so many bytes, a 104 says how many there are; nil for none.
        package var tellsEvery: Int?
        /// The response in place of its own; nil for its own.
        package var answer: @Sendable (Request) -> Answer? = { _ in nil }
        /// The response of a complete upload.
        package var result: @Sendable (Upload) -> Answer = { upload in
            Answer(201, [("Content-Type", "application/json")], "{\"length\": \(upload.bytes.count)}")
        }

        package init() {}

        package init(_ change: (inout Self) -> Void) {
            self.init()
            change(&self)
        }
    }

    /// A response.
    package struct Answer: Sendable {
        package var status: Int
        package var fields: [(name: String, value: String)]
        package var body: String
        /// Whether the connection is closed in place of the response.
        package var isCut = false
        /// Whether there is never a response.
        package var isStalled = false

        package init(_ status: Int, _ fields: [(name: String, value: String)] = [], _ body: String = "") {
            self.status = status
            self.fields = fields
            self.body = body
        }

        /// No response: the connection is closed.
        package static var cut: Answer {
            var answer = Answer(0)
            answer.isCut = true
            return answer
        }

        /// No response, on a connection that stays open.
        package static var stall: Answer {
            var answer = Answer(0)
            answer.isStalled = true
            return answer
        }
    }

    /// A request as its head came.
    package struct Request: Sendable {
        package var method: String
        package var path: String
        package var fields: [(name: String, value: String)]
        /// Its number among those with its method, from 0.
        package var number: Int

        /// The values of the fields with a name, in any case.
        package func values(of name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        /// The first value of the field with a name.
        package func value(of name: String) -> String? { values(of: name).first }
    }

    /// An upload.
    package struct Upload: Sendable {
        package var path: String
        package var method: String
        package var bytes: [UInt8] = []
        package var isComplete = false
        package var length: Int?
        /// The offset and the number of the bytes that each request brought.
        package var pieces: [Piece] = []

        /// What one request brought.
        package struct Piece: Sendable, Equatable {
            package var offset: Int
            package var count: Int

            package init(offset: Int, count: Int) {
                (self.offset, self.count) = (offset, count)
            }
        }
    }
}

/// What the server knows, on all its connections.
final class ResumableUploadState: Sendable {
    private struct State {
        var requests: [ResumableUploadServer.Request] = []
        var uploads: [ResumableUploadServer.Upload] = []
        var forgotten = 0
        var bodies = 0
        var channels: [any Channel] = []
        var active: [Int: any Channel] = [:]
    }

    let options: ResumableUploadServer.Options
    private let state = Mutex(State())

    init(_ options: ResumableUploadServer.Options) {
        self.options = options
    }

    var requests: [ResumableUploadServer.Request] { state.withLock { $0.requests } }
    var uploads: [ResumableUploadServer.Upload] { state.withLock { $0.uploads } }
    var channels: [any Channel] { state.withLock { $0.channels } }

    func opened(_ channel: any Channel) {
        state.withLock { $0.channels.append(channel) }
    }

    func forget() {
        state.withLock { $0.forgotten = $0.uploads.count }
    }

    /// Notes a request; returns it with its number.
    func note(_ request: ResumableUploadServer.Request) -> ResumableUploadServer.Request {
        state.withLock { state in
            var request = request
            request.number = state.requests.count { $0.method == request.method }
            state.requests.append(request)
            return request
        }
    }

    /// The bytes after which the next body is cut, or gets no further; nil where it is not so.
    func nextEnd() -> (cut: Int?, stall: Int?) {
        state.withLock { state in
            defer { state.bodies += 1 }
            func value(_ list: [Int?]) -> Int? { state.bodies < list.count ? list[state.bodies] : nil }
            return (value(options.cuts), value(options.stalls))
        }
    }

    func create(_ upload: ResumableUploadServer.Upload) -> Int {
        state.withLock { state in
            state.uploads.append(upload)
            return state.uploads.count - 1
        }
    }

    /// The number of the upload resource at a path; nil where there is none.
    func find(_ path: String) -> Int? {
        guard path.hasPrefix("/uploads/"), let number = Int(path.dropFirst(9)) else { return nil }
        return state.withLock { $0.uploads.indices.contains(number) && number >= $0.forgotten ? number : nil }
    }

    func remove(_ number: Int) {
        state.withLock { $0.forgotten = max($0.forgotten, number + 1) }
    }

    func upload(_ number: Int) -> ResumableUploadServer.Upload { state.withLock { $0.uploads[number] } }

    func change(_ number: Int, _ change: (inout ResumableUploadServer.Upload) -> Void) {
        state.withLock { change(&$0.uploads[number]) }
    }

    /// Makes a connection the one that sends to an upload, and closes the one before (§4.6).
    func activate(_ number: Int, _ channel: any Channel) {
        let before = state.withLock { state in
            defer { state.active[number] = channel }
            return state.active[number]
        }
        if let before, before !== channel { before.close(promise: nil) }
    }
}
