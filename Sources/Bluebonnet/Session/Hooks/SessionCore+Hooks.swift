import FoundationEssentials
import NIOCore

/// The hooks that are called while a task runs. None of this runs in a session without hooks.
extension SessionCore {
    /// Calls the first hook of a task: for one that another task became, the hook that hands it
    /// out.
    @inline(never)
    func tellBeginning(_ call: Call, _ context: ExchangeContext, _ begun: BegunResponse? = nil) async throws {
        guard let hooks = hookCalls?.hooks, let lane = call.hooks else { return }
        lane.begin(context)
        let task = call.presented
        guard let begun else {
            if let hook = hooks.sessionDidCreateTask { try await lane.call(in: context) { await hook(task) } }
            return lane.beginTellingSent(context)
        }
        if let hook = hooks.dataTaskDidBecomeDownload, let task = task as? DownloadTask {
            try await lane.call(in: context) { await hook(begun.dataTask, task) }
        }
        if let hook = hooks.dataTaskDidBecomeStream, let task = task as? StreamTask {
            try await lane.call(in: context) { await hook(begun.dataTask, task) }
        }
        lane.beginTellingSent(context, after: begun.lane)
        begun.present()
    }

    /// Asks the hook what becomes of the response to a data task.
    ///
    /// - Returns: The response, whose body the hook for data gets.
    /// - Throws: The error of the task where the response is not its own any more.
    @inline(never)
    func told(_ response: TransportResponse, _ call: Call, _ context: ExchangeContext) async throws -> TransportResponse
    {
        guard let hooks = hookCalls?.hooks, let lane = call.hooks else { return response }
        call.note(response)
        let task = call.presented
        if let hook = hooks.dataTaskDidReceiveResponse {
            let head = response.head
            let disposition = try await lane.call(in: context) { await hook(task, head) }
            let error: NetworkingError
            switch disposition.kind {
            case .allow: return observed(response, task, context)
            case .cancel:
                error = NetworkingError(.cancelled, "\(response.request) was cancelled when its response came.")
            case .becomeDownload(let destination):
                try await becomeDownload(response, to: destination, context)
                error = NetworkingError(.becameDownload, "\(response.request) became a download.")
            case .becomeStream:
                try await becomeStream(response, context)
                error = NetworkingError(.becameStream, "\(response.request) became a stream.")
            }
            throw error.completed(request: response.request, response: head)
        }
        return observed(response, task, context)
    }

    /// The response with a body whose pieces the hook gets.
    private func observed(
        _ response: TransportResponse,
        _ task: any SessionTask,
        _ context: ExchangeContext
    ) -> TransportResponse {
        guard let hook = hookCalls?.hooks.dataTaskDidReceiveData else { return response }
        var response = response
        response.body = response.body.transformed { ToldPieces(context) { await hook(task, $0) } }
        return response
    }

    // MARK: Other tasks

    private func becomeDownload(
        _ response: TransportResponse,
        to destination: any DownloadDestination,
        _ context: ExchangeContext
    ) async throws {
        let request = context.call.originalRequest
        let begun = BegunResponse(response, in: context)
        var download = Download(
            url: request.url,
            destination: destination,
            resumeData: nil,
            checksum: nil,
            validations: []
        )
        download.begun = begun
        let task = DownloadTask(request, session: self, download)
        try await become(task, task.core.call, begun, context.call)
    }

    private func becomeStream(_ response: TransportResponse, _ context: ExchangeContext) async throws {
        guard let manager else {
            throw NetworkingError(.sessionInvalidated, "The session was released while the request was under way.")
        }
        let begun = BegunResponse(response, in: context)
        let task = StreamTask(context.call.originalRequest, session: manager, validations: [], begun: begun)
        try await become(task, task.core.call, begun, context.call)
    }

    /// Has the new task run in place of the old one, and returns when the hook has it.
    private func become(
        _ task: any SessionTask,
        _ new: Call,
        _ begun: BegunResponse,
        _ old: Call
    ) async throws(NetworkingError) {
        try old.handOver(to: new)
        old.hooks?.close()
        task.resume()
        await begun.waitUntilPresented()
    }
}

/// Calls a hook with each piece of a body before the piece goes on.
private final class ToldPieces: BodyTransform {
    private let context: ExchangeContext
    private let hook: @Sendable (Data) async -> Void
    private var piece: ByteBuffer?

    init(_ context: ExchangeContext, _ hook: @escaping @Sendable (Data) async -> Void) {
        self.context = context
        self.hook = hook
    }

    func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    func next() async throws(NetworkingError) -> ByteBuffer? {
        guard let piece else { return nil }
        self.piece = nil
        // A copy, because the reader may write into the piece.
        let data = Data(piece.readableBytesView)
        do {
            try await context.call.hooks?.call(in: context) { [hook] in await hook(data) }
        } catch {
            throw NetworkingError.wrapping(error)
        }
        return piece
    }

    func finish() {}
}
