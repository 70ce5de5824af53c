/// Whether an upload is offered to the server as one that can be resumed, by the draft "Resumable
/// Uploads for HTTP" of the IETF (draft-ietf-httpbis-resumable-upload).
///
/// The offer is two header fields of the request: `Upload-Complete: ?1` and
/// `Upload-Draft-Interop-Version`. A server that knows the draft responds with
/// `104 (Upload Resumption Supported)` before its response, and with the URL of an upload resource.
/// When the connection is lost then, or its HTTP/2 stream is reset, the upload asks this resource
/// how many bytes it has, and sends the rest: it does not fail, and nothing is sent twice that the
/// server has. Another server ignores the fields, and the upload is an ordinary one.
///
/// A server may want the rest in parts, by the member `max-append-size` of `Upload-Limit`. One that
/// takes less than 64 KiB at a time gets at most 10,000 parts: where the rest would take more, the
/// upload fails with the error of its interruption.
///
/// Only what can be sent again is offered: data, files, forms of them, and sequences that are made
/// anew for each sending. A sequence that can be read once is not, and neither is an empty body.
///
/// Counterpart of what `NSURLSessionUploadTask` does since iOS 17.
public struct ResumableUploads: Sendable, Hashable {
    /// The version of the draft that is spoken. Versions do not understand each other: a server
    /// that knows only another one treats the upload as an ordinary one, or refuses it.
    public struct DraftVersion: Sendable, Hashable, CustomStringConvertible {
        let number: Int

        /// Interop version 6, of the drafts 04 and 05: that of URLSession and of swift-nio-extras.
        public static let version6 = DraftVersion(number: 6)
        /// Interop version 8, of the draft 09 and those after it.
        public static let version8 = DraftVersion(number: 8)

        /// The version of a number that was stored; nil for another one.
        init?(known number: Int) {
            guard let version = [Self.version6, .version8].first(where: { $0.number == number }) else { return nil }
            self = version
        }

        private init(number: Int) {
            self.number = number
        }

        /// The value of `Upload-Draft-Interop-Version`: `6`.
        public var description: String { "\(number)" }
    }

    /// Nil where nothing is offered.
    let version: DraftVersion?

    /// The most failures in a row without a byte more on the server, after which the upload fails.
    /// Default: 8, which takes 91 seconds where each of them comes at once: the pauses between them
    /// are 0, 1, 2, 4, 8, 16, 30 and 30 seconds. Zero or less: the first one fails the upload.
    public var mostFailures = 8

    /// Nothing is offered.
    public static let off = ResumableUploads(version: nil)

    /// Offered by interop version 6, which the most servers know.
    public static let automatic = automatic(.version6)

    /// Offered by one version of the draft.
    ///
    /// - Parameter version: The version.
    /// - Returns: The setting.
    public static func automatic(_ version: DraftVersion) -> ResumableUploads {
        ResumableUploads(version: version)
    }

    private init(version: DraftVersion?) {
        self.version = version
    }
}
