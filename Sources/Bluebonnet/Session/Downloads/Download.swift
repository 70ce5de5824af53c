import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// A download as its task knows it: where it goes, what it continues, and which responses it takes.
struct Download: Sendable {
    /// The most bytes of the body of a refused response that its error carries.
    private static let errorBodyLimit = 65_536

    /// The URL of the request.
    let url: URL
    let destination: any DownloadDestination
    let resumeData: ResumeData?
    let checksum: Checksum?
    let validations: [ResponseValidation]
    /// Its transfer in the journal of the session. Default: none.
    var transfer: JournaledTransfer?
    /// The hooks of the session. Default: none.
    var hooks: SessionHooks.Calls?
    /// The response that another task has begun. Default: none.
    var begun: BegunResponse?
    /// Whether what was received is kept when the task is cancelled.
    let keepsWhenCancelled = Flag()

    /// A flag that can be set once.
    final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    /// The file of the download. Its record says which version is in it.
    private struct Progress {
        var partial: PartialFile
        /// Whether the bytes are not to be continued. They stay until others replace them.
        var isRefused = false
        /// Whether the bytes are not those that the server meant to send.
        var isBroken = false
    }

    private let threads = BlockingThreads.files

    /// Runs the download.
    ///
    /// - Parameters:
    ///   - context: The context of the call.
    ///   - begin: Begins the call.
    ///   - send: Sends a request, and returns with the head of its response.
    ///   - sendPart: Does the same for a part of the file, beside the others.
    /// - Returns: The last response, its body read, and the file.
    /// - Throws: The error with ``NetworkingError/resumeData``.
    func run(
        _ context: ExchangeContext,
        begin: () async throws -> Void,
        send: (Request) async throws -> TransportResponse,
        sendPart: @escaping SegmentedDownload.Send
    ) async throws(NetworkingError) -> (TransportResponse, URL) {
        var progress: Progress?
        do {
            try await begin()
            try await transfer?.start()
            let digests = try DownloadDigests(checksum)
            progress = try await continued()
            if let partial = progress?.partial, !digests.isEmpty {
                // Not while a server waits.
                let count = try await threads.run { try partial.beginning() }
                try await digests.catchUp(partial.file, to: count, context)
            }
            return try await run(context, &progress, digests, send, sendPart)
        } catch {
            throw await ended(error, context.call, progress)
        }
    }

    private func run(
        _ context: ExchangeContext,
        _ progress: inout Progress?,
        _ digests: DownloadDigests,
        _ send: (Request) async throws -> TransportResponse,
        _ sendPart: @escaping SegmentedDownload.Send
    ) async throws -> (TransportResponse, URL) {
        let call = context.call
        var decided: PartialFile.Target?
        var segments = Self.segments(of: call.originalRequest)
        while true {
            let beginning = try await beginning(progress)
            let part = part(progress, beginning, segments)
            let received = try await received(progress, beginning)
            call.continue(at: received, length: beginning?.length)
            let start = part?.lowerBound ?? beginning?.count
            let request = call.originalRequest.asking(from: start, to: part?.upperBound, of: beginning?.validator)
            var response: TransportResponse
            do { response = try await send(request) } catch { throw NetworkingError.wrapping(error) }
            let step: DownloadStep
            if part != nil, beginning == nil, [206, 416].contains(response.statusCode) {
                guard let first = DownloadStep(firstPart: response.head) else {
                    // This server sends the whole, or none of its parts can be put together.
                    await response.body.discard()
                    segments = 1
                    continue
                }
                step = first
            } else {
                step = DownloadStep(response.head, to: call.originalRequest, continuing: beginning)
            }
            switch step {
            case .restart:
                await response.body.discard()
                // Until the whole comes, nothing is better than what is there.
                progress?.isRefused = true
            case .refuse(let message):
                throw NetworkingError(
                    .unexpectedContentRange,
                    message,
                    request: response.request,
                    response: response.head
                )
            case .complete:
                await response.body.discard()
                guard let partial = progress?.partial else { continue }
                let head = partial.record?.fields.completing(response.head) ?? response.head
                let target = try await target(of: response, as: head, &decided)
                guard !target.isSpecial else {
                    progress?.isRefused = true
                    continue
                }
                try await verify(&progress, digests, isWhole: true, response, context)
                return (response, try await commit(partial, to: target, response, context))
            case .write(let position, let length):
                let isPart = part != nil && response.statusCode == 206
                let isContinued = beginning != nil && response.statusCode == 206
                let fields = isContinued ? progress?.partial.record?.fields : nil
                let head = fields?.completing(response.head) ?? response.head
                try await accept(&response, as: head)
                let target = try await target(of: response, as: head, &decided)
                guard !target.isSpecial else {
                    // It gets the whole body as it comes, not the rest of a file.
                    guard position == 0, !isPart else {
                        await response.body.discard()
                        progress?.isRefused = true
                        segments = 1
                        continue
                    }
                    if beginning != nil { call.receives(from: position, length: length) }
                    let file = try await write(response, toSpecial: target, digests, context)
                    if let partial = progress?.partial { try await threads.runEvenIfCancelled { partial.remove() } }
                    progress = nil
                    try digests.verify()
                    return (response, file)
                }
                if isPart, let length {
                    let partial = try await preparedForParts(progress, target, response, length, continues: beginning)
                    progress = Progress(partial: partial)
                    transfer?.note(partial)
                    digests.expectWhole(response, isNew: beginning == nil)
                    call.receivesInParts(after: received, length: length)
                    if beginning != nil { try await tellResumption(at: received, of: length, context) }
                    let didWrite = tellWriting(from: received, of: length, context)
                    guard try await fetchParts(partial, segments, context, response, sendPart, didWrite) else {
                        progress?.isRefused = true
                        segments = 1
                        continue
                    }
                    try await verify(&progress, digests, isWhole: true, response, context)
                    return (response, try await commit(partial, to: target, response, context))
                }
                if beginning != nil { call.receives(from: position, length: length) }
                // Before anything can fail: what was made is removed or kept.
                let partial = try await prepared(progress?.partial, target, response, position, length)
                progress = Progress(partial: partial)
                transfer?.note(partial)
                digests.expect(response, at: position)
                let known = partial.record?.length
                if position > 0 { try await tellResumption(at: position, of: known, context) }
                let count = try await write(response, to: partial, digests, position, known, context)
                // What follows a part of a whole of unknown length shows only in the next response.
                let isWhole = known.map { $0 == count } ?? (position == 0)
                try await verify(&progress, digests, isWhole: isWhole, response, context)
                if isWhole { return (response, try await commit(partial, to: target, response, context)) }
                // The server may send less than the rest (RFC 9110 §15.3.7), but no less than was
                // there.
                let isMore = count > (beginning?.count ?? position)
                guard partial.record?.validator != nil, isMore, count < known ?? .max else {
                    throw NetworkingError(
                        .truncatedResponse,
                        "The file has \(count) of \(known ?? 0) bytes.",
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
        guard let progress, !progress.isRefused, let record = progress.partial.record, let validator = record.validator
        else { return nil }
        let count = try await threads.run { try progress.partial.beginning() }
        guard count > 0 || record.missing != nil else { return nil }
        return DownloadStep.Beginning(count: count, length: record.length, validator: validator)
    }

    /// The number of requests at once that a request allows.
    private static func segments(of request: Request) -> Int {
        guard request.method == .get, !request.headerFields.contains(.range) else { return 1 }
        return min(max(1, request.properties.downloadSegments ?? 1), DownloadSegments.mostRequests)
    }

    /// The part that the next request asks for; nil where it asks for all of the rest.
    private func part(_ progress: Progress?, _ beginning: DownloadStep.Beginning?, _ segments: Int) -> Range<Int>? {
        let first = 0..<DownloadSegments.firstPiece
        guard beginning != nil else { return segments > 1 ? first : nil }
        return progress?.partial.record?.missing?.first.map { $0.prefix(first.count) }.map {
            $0.startIndex..<$0.endIndex
        }
    }

    /// The number of bytes that the next request adds to.
    private func received(_ progress: Progress?, _ beginning: DownloadStep.Beginning?) async throws -> Int {
        guard let beginning else { return 0 }
        guard let partial = progress?.partial, partial.record?.missing != nil else { return beginning.count }
        return try await threads.run { try partial.count() }
    }

    // MARK: The response

    /// Checks a response before its body is written; one with an empty body, where that makes it
    /// acceptable, gets this body.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - head: Its head, with what a response with a part leaves out (RFC 9110 §15.3.7).
    /// - Throws: ``NetworkingError`` for one that is not acceptable.
    private func accept(_ response: inout TransportResponse, as head: ResponseHead) async throws {
        var whole = response
        whole.head = head
        response.body = try await whole.accepted(by: validations, errorBodyLimit: Self.errorBodyLimit).body
    }

    // MARK: The file

    /// The file of an earlier download.
    private func continued() async throws -> Progress? {
        guard resumeData != nil || transfer != nil else { return nil }
        return try await threads.run {
            try knownResumeData().flatMap { try PartialFile(continuing: $0) }
        }.map { Progress(partial: $0) }
    }

    /// What continues it: what an earlier process has left is newer than what that one was given.
    /// Blocks.
    func knownResumeData() -> ResumeData? {
        transfer?.resumeData(for: url) ?? resumeData
    }

    /// The target, which the destination decides once.
    private func target(
        of response: TransportResponse,
        as head: ResponseHead,
        _ decided: inout PartialFile.Target?
    ) async throws -> PartialFile.Target {
        if let decided { return decided }
        let wanted = try destination.target(for: head, request: response.request)
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
        _ known: PartialFile?,
        _ target: PartialFile.Target,
        _ response: TransportResponse,
        _ position: Int,
        _ length: Int?
    ) async throws -> PartialFile {
        let head = response.head
        // What the server encoded cannot be continued, nor a part that the user asked for.
        let isWhole = response.statusCode == 200 || position > 0
        let isResumable = isWhole && !head.hasContentEncoding && head[.acceptRanges] != "none"
        let validator = isResumable ? ResumeData.Validator(head) : nil
        return try await threads.run { [url] in
            let partial = try known ?? PartialFile(for: target, from: url)
            if position > 0, var record = partial.record {
                // Whoever continues the file after a crash knows the URL of now only.
                record.resource = DownloadRecord.digest(of: url)
                record.length = length
                record.validator = validator ?? record.validator
                try partial.continue(at: position, record)
            } else {
                let fields = RepresentationFields(head)
                try partial.begin(DownloadRecord(url: url, length: length, validator: validator, fields: fields))
            }
            return partial
        }
    }

    /// The file, ready for the parts of a whole: as it is where the request continued it, and
    /// otherwise empty.
    private func preparedForParts(
        _ known: Progress?,
        _ target: PartialFile.Target,
        _ response: TransportResponse,
        _ length: Int,
        continues beginning: DownloadStep.Beginning?
    ) async throws -> PartialFile {
        let (head, partial) = (response.head, known?.partial)
        return try await threads.run { [url] in
            if beginning != nil, let partial {
                try partial.note(url)
                return partial
            }
            let partial = try partial ?? PartialFile(for: target, from: url)
            let (fields, validator) = (RepresentationFields(head), ResumeData.Validator(head))
            var record = DownloadRecord(url: url, length: length, validator: validator, fields: fields)
            record.missing = [0..<length]
            try partial.begin(record)
            return partial
        }
    }

    /// Fetches what is missing of a file, of which the response has the first part; false where the
    /// whole has to be asked for.
    private func fetchParts(
        _ partial: PartialFile,
        _ count: Int,
        _ context: ExchangeContext,
        _ response: TransportResponse,
        _ send: @escaping SegmentedDownload.Send,
        _ didWrite: (@Sendable (Int) async throws -> Void)?
    ) async throws -> Bool {
        let download = SegmentedDownload(partial, count: count, context: context, didWrite: didWrite, send: send)
        guard let download, partial.token != nil else {
            // The file cannot say what is missing of it.
            await response.body.discard()
            return false
        }
        try await threads.run { try partial.checkRoom() }
        do {
            try await download.run(response)
            return true
        } catch is SegmentedDownload.Changed {
            return false
        }
    }

    /// Writes a body from a position on, and returns the size of the file.
    private func write(
        _ response: TransportResponse,
        to partial: PartialFile,
        _ digests: DownloadDigests,
        _ position: Int,
        _ length: Int?,
        _ context: ExchangeContext
    ) async throws -> Int {
        // A part of the file is no longer than its Content-Range says (RFC 9110 §15.3.7.1).
        let range = position > 0 ? response.head[.contentRange].flatMap { ContentRange($0) } : nil
        let end: Int? = if case .part(let part, _) = range { part.upperBound } else { nil }
        let writer = try await threads.run {
            try PartialFileWriter(partial, at: position, length: length, end: end)
        }
        let isHashed = !digests.isEmpty
        var output = FileOutput { blocks, _ in
            let position = try writer.write(blocks)
            if isHashed { digests.update(blocks, at: position) }
        }
        output.didWrite = tellWriting(from: position, of: length, context)
        let result: Result<Void, any Error>
        do {
            result = .success(try await response.writeBody(to: output, context))
        } catch {
            result = .failure(error)
        }
        // A source that does not end when it is stopped writes no more.
        await writer.close()
        try result.get()
        return try await threads.run { try partial.count() }
    }

    private func verify(
        _ progress: inout Progress?,
        _ digests: DownloadDigests,
        isWhole: Bool,
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws {
        guard let partial = progress?.partial, !digests.isEmpty else { return }
        do {
            let count = try await threads.run { try partial.count() }
            try await digests.verify(partial.file, upTo: count, isWhole: isWhole, context)
        } catch let error as NetworkingError where error.code == .digestMismatch {
            progress?.isBroken = true
            throw error.completed(request: response.request, response: response.head)
        }
    }

    private func commit(
        _ partial: PartialFile,
        to target: PartialFile.Target,
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> URL {
        let target = try await chosenTarget(partial, response, context) ?? target
        let call = context.call
        do {
            return try await commit(partial, nil, to: target, response, call)
        } catch let failure as SystemFile.Failure where failure.isBetweenDisks {
            let copy = try await threads.run { try partial.copy(for: target) }
            do {
                return try await commit(partial, copy, to: target, response, call)
            } catch {
                try? await threads.runEvenIfCancelled { copy.remove() }
                throw error
            }
        }
    }

    private func commit(
        _ partial: PartialFile,
        _ copy: SystemFile?,
        to target: PartialFile.Target,
        _ response: TransportResponse,
        _ call: Call
    ) async throws -> URL {
        await transfer?.willCommit(copy ?? partial.file, to: target, response.head)
        if let error = call.error { throw error }
        let path = try await threads.run { try partial.commit(to: target, copy) }
        return URL(filePath: path, directoryHint: .notDirectory)
    }

    // MARK: The end

    /// Keeps or removes what was received.
    ///
    /// - Returns: The error for the user.
    private func ended(_ error: any Error, _ call: Call, _ progress: Progress?) async -> NetworkingError {
        var error = call.error ?? FileOutput.failure(error, of: "The download")
        // The next session goes on with what the end of this one has stopped.
        let isInterrupted = transfer != nil && error.code == .sessionInvalidated
        let isWanted = !error.isCancelled && !Task.isCancelled || keepsWhenCancelled.isSet || isInterrupted
        guard let progress else {
            error.resumeData = isWanted ? resumeData : nil
            if !isWanted { try? await threads.runEvenIfCancelled { removePartialFile() } }
            return error
        }
        let kept = try? await threads.runEvenIfCancelled {
            let kept = isWanted && !progress.isBroken ? try? resumeData(keeping: progress.partial) : nil
            if kept == nil { progress.partial.remove() }
            return kept
        }
        error.resumeData = kept ?? nil
        return error
    }

    /// What continues a file, which is forced to the disk; nil when it cannot be continued. Blocks.
    private func resumeData(keeping partial: PartialFile) throws -> ResumeData? {
        // It may have been removed by somebody.
        guard partial.file.hasItsName, let record = partial.record, let validator = record.validator else { return nil }
        let received = try partial.count()
        guard received > 0, received <= record.length ?? .max else { return nil }
        let count = try partial.keep()
        return ResumeData(
            url: url,
            partialFile: URL(filePath: partial.file.path, directoryHint: .notDirectory),
            byteCount: count,
            totalByteCount: record.length,
            validator: validator,
            token: partial.token,
            fields: record.fields
        )
    }

    /// Removes the file that the download was to continue, unless the next session continues it.
    /// Blocks.
    func removePartialFile() {
        guard !(transfer?.isLeft ?? false), let resumeData = knownResumeData() else { return }
        try? PartialFile(continuing: resumeData)?.remove()
    }
}
