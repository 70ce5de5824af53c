import FoundationEssentials
import NIOCore

/// The run of a task that a journal knows.
extension SessionCore {
    /// Sends the body of a request, and parses the response, unless an earlier process has received
    /// it. Cancelling the Swift task cancels the run.
    ///
    /// When this throws, the task is complete.
    func upload<Output: Sendable>(
        _ call: Call,
        _ transfer: JournaledTransfer,
        isLengthy: Bool,
        _ serialize: @escaping UploadTask<Output>.Serialize
    ) async throws(NetworkingError) -> Response<Output> {
        if let known = try await result(of: transfer, call) {
            return try await parsed(known.response, call, isLengthy: isLengthy, serialize)
        }
        let received = try await receive(call, transfer)
        await transfer.finish(TransferResult(received))
        // It may have been stopped meanwhile.
        if let error = call.error { await transfer.fail(error) }
        return try await parsed(received, call, isLengthy: isLengthy, serialize)
    }

    /// The result that an earlier process has left; nil where there is none.
    ///
    /// When this throws, the task is complete.
    func result(
        of transfer: JournaledTransfer?,
        _ call: Call
    ) async throws(NetworkingError) -> (response: ReceivedResponse, file: String?)? {
        guard let transfer, transfer.isRestored else { return nil }
        do {
            guard let known = try await BlockingThreads.files.run({ try transfer.knownResult() }) else { return nil }
            call.begin(at: .now())
            try begin(call)
            if call.hooks != nil {
                // Without a deadline: it is over already, and must not fail for a slow hook.
                try await tellBeginning(call, ExchangeContext(call: call, end: nil, collectsBody: false))
            }
            return (try known.response(to: call), known.file)
        } catch {
            let failure = call.failed(error, nil)
            if failure.isCancelled { transfer.forget() }
            await call.hooks?.settle(call)
            throw failure
        }
    }

    /// Completes a download whose file an earlier process has received.
    func downloaded(
        _ known: (response: ReceivedResponse, file: String?),
        _ call: Call
    ) async throws(NetworkingError) -> Response<URL> {
        let file = URL(filePath: known.file ?? "", directoryHint: .notDirectory)
        let response = known.response.transport
        do throws(NetworkingError) {
            try call.complete(nil, response, CallResult(head: response.head, value: file, file: file))
        } catch {
            throw await failed(call, error)
        }
        await call.hooks?.settle(call)
        return Response(value: file, known.response)
    }
}
