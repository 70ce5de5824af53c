#if WebKitGTK
    import Bluebonnet
    import FoundationEssentials
    import HTTPTypes

    extension WebPage {
        /// The reason for which a response is not shown, known before its body is read; nil for
        /// none.
        ///
        /// - Parameters:
        ///   - head: Status and header fields.
        ///   - request: The request of the response, after redirects.
        ///   - mimeType: The media type in place of the response's.
        ///   - isShown: Whether the web view shows a media type.
        /// - Returns: The error; nil for a page.
        static func refusal(
            of head: ResponseHead,
            to request: Request,
            mimeType: String?,
            isShown: (String) -> Bool
        ) -> NetworkingError? {
            if let error = refusal(ofBaseURL: request.url) { return error.with(request, head) }
            // RFC 9110 §15.3.5, §15.3.6: there is no page, and the one that is shown stays.
            if [204, 205].contains(head.status.code) {
                let message = "There is no page in the response: its status is \(head.status.code)."
                return NetworkingError(.responseRefused, message).with(request, head)
            }
            if head.values(for: .contentDisposition).first.map(isDownload) ?? false {
                let message = "The response is a file to be saved, as its Content-Disposition says: download it."
                return NetworkingError(.responseRefused, message).with(request, head)
            }
            guard let type = mimeType ?? head.mediaType else {
                let message = "The response has no Content-Type: name the type with mimeType: to show it."
                return NetworkingError(.unacceptableContentType, message).with(request, head)
            }
            guard isShown(type) else {
                let message = "The web view cannot show the type \(type)."
                return NetworkingError(.unacceptableContentType, message).with(request, head)
            }
            if type.contains("html") || type.contains("xml"), isSandboxed(head) {
                let message =
                    "The response is a page for a sandbox, as its Content-Security-Policy says. "
                    + "WebKit would show it without one."
                return NetworkingError(.responseRefused, message).with(request, head)
            }
            return nil
        }

        /// Whether a page must not have the rights of its URL, or run no scripts: a directive
        /// `sandbox` that does not allow both (Content Security Policy Level 3 §6.3.2). WebKit gets
        /// a page without its header fields, and would let it do everything.
        private static func isSandboxed(_ head: ResponseHead) -> Bool {
            head.values(for: .contentSecurityPolicy).contains { value in
                value.lowercased().split { $0 == "," || $0 == ";" }.contains { directive in
                    let words = directive.split(whereSeparator: \.isWhitespace)
                    guard words.first == "sandbox" else { return false }
                    return !words.contains("allow-scripts") || !words.contains("allow-same-origin")
                }
            }
        }

        /// The error for a URL that must not be that of a page; nil for none.
        ///
        /// A page has the rights of its URL: that of a `file:` could read files.
        static func refusal(ofBaseURL url: URL?) -> NetworkingError? {
            guard let url, !["http", "https"].contains(url.scheme?.lowercased()) else { return nil }
            let message =
                "A page is shown under an http or https URL only, not under \(url.scheme ?? "a relative one")."
            return NetworkingError(.unsupportedScheme, message)
        }

        /// Whether a `Content-Disposition` says that the body is to be saved: every type but
        /// `inline`, also an unknown one (RFC 6266 §4.2). A value without a type says nothing.
        private static func isDownload(_ disposition: String) -> Bool {
            let type = disposition.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
            return !type.isEmpty && !type.contains("=") && type != "inline"
        }
    }

    extension NetworkingError {
        /// The same error with its request and its response.
        fileprivate func with(_ request: Request, _ head: ResponseHead) -> NetworkingError {
            var error = self
            error.request = request
            error.response = head
            return error
        }
    }
#endif
