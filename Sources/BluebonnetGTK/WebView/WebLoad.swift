#if WebKitGTK
    import Bluebonnet
    import Dispatch
    import FoundationEssentials
    import HTTPTypes

    /// One page under way.
    @MainActor
    final class WebLoad {
        /// What takes the place of what the response says.
        struct Overrides: Sendable {
            var mimeType: String?
            var textEncodingName: String?
        }

        /// What is done with cookies.
        struct CookieSteps {
            let beforeRequest: @MainActor () async -> Void
            let beforePage: @MainActor () async -> Void
        }

        /// What is done with a page.
        struct Actions {
            let progress: (@MainActor (TaskProgress) -> Void)?
            let success: (@MainActor (inout WebPage) throws -> Void)?
            /// Called once: with the page that is shown, with the error, or with nil where the load
            /// was cancelled.
            let ended: @MainActor (Result<WebPage, NetworkingError>?) -> Void

            init(ended: @escaping @MainActor (Result<WebPage, NetworkingError>?) -> Void) {
                (progress, success) = (nil, nil)
                self.ended = ended
            }

            init(
                _ progress: (@MainActor (TaskProgress) -> Void)?,
                _ success: (@MainActor (inout WebPage) throws -> Void)?,
                _ failure: (@MainActor (NetworkingError) -> Void)?
            ) {
                self.progress = progress
                self.success = success
                ended = { outcome in
                    if case .failure(let error) = outcome { failure?(error) }
                }
            }

            /// Tells of the page, which may be changed.
            @MainActor
            func change(_ page: inout WebPage) throws(NetworkingError) {
                do {
                    try success?(&page)
                } catch let error as NetworkingError {
                    throw error
                } catch {
                    let message = "The page was refused by the success closure."
                    throw NetworkingError(.responseRefused, message, response: page.head, underlying: error)
                }
                if let error = WebPage.refusal(ofBaseURL: page.baseURL) { throw error }
            }
        }

        /// The types that are wanted of a server that has several: as browsers say it.
        private static let accept = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"

        let task: StreamTask
        let actions: Actions
        private let overrides: Overrides
        private let cookies: CookieSteps?
        private let limit: Int
        private var progress: (@MainActor (TaskProgress) -> Void)?
        private var work: Task<Void, Never>?

        init(
            _ request: Request,
            through manager: HTTPSessionManager,
            _ overrides: Overrides,
            _ actions: Actions,
            cookies: CookieSteps?
        ) {
            var request = request
            if request.headerFields[.accept] == nil { request.headerFields[.accept] = Self.accept }
            task = manager.streamTask(request)
            limit = manager.session.configuration.limits.bodyInMemory
            self.overrides = overrides
            self.actions = actions
            self.cookies = cookies
            progress = actions.progress
        }

        /// Begins to receive.
        ///
        /// - Parameters:
        ///   - isShown: Whether the web view shows a media type.
        ///   - whenReceived: Called once with the page or the error; not after ``cancel()``.
        func start(
            isShown: @escaping @MainActor (String) -> Bool,
            whenReceived: @escaping @MainActor (Result<WebPage, NetworkingError>) -> Void
        ) {
            if progress != nil {
                task.onProgress { [weak self] step in
                    DispatchQueue.main.async { MainActor.assumeIsolated { self?.progress?(step) } }
                }
            }
            work = Task {
                let outcome: Result<WebPage, NetworkingError>
                do throws(NetworkingError) {
                    outcome = .success(try await receive(isShown))
                } catch {
                    outcome = .failure(error)
                }
                if !Task.isCancelled { whenReceived(outcome) }
            }
        }

        /// Ends the load: its progress, page and error are not told any more.
        func cancel() {
            progress = nil
            work?.cancel()
            task.cancel()
            actions.ended(nil)
        }

        private func receive(_ isShown: (String) -> Bool) async throws(NetworkingError) -> WebPage {
            await cookies?.beforeRequest()
            let response = try await task.value
            let (head, request) = (response.head, response.request)
            if let error = WebPage.refusal(of: head, to: request, mimeType: overrides.mimeType, isShown: isShown) {
                task.cancel()
                progress = nil
                throw error
            }
            let page = try await Self.page(response, overrides, limit: limit)
            await cookies?.beforePage()
            reportEnd()
            return page
        }

        /// Reads the body, not on the main thread.
        @concurrent
        nonisolated private static func page(
            _ response: TransportResponse,
            _ overrides: Overrides,
            limit: Int
        ) async throws(NetworkingError) -> WebPage {
            let (head, request) = (response.head, response.request)
            do throws(NetworkingError) {
                let body = try await response.body.collect(upTo: limit)
                return WebPage(body, head: head, url: request.url, overrides)
            } catch {
                var error = error
                error.request = error.request ?? request
                error.response = error.response ?? head
                throw error
            }
        }

        /// Tells of the last progress: all has been received, also where no length was known.
        private func reportEnd() {
            guard let progress else { return }
            self.progress = nil
            var end = task.currentProgress
            end.download.total = end.download.completed
            progress(end)
        }
    }
#endif
