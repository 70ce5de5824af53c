#if WebKitGTK
    public import Bluebonnet
    public import FoundationEssentials
    import HTTPTypes

    /// A page as a ``WebView`` shows it: its bytes, with their type, their charset and their URL.
    ///
    /// Counterpart of what the success block of AFNetworking's web view category gets and returns:
    /// the `NSData` or `NSString` of a page. There the returned value is not used; here what is
    /// changed is shown.
    public struct WebPage: Sendable {
        /// The bytes, content coding undone.
        public var data: Data

        /// The media type in lower case, without parameters: `text/html`.
        public var mimeType: String

        /// The label of the charset in which ``data`` is, of those of the Encoding Standard of
        /// WHATWG.
        ///
        /// Of a response: that of its byte-order mark, else that of its `Content-Type`, else the
        /// one that the page names itself in a `<meta>` or in the declaration of XML, else UTF-8.
        public var textEncodingName: String

        /// The URL of the page, to which its links are relative, and whose origin its scripts have:
        /// that of the response, after redirects. Nil for none, `about:blank`.
        public var baseURL: URL?

        /// Status and header fields of the response; nil for a page that is not one.
        public let head: ResponseHead?

        /// Makes a page that is not a response.
        ///
        /// - Parameters:
        ///   - data: The bytes.
        ///   - mimeType: The media type. Default: `text/html`.
        ///   - textEncodingName: The label of the charset. Default: UTF-8.
        ///   - baseURL: The URL of the page, `http` or `https`. Default: none.
        public init(
            _ data: Data,
            mimeType: String = "text/html",
            textEncodingName: String = "UTF-8",
            baseURL: URL? = nil
        ) {
            self.data = data
            self.mimeType = mimeType
            self.textEncodingName = textEncodingName
            self.baseURL = baseURL
            head = nil
        }

        /// Makes a page of HTML.
        ///
        /// - Parameters:
        ///   - html: The text.
        ///   - baseURL: The URL of the page, `http` or `https`. Default: none.
        public init(html: String, baseURL: URL? = nil) {
            self.init(Data(html.utf8), baseURL: baseURL)
        }

        /// Makes the page of a response that ``refusal(of:to:mimeType:isShown:)`` does not refuse.
        ///
        /// - Parameters:
        ///   - data: The body.
        ///   - head: Status and header fields.
        ///   - url: The URL of the response.
        ///   - overrides: What takes the place of what the response says.
        init(_ data: Data, head: ResponseHead, url: URL, _ overrides: WebLoad.Overrides) {
            let mimeType = overrides.mimeType ?? head.mediaType ?? "application/octet-stream"
            self.data = data
            self.mimeType = mimeType
            self.textEncodingName =
                overrides.textEncodingName
                ?? DocumentCharset.label(of: data, contentType: head[.contentType], mediaType: mimeType)
            self.head = head
            baseURL = url
        }

        /// The ``data`` as text in the charset; bytes that are not valid in it are read as U+FFFD.
        /// A text that is set is stored as UTF-8, with ``textEncodingName`` changed to that.
        ///
        /// As in browsers, ISO-8859-1 and US-ASCII mean windows-1252. An unknown charset is read as
        /// UTF-8.
        public var text: String {
            get {
                var charset = Charset(textEncodingName) ?? .utf8
                if charset == .latin1 || charset == .ascii { charset = Charset("windows-1252") ?? .latin1 }
                // Nothing fails where invalid bytes are replaced.
                return (try? charset.decode(data, fallback: .replace)) ?? String(decoding: data, as: UTF8.self)
            }
            set {
                data = Data(newValue.utf8)
                textEncodingName = "UTF-8"
            }
        }
    }
#endif
