import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// One file to download.
struct DownloadItem: Sendable {
    let request: SessionRequest
    /// The file; nil for the suggested name.
    let file: URL?
    let checksum: Checksum?

    /// A request that was made already.
    init(request: Request, file: URL?) {
        (self.request, self.file, checksum) = (SessionRequest(request), file, nil)
    }

    /// - Parameters:
    ///   - entry: What the arguments or a list say of it.
    ///   - folder: The folder of the files.
    ///   - headers: The headers of every request.
    ///   - credentials: The credentials of the options.
    ///   - usesDigest: Whether they are sent by Digest alone.
    ///   - sessions: The options for sessions and settings.
    ///   - segments: The most requests at once for the file.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(
        _ entry: DownloadList.Entry,
        in folder: URL,
        headers: [RequestItem],
        credentials: Credentials?,
        usesDigest: Bool,
        sessions: SessionOptions,
        segments: Int = 1
    ) throws(CommandFailure) {
        let arguments = RequestPlan.Arguments(
            method: .get,
            url: entry.url,
            parsedItems: headers,
            credentials: credentials,
            usesDigest: usesDigest
        )
        var request = try SessionRequest(arguments, sessions)
        request.request.properties.downloadSegments = segments
        self.request = request
        file = entry.output.map { DownloadOptions.file($0, in: folder) }
        checksum = try entry.checksum.map { text throws(CommandFailure) in
            guard let checksum = Checksum(text) else {
                throw .usage(
                    "“\(text)” is not a checksum; write sha256: and 64, or sha512: and 128 hexadecimal digits."
                )
            }
            return checksum
        }
    }

    /// The URL for messages, without secrets.
    var shownURL: String {
        HeadText(paint: Paint(isOn: false), hidesSecrets: true).shown(
            url: Credentials.removed(from: request.request.url)
        )
    }

    /// The name of the file as far as it is known before the response.
    var expectedName: String {
        file?.lastPathComponent ?? ResponseHead(status: .ok).suggestedFileName(for: request.request.url)
    }
}
