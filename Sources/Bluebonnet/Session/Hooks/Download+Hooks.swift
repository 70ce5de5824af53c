import FoundationEssentials
import Synchronization

/// The hooks of a download.
extension Download {
    /// Tells that the server continues the download.
    func tellResumption(at offset: Int, of length: Int?, _ context: ExchangeContext) async throws {
        guard let hook = hooks?.hooks.downloadTaskDidResume, let (lane, task) = lane(context) else { return }
        try await lane.call(in: context) { await hook(task, offset, length) }
    }

    /// Tells of bytes that were written behind those that were there; nil where no hook wants to
    /// know.
    func tellWriting(
        from start: Int,
        of length: Int?,
        _ context: ExchangeContext
    ) -> (@Sendable (Int) async throws -> Void)? {
        guard let hook = hooks?.hooks.downloadTaskDidWriteData, let (lane, task) = lane(context) else { return nil }
        let total = WrittenBytes(start)
        return { count in
            // Counted when it is its turn: several requests may write at once.
            try await lane.call(in: context) { await hook(task, count, total.add(count), length) }
        }
    }

    /// The destination that the hook wants for a file that is complete; nil for that of the task.
    func chosenTarget(
        _ partial: PartialFile,
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> PartialFile.Target? {
        guard let hook = hooks?.hooks.downloadTaskDidFinishDownloading, let (lane, task) = lane(context) else {
            return nil
        }
        let location = URL(filePath: partial.file.path, directoryHint: .notDirectory)
        guard let destination = try await lane.call(in: context, { await hook(task, location) }) else { return nil }
        let head = partial.record?.fields.completing(response.head) ?? response.head
        let wanted = try destination.target(for: head, request: response.request)
        return try await BlockingThreads.files.run {
            let target = try PartialFile.Target(wanted)
            try target.check()
            guard !target.isSpecial else {
                throw NetworkingError(.outputFailed, "\(target.path) is not a regular file: no file is moved there.")
            }
            return target
        }
    }

    private func lane(_ context: ExchangeContext) -> (HookLane, DownloadTask)? {
        guard let lane = context.call.hooks, let task = context.call.presented as? DownloadTask else { return nil }
        return (lane, task)
    }
}

/// The bytes of a file that was written, by several requests perhaps.
private final class WrittenBytes: Sendable {
    private let total: Atomic<Int>

    init(_ count: Int) {
        total = Atomic(count)
    }

    /// Adds bytes, and returns how many there are.
    func add(_ count: Int) -> Int {
        total.add(count, ordering: .relaxed).newValue
    }
}
