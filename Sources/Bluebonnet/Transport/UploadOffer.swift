import HTTPTypes
import Synchronization

/// The offer of a task to resume its upload: its setting, what an earlier task or process has left,
/// and the upload resource that there is now.
final class UploadOffer: Sendable {
    private struct State {
        var earlier: UploadResumeData?
        var resource: UploadResumeData?
        /// Whether there ever was one.
        var hasHadResource = false
        var refusal: Refusal?
        var whenChanged: (@Sendable (UploadResumeData?) -> Void)?
    }

    /// A response of the upload resource that asks for other credentials.
    private struct Refusal {
        /// The number of its transaction.
        let hop: Int
        /// The request of the upload, which continues it when it is sent again.
        let request: Request
        /// What the upload ends with where it is not sent again; nil for the response.
        let outcome: Result<TransportResponse, any Error>?
    }

    let setting: ResumableUploads
    private let state: Mutex<State>

    init(_ setting: ResumableUploads, continuing earlier: UploadResumeData? = nil) {
        self.setting = setting
        state = Mutex(State(earlier: earlier, resource: earlier, hasHadResource: earlier != nil))
    }

    /// The offer for a request; nil where the setting is that there is none.
    convenience init?(_ request: Request, _ kind: Call.Kind, _ settings: SessionSettings) {
        guard request.body != nil || request.resumableUploads != nil else { return nil }
        let ofSession: ResumableUploads = kind == .upload ? settings.configuration.resumableUploads : .off
        let setting = request.resumableUploads ?? ofSession
        guard setting.version != nil else { return nil }
        self.init(setting)
    }

    /// The upload resource, when there is one that the upload can be continued with.
    var resource: UploadResumeData? { state.withLock { $0.resource } }

    /// What continues an upload that failed: with a response, only where that refused credentials.
    func resource(hasResponse: Bool) -> UploadResumeData? {
        state.withLock { hasResponse && $0.refusal == nil ? nil : $0.resource }
    }

    /// Whether the server can resume the upload, or could: then it is not sent again as a whole.
    var hasHadResource: Bool { state.withLock { $0.hasHadResource } }

    /// Continues an earlier upload.
    func `continue`(_ earlier: UploadResumeData) {
        state.withLock { ($0.earlier, $0.resource, $0.hasHadResource) = (earlier, earlier, true) }
    }

    /// What a request continues, once: what an earlier task or process has left, or the upload of
    /// the same request, which was refused for its credentials.
    func takeEarlier(for request: Request) -> UploadResumeData? {
        state.withLock { state in
            if let earlier = state.earlier {
                state.earlier = nil
                return earlier
            }
            guard let refused = state.refusal?.request, refused.method == request.method, refused.url == request.url
            else { return nil }
            state.refusal = nil
            return state.resource
        }
    }

    /// Notes that the upload resource wants other credentials than a request has, and stays.
    ///
    /// - Parameters:
    ///   - request: The request of the upload.
    ///   - response: The response that says so.
    ///   - outcome: What the upload ends with where no interceptor sends it again. Default: the
    ///     response.
    func refuse(
        _ request: Request,
        by response: TransportResponse,
        endingWith outcome: Result<TransportResponse, any Error>? = nil
    ) {
        state.withLock { $0.refusal = Refusal(hop: response.hop, request: request, outcome: outcome) }
    }

    /// The response of the upload, of the one that has come through all interceptors: that is
    /// another one where it only says that the upload was refused.
    func response(for last: TransportResponse) throws -> TransportResponse {
        let refusal = state.withLock { $0.refusal }
        guard let refusal, refusal.hop == last.hop, let outcome = refusal.outcome else { return last }
        return try outcome.get()
    }

    /// Calls the closure with each upload resource, and with nil when there is none any more.
    func whenChanged(_ body: @escaping @Sendable (UploadResumeData?) -> Void) {
        state.withLock { $0.whenChanged = body }
    }

    /// Forgets the upload resource, because there is a response. Whoever has noted it keeps it
    /// until the result is there.
    func end() {
        state.withLock { ($0.resource, $0.refusal) = (nil, nil) }
    }

    func note(_ resource: UploadResumeData?) {
        let body = state.withLock { state in
            (state.resource, state.refusal) = (resource, nil)
            if resource != nil { state.hasHadResource = true }
            return state.whenChanged
        }
        body?(resource)
    }
}

/// Takes the informational responses of one sending as they come (RFC 9110 §15.2), on the event
/// loop of its connection.
final class InterimResponses: Sendable {
    private let request: Request
    private let take: @Sendable (ResponseHead, Request) -> Void

    init(of request: Request, _ take: @escaping @Sendable (ResponseHead, Request) -> Void) {
        self.request = request
        self.take = take
    }

    /// The same for another request, because redirects send several: without the answer to a
    /// challenge and what observers have added, which are for one sending each.
    func of(_ request: Request) -> InterimResponses {
        InterimResponses(of: request, take)
    }

    /// Takes one, with the request that it is for.
    func receive(_ head: ResponseHead) {
        take(head, request)
    }
}
