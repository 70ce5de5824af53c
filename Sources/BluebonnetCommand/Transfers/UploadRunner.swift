import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Sends files, and shows the responses.
struct UploadRunner: Sendable {
    let session: SessionManager
    let items: [UploadItem]
    let display: TransferDisplay
    let printer: BodyPrinter

    /// Sends all files.
    ///
    /// - Parameter jobs: The most uploads at once.
    /// - Returns: The exit status.
    /// - Throws: Nothing but the cancellation of the drawing.
    func run(jobs: Int) async throws -> ExitStatus {
        // One response after another is written whole.
        let (responses, received) = AsyncStream.makeStream(of: Response<Data>.self)
        async let printing: Void = write(responses)
        defer { received.finish() }
        let status = try await display.show {
            await TransferRunner(count: items.count, jobs: jobs).run { number in
                await upload(number, received)
            }
        }
        received.finish()
        await printing
        return status
    }

    private func upload(_ number: Int, _ received: AsyncStream<Response<Data>>.Continuation) async -> ExitStatus {
        let item = items[number]
        let task = session.uploadTask(for: item.request.request)
        display.begin(number, name: item.name, subject: item.name) { (task.currentProgress.upload, false) }
        switch await task.result {
        case .success(let response):
            let isKept = item.request.keepHeaders()
            let status = ExitStatus(statusCode: response.head.status.code)
            if status == .success {
                let size = task.currentProgress.upload.completed
                let interruptions = Self.interruptions(task.metrics)
                display.succeed(number, name: item.name, subject: item.name, size: size, interruptions: interruptions)
            } else {
                display.fail(number, subject: item.name, CommandFailure(response.head))
            }
            received.yield(response)
            return status == .success && !isKept ? .transport : status
        case .failure(let error):
            guard !Task.isCancelled || !error.isCancelled else {
                display.interrupt(number)
                return .transport
            }
            display.fail(number, subject: item.name, CommandFailure(error))
            return ExitStatus(error)
        }
    }

    /// The number of times that the upload was continued.
    private static func interruptions(_ metrics: TaskMetrics?) -> Int {
        metrics?.transactions.count { $0.request.headerFields[.contentType] == "application/partial-upload" } ?? 0
    }

    private func write(_ responses: AsyncStream<Response<Data>>) async {
        for await response in responses {
            let type = response.head.mediaType
            // A body in memory is read without an error.
            let contentType = response.head[.contentType]
            let outcome = try? await printer.print(.data(response.body), contentType: contentType)
            guard outcome == .withheld else { continue }
            let advice = "bluebonnet: A response is binary (\(type ?? "no type given")) and is not shown on a terminal."
            StandardStream.error.write(line: ShownText.harmless(advice))
        }
    }
}
