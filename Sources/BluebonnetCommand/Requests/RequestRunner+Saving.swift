import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes

extension RequestRunner {
    /// Saves the body as `bluebonnet download` does: under the name of the option or the one that
    /// the server suggests, and taken up by a later run where that is wanted.
    ///
    /// - Parameters:
    ///   - plan: The request.
    ///   - session: The session.
    /// - Throws: ``ExitStatus`` when the file is not there, ``CommandFailure`` for a method whose
    ///   body cannot be continued.
    func download(_ plan: RequestPlan, over session: SessionManager) async throws {
        let saving = options.saving
        guard !saving.continues || plan.request.method == .get else {
            throw CommandFailure.usage("--continue is for GET: another request may do something a second time.")
        }
        let arguments = saving.continues ? ["--continue"] : ["--unique"]
        let file = options.output.map { DownloadOptions.file($0, in: DownloadOptions.currentFolder) }
        let runner = DownloadRunner(
            items: [DownloadItem(request: plan.request, file: file)],
            sessions: [session],
            options: try DownloadOptions.parse(arguments),
            // In a pipe, what is saved makes no lines, as with -o alone.
            isQuiet: options.shown.quiet || !OutputStyle(.auto, for: .error).redraws,
            // As without --continue.
            replacesOthers: file != nil,
            // They are options of `download`.
            namesOptions: false
        )
        let status = try await TerminationSignals.cancelling { try await runner.run(jobs: 1) }
        let isResponse = status == .clientError || status == .serverError
        if status != .success, options.checkStatus || !isResponse { throw status }
    }
}
