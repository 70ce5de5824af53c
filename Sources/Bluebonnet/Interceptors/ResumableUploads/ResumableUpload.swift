import FoundationEssentials
import HTTPTypes
import Synchronization

/// An upload that goes on when its connection is lost, where the server supports that
/// (draft-ietf-httpbis-resumable-upload).
///
/// The request of the user is sent with the offer. A 104 names the upload resource. After an
/// interruption a HEAD asks it for its offset, and a PATCH appends the rest; the response to the
/// PATCH is that of the upload. ``StateMachine`` decides each step.
struct ResumableUpload {
    /// Sends one request, and follows its redirects.
    typealias Send = (Request, ExchangeContext) async throws -> TransportResponse

    /// The longest time for telling the server that an upload is given up.
    private static let farewell = Duration.seconds(5)

    private let request: Request
    private let offered: Request
    private let body: RequestBody
    private let context: ExchangeContext
    private let offer: UploadOffer
    private let version: ResumableUploads.DraftVersion
    private let send: Send
    private let notices: Notices
    private var machine: StateMachine
    /// What interrupted it last.
    private var failure: (any Error)?
    /// A response that may become that of the upload, with its body in memory.
    private var kept: TransportResponse?
    /// The response that asks for other credentials.
    private var refused: TransportResponse?

    /// Sends a request, which is resumed where it can be.
    static func send(
        _ request: Request,
        context: ExchangeContext,
        _ offer: UploadOffer,
        _ send: @escaping Send
    ) async throws -> TransportResponse {
        let earlier = offer.takeEarlier(for: request)
        let request = try earlier.map { earlier throws(NetworkingError) in try request.continuing(earlier) } ?? request
        let version = earlier?.version ?? offer.setting.version
        guard let version, let body = request.body, let offered = request.offered(version) else {
            return try await send(request, context.forPart(ofUpload: InterimResponses(of: request) { _, _ in }))
        }
        if let url = earlier?.url, !Self.mayLead(to: url, from: request, context) {
            // Not its whole URL, which may be all that one needs to write to it.
            let place = Redirects.origin(of: url)?.description ?? "a URL of another scheme"
            throw NetworkingError(
                .invalidRequest,
                "\(request) cannot continue an upload at \(place), because no redirect may lead there.",
                request: request
            )
        }
        let content = await Self.content(of: request, body)
        if let begun = earlier?.content { try content.checkFiles(against: begun, body.files) }
        var upload = Self(
            request: request,
            offered: offered,
            body: body,
            context: context,
            offer: offer,
            version: version,
            send: send,
            notices: Notices(version, length: body.length, content, continuing: earlier, request, context, offer),
            machine: StateMachine(
                length: body.length,
                isIdempotent: [.put, .delete].contains(request.method),
                mostFailures: offer.setting.mostFailures,
                hasResource: earlier != nil
            )
        )
        defer { context.call.sends(from: nil) }
        return try await upload.run(content)
    }

    private mutating func run(_ content: UploadContent) async throws -> TransportResponse {
        var step = machine.begin()
        /// Whether the request before appended a part that is not the last one.
        var isAppending = false
        while true {
            switch step {
            case .create:
                notices.forget()
                context.call.sends(from: nil)
                step = try await take(offered)
            case .ask(let failures):
                try await context.sleep(for: context.configuration.pauseOfUpload(failures))
                guard let (resource, creation) = notices.resource else {
                    return try fail(.interrupted(isResumable: false))
                }
                // What the server has is not known before its response.
                context.call.sends(from: (max(machine.acknowledged, context.call.counts.sent), body.length))
                isAppending = false
                step = try await take(creation.toUploadResource(.head, resource, version), isPart: true)
            case .append(let start, let count):
                guard let (resource, creation) = notices.resource else {
                    return try fail(.interrupted(isResumable: false))
                }
                try await Self.content(of: request, body).checkFiles(against: content, body.files)
                context.call.sends(from: (start, body.length))
                kept = nil
                let part = body.part(from: start, count: count)
                step = try await take(
                    creation.appending(part, at: start, isLast: count == nil, to: resource, version),
                    isPart: isAppending
                )
                isAppending = true
            case .deliver:
                guard let kept else { return try fail(.interrupted(isResumable: false)) }
                offer.end()
                return kept
            case .authenticate:
                guard let refused else { return try fail(.interrupted(isResumable: true)) }
                return try handOver(refused)
            case .fail(let reason):
                if case .contradiction = reason { await giveUp() }
                return try fail(reason)
            }
        }
    }

    /// Sends a request, and decides the next step. One that sends nothing again is a part.
    private mutating func take(_ request: Request, isPart: Bool = false) async throws -> StateMachine.Step {
        let before = context.call.transactionCount
        defer { if isPart { context.call.notePart(after: before) } }
        let outcome: StateMachine.Outcome
        var response: TransportResponse?
        let last: Request?
        do {
            let received = try await send(request, context.forPart(ofUpload: notices.receiver(of: request)))
            outcome = .response(UploadStatus(received.head))
            (response, last) = (received, received.request)
        } catch {
            failure = error
            last = (error as? NetworkingError)?.request
            outcome = .failure(isTemporary: Self.isTemporary(error) && context.call.error == nil)
        }
        let noted = notices.status
        machine.note(hasResource: notices.resource != nil, offset: noted.offset, mostAtOnce: noted.mostAtOnce)
        // A hop of a redirect that has no body any more comes after the whole of it.
        let isBehindBody = request.body != nil && last.map { $0.body == nil } ?? false
        let position = isBehindBody ? body.length ?? .max : context.call.counts.sent
        let step = machine.next(after: outcome, sentUpTo: position)
        guard let response else { return step }
        if step == .authenticate {
            refused = request.method == .head ? await Self.emptied(response) : response
        } else if step == .deliver, request.method != .head {
            kept = response
        } else if machine.keepsResponse, request.method != .head {
            // Its connection must be free for the next request.
            kept = try? await Self.collected(response, context)
            guard kept != nil else { return step == .deliver ? .fail(.interrupted(isResumable: true)) : step }
        } else {
            await response.body.discard()
        }
        return step
    }

    private static func collected(
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        let bytes = try await response.body.collect(upTo: context.settings.configuration.limits.bodyInMemory)
        var response = response
        response.body = .data(bytes)
        return response
    }

    /// A response to HEAD, whose connection is free for others.
    private static func emptied(_ response: TransportResponse) async -> TransportResponse {
        await response.body.discard()
        var response = response
        response.body = .data(Data())
        return response
    }

    /// Hands over a response that asks for other credentials, so that an interceptor that has them
    /// sends the request again, which continues the upload.
    ///
    /// Where none does so, the response to PATCH is that of the upload, and one to HEAD is none:
    /// then the upload ends as without it.
    private func handOver(_ response: TransportResponse) throws -> TransportResponse {
        guard response.request.method == .head else {
            // Behind a redirect, it is not the upload resource that refuses.
            if response.redirects.isEmpty { offer.refuse(request, by: response) } else { offer.end() }
            return response
        }
        let outcome: Result<TransportResponse, any Error> =
            if let kept, machine.keepsResponse, kept.statusCode >= 400 { .success(kept) } else {
                .failure(error(for: .unauthorized(response.statusCode)))
            }
        // What interceptors add to a request for its own origin does not come to another one.
        guard Redirects.origin(of: response.request.url) == Redirects.origin(of: request.url) else {
            return try outcome.get()
        }
        offer.refuse(request, by: response, endingWith: outcome)
        return response
    }

    /// Tells the server that the upload is given up (§4.5), if it listens.
    ///
    /// Only at the origin of the upload: what is elsewhere may be no upload resource at all.
    private func giveUp() async {
        guard let (resource, creation) = notices.resource,
            Redirects.origin(of: resource) == Redirects.origin(of: creation.url)
        else { return }
        var request = creation.toUploadResource(.delete, resource, version)
        var timeouts = request.timeouts ?? context.settings.configuration.timeouts
        timeouts.connect = Self.farewell
        timeouts.firstByte = Self.farewell
        timeouts.waiting = Self.farewell
        request.timeouts = timeouts
        let before = context.call.transactionCount
        defer { context.call.notePart(after: before) }
        let part = context.forPart(ofUpload: InterimResponses(of: request) { _, _ in })
        let response = try? await send(request, part)
        await response?.body.discard()
    }

    // MARK: Errors

    /// Failures of the connection or of its stream (RFC 9113 §5.4.2), not of what was sent or
    /// received.
    private static func isTemporary(_ error: any Error) -> Bool {
        guard let error = error as? NetworkingError else { return false }
        let codes: [NetworkingError.Code] = [
            .dnsLookupFailed, .connectFailed, .dnsLookupTimeout, .connectTimeout, .firstByteTimeout,
            .betweenBytesTimeout, .connectionLost, .truncatedResponse, .streamReset, .proxyConnectFailed,
            .proxyTimeout,
        ]
        return codes.contains(error.code)
    }

    private func fail(_ reason: StateMachine.Reason) throws -> TransportResponse {
        throw error(for: reason)
    }

    /// The error that the upload ends with. Its resource is forgotten where it is of no use.
    private func error(for reason: StateMachine.Reason) -> any Error {
        let (text, keepsResource): (String?, Bool) =
            switch reason {
            case .interrupted(let isResumable): (nil, isResumable)
            case .refused(let why): ("It could not be resumed, because \(why).", false)
            case .unauthorized(let status):
                ("It could not be resumed, because the upload resource responded \(status).", true)
            case .responseLost:
                ("The server has the whole upload, and its response was lost: what came of it is not known.", false)
            case .contradiction(let what): ("It was not resumed, because \(what).", false)
            }
        var error =
            failure.map { NetworkingError.wrapping($0) }
            ?? NetworkingError(.unexpectedResponse, "The upload of \(request) was not completed.", request: request)
        if let text {
            let cause = failure
            error = NetworkingError(error.code, "\(error.message) \(text)", request: error.request, underlying: cause)
                .with(context.call.metrics)
        }
        if keepsResource { error.uploadResumeData = offer.resource } else { offer.note(nil) }
        // An error of another type stays what it is.
        if text == nil, !keepsResource, let failure { return failure }
        return error
    }

    // MARK: Checks

    /// What the body is now.
    private static func content(of request: Request, _ body: RequestBody) async -> UploadContent {
        var content = UploadContent(multipartType: request.multipartType, boundary: body.separated?.boundary)
        let paths = body.files
        guard !paths.isEmpty else { return content }
        // A file that is not there is an error of its sending.
        let files = try? await BlockingThreads.files.run { paths.map { try? FileIdentity(following: $0) } }
        content.files = files ?? paths.map { _ in nil }
        return content
    }

    /// Whether an upload resource may be at a URL: where a redirect may lead too, and not without
    /// TLS where the request had it.
    fileprivate static func mayLead(to url: URL, from request: Request, _ context: ExchangeContext) -> Bool {
        let origin = Redirects.origin(of: request.url)
        guard let target = Redirects.origin(of: url) else { return false }
        if target == origin { return true }
        // Who does not follow redirects, or decides about each of them, wants no other server.
        let policy = request.redirectPolicy ?? context.settings.configuration.redirectPolicy
        guard policy == .follow, context.call.hooks?.hooks.taskWillPerformRedirection == nil else { return false }
        let configuration = context.settings.configuration
        return origin?.isSecure != true || target.isSecure
            || configuration.followsInsecureRedirects && configuration.sendsBodiesOnInsecureRedirects
    }
}

extension ResumableUpload {
    /// What 104 responses have said. They come on the event loop, while the upload waits.
    final class Notices: Sendable {
        private struct State {
            var resource: URL?
            /// The request that the upload resource was made for, after redirects.
            var creation: Request?
            var isContradictory = false
            var status = UploadStatus(code: 104)
        }

        private let version: ResumableUploads.DraftVersion
        private let length: Int?
        private let content: UploadContent
        private let context: ExchangeContext
        private let offer: UploadOffer
        private let state: Mutex<State>

        init(
            _ version: ResumableUploads.DraftVersion,
            length: Int?,
            _ content: UploadContent,
            continuing earlier: UploadResumeData?,
            _ request: Request,
            _ context: ExchangeContext,
            _ offer: UploadOffer
        ) {
            self.version = version
            self.length = length
            self.content = content
            self.context = context
            self.offer = offer
            state = Mutex(State(resource: earlier?.url, creation: earlier == nil ? nil : request))
        }

        /// The upload resource, and the request that it was made for.
        var resource: (URL, Request)? {
            state.withLock { state in
                guard let url = state.resource, let creation = state.creation else { return nil }
                return (url, creation)
            }
        }

        /// The newest offset and limit.
        var status: UploadStatus { state.withLock { $0.status } }

        /// Forgets the upload resource, because another one is made.
        func forget() {
            state.withLock { $0 = State() }
        }

        /// What takes the informational responses to a request, and to those that redirects make of
        /// it.
        func receiver(of request: Request) -> InterimResponses {
            InterimResponses(of: request) { self.receive($0, of: $1) }
        }

        /// §5. One without the version that was offered is ignored (appendix "Draft Version
        /// Identification").
        private func receive(_ head: ResponseHead, of request: Request) {
            guard head.statusCode == 104, let name = HTTPField.Name.uploadDraftInteropVersion,
                head.values(for: name) == [version.description]
            else { return }
            let status = UploadStatus(head)
            let locations = head.values(for: .location)
            let isNew = state.withLock { state -> URL? in
                if let offset = status.offset { state.status.offset = max(state.status.offset ?? 0, offset) }
                if let mostAtOnce = status.mostAtOnce { state.status.mostAtOnce = mostAtOnce }
                // §4.4.2: those of appending have none.
                guard let location = locations.first, request.method != .head, !isAppending(request) else { return nil }
                // After a redirect, the one of the next hop counts.
                if let earlier = state.creation, earlier.url != request.url {
                    (state.resource, state.isContradictory) = (nil, false)
                }
                state.creation = request
                guard !state.isContradictory else { return nil }
                let url = try? Redirects.target(of: location, from: request.url)
                guard locations.count == 1, let url, ResumableUpload.mayLead(to: url, from: request, context),
                    state.resource ?? url == url
                else {
                    // §4.2.2: all of them are equal. Which one would be right is not known.
                    state.isContradictory = true
                    state.resource = nil
                    return nil
                }
                guard state.resource == nil else { return nil }
                state.resource = url
                return url
            }
            if let isNew { note(isNew, of: request) }
        }

        private func isAppending(_ request: Request) -> Bool {
            request.method == .patch && request.headerFields[.contentType] == "application/partial-upload"
        }

        private func note(_ url: URL, of request: Request) {
            offer.note(
                UploadResumeData(
                    url: url,
                    originalURL: request.url,
                    totalByteCount: length,
                    version: version,
                    content: content
                )
            )
        }
    }
}
