import Bluebonnet
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Downloads files.
struct DownloadRunner: Sendable {
    let items: [DownloadItem]
    /// The session of each item.
    let sessions: [SessionManager]
    let options: DownloadOptions
    let display: TransferDisplay
    /// Whether a file that is there, and is not the one that is wanted, is replaced.
    private let replacesOthers: Bool
    /// Whether errors name the options of `download`.
    private let namesOptions: Bool

    /// What a partial file has behind the name of its file.
    static let partialSuffix = ".bluebonnet"

    /// The files that are kept for `--continue` after an interruption.
    private let kept = Counter()
    /// The files of this run.
    private let names = Names()
    /// The partial files that it continues.
    private let partialNames = Names()

    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func increase() { count.withLock { $0 += 1 } }
    }

    private final class Names: Sendable {
        private let paths = Mutex<Set<String>>([])

        /// Notes a file; false when another download of this run has it.
        func claim(_ file: URL) -> Bool {
            paths.withLock { $0.insert(file.path(percentEncoded: false)).inserted }
        }
    }

    /// A file that was there before, whole as far as its size tells.
    private struct AlreadyThere: Error {
        var file: URL
        var size: Int
    }

    init(
        items: [DownloadItem],
        sessions: [SessionManager],
        options: DownloadOptions,
        isQuiet: Bool,
        replacesOthers: Bool = false,
        namesOptions: Bool = true
    ) {
        self.sessions = sessions
        self.replacesOthers = replacesOthers
        self.namesOptions = namesOptions
        self.items = items
        self.options = options
        let isShownElsewhere = options.writesToOutput && StandardStream.output.isTerminal
        display = TransferDisplay(count: items.count, isQuiet: isQuiet || isShownElsewhere)
    }

    /// Downloads all files. Cancelling the Swift task keeps what was received, and says so.
    ///
    /// - Parameter jobs: The most downloads at once.
    /// - Returns: The exit status.
    /// - Throws: Nothing but the cancellation of the drawing.
    func run(jobs: Int) async throws -> ExitStatus {
        let partial = options.continues ? partialFiles : []
        let status = try await display.show {
            await TransferRunner(count: items.count, jobs: jobs).run { number in
                options.writesToOutput ? await write(number) : await download(number, partial)
            }
        }
        if Task.isCancelled, !options.writesToOutput { tellOfInterruption() }
        return status
    }

    private func tellOfInterruption() {
        let count = kept.value
        let partial =
            count == 0 ? "no partial file is kept" : "\(count) \(count == 1 ? "is" : "are") kept for --continue"
        let several = "\(display.succeeded) of \(items.count) files are complete, \(partial)"
        let one = count == 0 ? partial : "the partial file is kept for --continue"
        StandardStream.error.write(line: "bluebonnet: Interrupted: \(items.count > 1 ? several : one).")
    }

    // MARK: To a file

    private func download(_ number: Int, _ partial: [URL]) async -> ExitStatus {
        let item = items[number]
        let resumeData = options.continues ? resumeData(for: item, partial) : nil
        let task = sessions[number].downloadTask(
            for: item.request.request,
            to: destination(number),
            resuming: resumeData,
            checksum: item.checksum
        )
        display.begin(number, name: item.expectedName, subject: item.shownURL, from: resumeData?.byteCount ?? 0) {
            (task.currentProgress.download, task.head == nil)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                task.whenComplete { continuation.resume(returning: $0) }
                task.resume()
            }
        } onCancel: {
            Task { await task.cancelProducingResumeData() }
        }
        switch result {
        case .success(let response):
            let size = task.currentProgress.download.completed
            display.succeed(number, name: shown(response.value), subject: item.shownURL, size: size)
            return item.request.keepHeaders() ? .success : .transport
        case .failure(let error):
            let isKept = error.response == nil || item.request.keepHeaders()
            let status = await end(number, error)
            return status == .success && !isKept ? .transport : status
        }
    }

    private func end(_ number: Int, _ error: NetworkingError) async -> ExitStatus {
        let item = items[number]
        if let found = error.underlying as? AlreadyThere {
            do {
                guard try await item.checksum?.matches(fileAt: found.file.path(percentEncoded: false)) ?? true else {
                    let name = shown(found.file)
                    let failure = CommandFailure(
                        message: "\(name) has another digest. With --overwrite it is replaced.",
                        status: .transport,
                        code: NetworkingError.Code.digestMismatch.rawValue
                    )
                    display.fail(number, subject: item.shownURL, failure)
                    return .transport
                }
            } catch {
                guard !Task.isCancelled else {
                    display.interrupt(number)
                    return .transport
                }
                display.fail(number, subject: item.shownURL, CommandFailure(message: "\(error)", status: .transport))
                return .transport
            }
            display.succeed(number, name: shown(found.file), subject: item.shownURL, size: found.size, wasThere: true)
            return .success
        }
        guard !Task.isCancelled || !error.isCancelled else {
            if let data = error.resumeData, DownloadFailure.isFound(data) { kept.increase() }
            display.interrupt(number)
            return .transport
        }
        display.fail(number, subject: item.shownURL, DownloadFailure.failure(for: error, namesOptions: namesOptions))
        return ExitStatus(error)
    }

    private func destination(_ number: Int) -> DecidedDestination {
        let item = items[number]
        let isSpecial = item.file.map { FileKind(path: $0.path(percentEncoded: false)) == .special } ?? false
        let targetOptions = isSpecial ? [] : replacesOthers ? .createDirectories : options.targetOptions
        return DecidedDestination { [options, display, names] head, request in
            let name = head.suggestedFileName(for: request.url)
            let file = item.file ?? options.folder.appending(path: name, directoryHint: .notDirectory)
            if !options.unique, !isSpecial {
                // What the other one has received, or will, is not to be lost.
                guard names.claim(file) else {
                    throw NetworkingError(
                        .outputFailed,
                        "Another URL of this call has the file name “\(file.lastPathComponent)” too; with --unique each gets its own."
                    )
                }
                if options.continues, !options.overwrite, let size = Self.size(ofWhole: file, head, item) {
                    throw AlreadyThere(file: file, size: size)
                }
            }
            display.rename(number, to: file.lastPathComponent)
            return DownloadTarget(file, options: targetOptions)
        }
    }

    /// The size of a file that was there before. It is not taken for the one that is wanted where
    /// its size is another. With a checksum the size of a file is not known from it, so that only
    /// its digest tells.
    private static func size(ofWhole file: URL, _ head: ResponseHead, _ item: DownloadItem) -> Int? {
        let path = file.path(percentEncoded: false)
        guard let size = SystemFile.size(ofFile: path) else { return nil }
        return item.checksum != nil || head.lengthOfWhole == size ? size : nil
    }

    /// The path as the user would write it.
    private func shown(_ file: URL) -> String {
        let path = file.path(percentEncoded: false)
        let folder = DownloadOptions.currentFolder.path(percentEncoded: false)
        return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }

    // MARK: Earlier runs

    /// The files of which there is only a part.
    private var partialFiles: [URL] {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: options.folder.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasSuffix(Self.partialSuffix) }.sorted().map {
            let name = String($0.dropLast(Self.partialSuffix.count))
            return options.folder.appending(path: name, directoryHint: .notDirectory)
        }
    }

    /// What an earlier run has of a file. The name that the server suggests may be another one than
    /// the URL has; so every partial file is asked whether it belongs to the URL. Where the URL is
    /// in this run twice, one of the two gets it.
    private func resumeData(for item: DownloadItem, _ partial: [URL]) -> ResumeData? {
        let files = item.file.map { [$0] } ?? partial
        return files.lazy.compactMap { ResumeData(continuing: $0, from: item.request.request.url) }
            .first { partialNames.claim($0.partialFile) }
    }

    // MARK: To standard output

    private func write(_ number: Int) async -> ExitStatus {
        let item = items[number]
        let session = sessions[number]
        display.begin(number, name: item.expectedName, subject: item.shownURL) {
            session.tasks.first.map { ($0.currentProgress.download, $0.head == nil) }
        }
        do {
            let response = try await session.open(item.request.request)
            let isKept = item.request.keepHeaders()
            guard response.head.status.kind == .successful else {
                let failure = CommandFailure(response.head)
                display.fail(number, subject: item.shownURL, failure)
                return failure.status
            }
            let size = try await write(response.body)
            // Output that cannot be written has been told.
            guard !Task.isCancelled else {
                display.interrupt(number)
                return .transport
            }
            display.succeed(number, name: "standard output", subject: item.shownURL, size: size)
            return isKept ? .success : .transport
        } catch let error as NetworkingError {
            guard !Task.isCancelled else { return .transport }
            display.fail(number, subject: item.shownURL, DownloadFailure.failure(for: error))
            return ExitStatus(error)
        } catch {
            // The library throws only `NetworkingError`.
            display.fail(number, subject: item.shownURL, CommandFailure(message: "\(error)", status: .transport))
            return .transport
        }
    }

    /// Writes a body, not on the thread of its caller: standard output may be a pipe that is full.
    @concurrent
    private func write(_ body: ResponseBody) async throws -> Int {
        var size = 0
        var shown = StandardStream.output.isTerminal ? TerminalText() : nil
        for try await piece in body {
            if let text = shown?.text(of: piece) {
                StandardStream.output.write(text.utf8)
            } else {
                StandardStream.output.write(piece)
            }
            size += piece.count
        }
        if let end = shown?.finish() { StandardStream.output.write(end.utf8) }
        return size
    }
}

extension ResponseHead {
    /// The length of the whole file, of which this may be the response with the first part; nil
    /// where it does not say.
    fileprivate var lengthOfWhole: Int? {
        switch status.code {
        case 200: return headerFields[.contentLength].flatMap { Int($0) }
        case 206:
            guard let range = headerFields[.contentRange], range.lowercased().hasPrefix("bytes 0-") else { return nil }
            return range.split(separator: "/").last.flatMap { Int($0) }
        default: return nil
        }
    }
}

/// The sentence for a download that failed.
enum DownloadFailure {
    /// Whether another run finds what is kept: where the file system has no extended attributes,
    /// nobody can tell what it belongs to.
    static func isFound(_ data: ResumeData) -> Bool {
        let path = data.partialFile.path(percentEncoded: false)
        let target = URL(filePath: String(path.dropLast(DownloadRunner.partialSuffix.count)))
        return ResumeData(continuing: target, from: data.url) != nil
    }

    /// The failure of a download.
    static func failure(for error: NetworkingError, namesOptions: Bool = true) -> CommandFailure {
        let text = text(of: error, namesOptions: namesOptions)
        return CommandFailure(message: text, status: ExitStatus(error), code: error.code.rawValue)
    }

    /// A status is shown as it is, other errors as by the request commands.
    private static func text(of error: NetworkingError, namesOptions: Bool) -> String {
        if error.code == .unacceptableStatusCode, let status = error.response?.status { return "\(status)" }
        var sentences = [CommandFailure(error, ofRequest: !namesOptions).message]
        if namesOptions, error.underlying?.systemErrorNumber == EEXIST {
            sentences.append("With --overwrite it is replaced, with --unique the new one gets another name.")
        }
        if let data = error.resumeData, isFound(data) {
            sentences.append("\(ProgressBar.size(data.byteCount)) are kept for --continue.")
        }
        return sentences.map { $0.hasSuffix(".") ? $0 : "\($0)." }.joined(separator: " ")
    }
}
