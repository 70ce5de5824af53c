import HTTPTypes
import Synchronization

/// The offer of a task to resume its upload: its setting, what an earlier task or process has left,
/// and the upload resource that there is now.
final class UploadOffer: Sendable {
    private struct State {
        var earlier: UploadResumeData?
        var resource: UploadResumeData?
        var whenChanged: (@Sendable (UploadResumeData?) -> Void)?
    }

    let setting: ResumableUploads
    private let state: Mutex<State>

    init(_ setting: ResumableUploads, continuing earlier: UploadResumeData? = nil) {
        self.setting = setting
        state = Mutex(State(earlier: earlier, resource: earlier))
    }

    /// The offer for a request; nil where the setting is that there is none.
    convenience init?(_ request: Request, _ kind: Call.Kind, _ settings: SessionSettings) {
        guard request.body != nil else { return nil }
        let ofSession: ResumableUploads = kind == .upload ? settings.configuration.resumableUploads : .off
        let setting = request.resumableUploads ?? ofSession
        guard setting.version != nil else { return nil }
        self.init(setting)
    }

    /// The upload resource, when there is one that the upload can be continued with.
    var resource: UploadResumeData? { state.withLock { $0.resource } }

    /// Continues an earlier upload.
    func `continue`(_ earlier: UploadResumeData) {
        state.withLock { ($0.earlier, $0.resource) = (earlier, earlier) }
    }

    /// What an earlier task or process has left, once.
    func takeEarlier() -> UploadResumeData? {
        state.withLock { state in
            defer { state.earlier = nil }
            return state.earlier
        }
    }

    /// Calls the closure with each upload resource, and with nil when there is none any more.
    func whenChanged(_ body: @escaping @Sendable (UploadResumeData?) -> Void) {
        state.withLock { $0.whenChanged = body }
    }

    /// Forgets the upload resource, because there is a response. Whoever has noted it keeps it
    /// until the result is there.
    func end() {
        state.withLock { $0.resource = nil }
    }

    func note(_ resource: UploadResumeData?) {
        let body = state.withLock { state in
            state.resource = resource
            return state.whenChanged
        }
        body?(resource)
    }
}

/// Takes the informational responses of one sending as they come (RFC 9110 §15.2), on the event
/// loop of its connection.
final class InterimResponses: Sendable {
    private let take: @Sendable (ResponseHead, Request) -> Void

    init(_ take: @escaping @Sendable (ResponseHead, Request) -> Void) {
        self.take = take
    }

    /// Takes one, with the request that it is for: redirects send several.
    func receive(_ head: ResponseHead, of request: Request) {
        take(head, request)
    }
}
