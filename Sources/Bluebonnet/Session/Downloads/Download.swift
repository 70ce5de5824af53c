import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// A download as its task knows it: where it goes, what it continues, and which responses it takes.
struct Download: Sendable {
    /// The most bytes of the body of a refused response that its error carries.
    private static let errorBodyLimit = 65_536

    let destination: any DownloadDestination
    let resumeData: ResumeData?
    let validations: [ResponseValidation]
    /// Whether what was received is kept when the task is cancelled.
    let keepsWhenCancelled = Flag()

    /// A flag that can be set once.
    final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    /// The file of the download, and the version that is in it.
    private struct Progress {
        var partial: PartialFile
        var length: Int?
        /// Nil when the rest cannot be asked for later.
        var validator: ResumeData.Validator?
    }

    private let threads = BlockingThreads.files

    /// Runs the download.
    ///
    /// - Parameters:
    ///   - context: The context of the call.
    ///   - begin: Begins the call.
    ///   - send: Sends a request, and returns with the head of its response.
    /// - Returns: The last response, its body read, and the file.
    /// - Throws: The error with ``NetworkingError/resumeData``.
    func run(
        _ context: ExchangeContext,
        begin: () throws -> Void,
        send: (Request) async throws -> TransportResponse
    ) async throws(NetworkingError) -> (TransportResponse, URL) {
        var progress: Progress?
        do {
            try begin()
            progress = try await continued()
            return try await run(context, &progress, send)
        } catch {
            throw await ended(error, context.call, progress)
        }
    }

    private func run(
        _ context: ExchangeContext,
        _ progress: inout Progress?,
        _ send: (Request) async throws -> TransportResponse
    ) async throws -> (TransportResponse, URL) {
        let call = context.call
        var decided: PartialFile.Target?
        while true {
            let beginning = try await beginning(progress)
            call.continue(at: beginning?.count ?? 0, length: beginning?.length)
            let request = request(call.originalRequest, beginning)
            let response: TransportResponse
            do { response = try await send(request) } catch { throw NetworkingError.wrapping(error) }
            let step = DownloadStep(response.head, to: call.originalRequest, continuing: beginning)
            switch step {
            case .restart:
                await response.body.discard()
                try await start(&progress)
                continue
            case .refuse(let message):
                throw NetworkingError(
                    .unexpectedContentRange,
                    message,
                    request: response.request,
                    response: response.head
                )
            case .complete:
                await response.body.discard()
                guard let known = progress else { continue }
                let target = try await target(of: response, &decided)
                guard !target.isSpecial else {
                    try await start(&progress)
                    continue
                }
                return (response, try await commit(known, to: target, call))
            case .write(let position, let length):
                let response = try await response.accepted(by: validations, errorBodyLimit: Self.errorBodyLimit)
                let target = try await target(of: response, &decided)
                if beginning != nil { call.receives(from: position, length: length) }
                guard !target.isSpecial else {
                    // It gets the whole body as it comes, not the rest of a file.
                    try await start(&progress)
                    guard position == 0 else {
                        await response.body.discard()
                        continue
                    }
                    let file = URL(filePath: target.path, directoryHint: .notDirectory)
                    try await response.body.write(to: file)
                    if let partial = progress?.partial {
                        try await threads.runEvenIfCancelled { partial.file.remove() }
                    }
                    return (response, file)
                }
                let writing = try await prepared(progress, target, response, position, length)
                // Before anything can fail: what was made is removed or kept.
                progress = writing
                let count = try await write(response, to: writing, context)
                // What follows a part of a whole of unknown length shows only in the next response.
                let isWhole = length.map { $0 == count } ?? (position == 0)
                if isWhole { return (response, try await commit(writing, to: target, call)) }
                // The server may send less than the rest (RFC 9110 §15.3.7).
                guard writing.validator != nil, count > position, count < length ?? .max else {
                    throw NetworkingError(
                        .truncatedResponse,
                        "The file has \(count) of \(length ?? 0) bytes.",
                        request: response.request,
                        response: response.head
                    )
                }
            }
        }
    }

    // MARK: The request

    /// What the next request continues; nil when it asks for the whole.
    private func beginning(_ progress: Progress?) async throws -> DownloadStep.Beginning? {
        guard let progress, let validator = progress.validator else { return nil }
        let count = try await threads.run { try progress.partial.count() }
        guard count > 0 else { return nil }
        return DownloadStep.Beginning(count: count, length: progress.length, validator: validator)
    }

    /// The request for the whole, or for what is missing if the version is still the same (RFC 9110
    /// §13.1.5).
    ///
    /// Content coding is not wanted, from the first request on: a range is one of the encoded bytes
    /// (§14.1.2), and a server that encodes while it sends cannot continue.
    private func request(_ original: Request, _ beginning: DownloadStep.Beginning?) -> Request {
        var request = original
        if !request.headerFields.contains(.acceptEncoding) { request.headerFields[.acceptEncoding] = "identity" }
        guard let beginning else { return request }
        request.headerFields[.range] = "bytes=\(beginning.count)-"
        request.headerFields[.ifRange] = beginning.validator.text
        return request
    }

    // MARK: The file

    /// The file of an earlier download.
    private func continued() async throws -> Progress? {
        guard let resumeData else { return nil }
        let partial = try await threads.run { try PartialFile(continuing: resumeData) }
        return partial.map {
            Progress(partial: $0, length: resumeData.totalByteCount, validator: resumeData.validator)
        }
    }

    /// Forgets what was received.
    private func start(_ progress: inout Progress?) async throws {
        guard let partial = progress?.partial else { return }
        try await threads.run { try partial.file.truncate(to: 0) }
        progress?.length = nil
        progress?.validator = nil
    }

    /// The target, which the destination decides once.
    private func target(
        of response: TransportResponse,
        _ decided: inout PartialFile.Target?
    ) async throws -> PartialFile.Target {
        if let decided { return decided }
        let wanted = try destination.target(for: response.head, request: response.request)
        let target = try await threads.run {
            let target = try PartialFile.Target(wanted)
            try target.check()
            return target
        }
        decided = target
        return target
    }

    /// The file, ready for a body that begins at a position.
    private func prepared(
        _ progress: Progress?,
        _ target: PartialFile.Target,
        _ response: TransportResponse,
        _ position: Int,
        _ length: Int?
    ) async throws -> Progress {
        let known = progress?.partial
        let partial = try await threads.run {
            let partial = try known ?? PartialFile(for: target)
            try partial.file.truncate(to: position)
            return partial
        }
        // What the server encoded cannot be continued, nor a part that the user asked for.
        let isWhole = response.statusCode == 200 || position > 0
        let isResumable = isWhole && !response.head.hasContentEncoding && response.head[.acceptRanges] != "none"
        let validator = isResumable ? ResumeData.Validator(response.head) : nil
        return Progress(
            partial: partial,
            length: length,
            validator: position > 0 ? validator ?? progress?.validator : validator
        )
    }

    /// Writes a body behind what is there, and returns the size of the file.
    private func write(
        _ response: TransportResponse,
        to progress: Progress,
        _ context: ExchangeContext
    ) async throws -> Int {
        let (body, partial) = (response.body, progress.partial)
        if let length = progress.length { try await threads.run { try partial.file.reserve(length) } }
        do {
            if body.comesFromSequence {
                try await StoppableCall.run(for: response.request, context, .elsewhere) {
                    _ = try await body.write(to: FileOutput(partial.file))
                }
            } else {
                try await body.write(to: FileOutput(partial.file))
            }
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
        return try await threads.run { try partial.count() }
    }

    private func commit(_ progress: Progress, to target: PartialFile.Target, _ call: Call) async throws -> URL {
        if let error = call.error { throw error }
        let path = try await threads.run { try progress.partial.commit(to: target) }
        return URL(filePath: path, directoryHint: .notDirectory)
    }

    // MARK: The end

    /// Keeps or removes what was received.
    ///
    /// - Returns: The error for the user.
    private func ended(_ error: any Error, _ call: Call, _ progress: Progress?) async -> NetworkingError {
        var error = call.error ?? FileOutput.failure(error, of: "The download")
        let isWanted = !error.isCancelled && !Task.isCancelled || keepsWhenCancelled.isSet
        guard let progress else {
            error.resumeData = isWanted ? resumeData : nil
            return error
        }
        let url = call.originalRequest.url
        let kept = try? await threads.runEvenIfCancelled { () -> ResumeData? in
            // Who gets the error may continue at once, when threads still hold the file.
            defer { progress.partial.file.release() }
            // It may have its final name already, or have been removed by somebody.
            guard progress.partial.file.hasItsName else { return nil }
            let count = try progress.partial.count()
            guard isWanted, count > 0, count <= progress.length ?? .max, let validator = progress.validator else {
                progress.partial.file.remove()
                return nil
            }
            // Gives back what was reserved.
            try progress.partial.file.truncate(to: count)
            return ResumeData(
                url: url,
                partialFile: URL(filePath: progress.partial.file.path, directoryHint: .notDirectory),
                byteCount: count,
                totalByteCount: progress.length,
                validator: validator
            )
        }
        error.resumeData = kept ?? nil
        return error
    }
}
