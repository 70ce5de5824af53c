import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The options that only `upload` has.
struct UploadOptions: ParsableArguments {
    /// The choices of `--method`.
    enum Method: String, ExpressibleByArgument, CaseIterable, Sendable {
        case put, post

        var method: HTTPRequest.Method { self == .put ? .put : .post }
    }

    @Option(
        name: [.customShort("X"), .long],
        help: "The method. (default: put; post with --form)"
    )
    var method: Method?

    @Option(
        name: [.customShort("F"), .long],
        help: ArgumentHelp(
            "Send all files in one multipart form, as fields of this name, instead of each as a body.",
            valueName: "name"
        )
    )
    var form: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Format and colour JSON in the response; auto does both on a terminal (no colours with NO_COLOR).",
            valueName: "style"
        )
    )
    var pretty = PrettyPrinting.auto

    @Flag(name: .long, help: "Send the body again when a redirect leads from https to http. Anyone can then read it.")
    var bodyOnInsecureRedirects = false

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Do not offer the uploads as resumable ones, and fail when a connection is lost.",
            discussion: "The offer is two header fields, of the IETF's draft Resumable Uploads for HTTP."
        )
    )
    var noResume = false

    func validate() throws {
        if form?.isEmpty == true { throw ValidationError("--form needs the name of a field.") }
    }

    /// The requests for the files.
    ///
    /// - Parameters:
    ///   - files: The paths of the files.
    ///   - url: The URL as the shell passes it.
    ///   - headers: The headers of every request.
    ///   - credentials: The credentials of the options.
    ///   - usesDigest: Whether they are sent by Digest alone.
    ///   - sessions: The options for sessions and settings.
    /// - Returns: One request for each file, or one for all of them.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    func items(
        _ files: [String],
        to url: String,
        headers: [RequestItem],
        credentials: Credentials?,
        usesDigest: Bool,
        sessions: SessionOptions
    ) throws(CommandFailure) -> [UploadItem] {
        if files.contains("-") {
            throw .usage("Standard input is sent by the request commands: bluebonnet put URL @-.")
        }
        let isURL = { (path: String) in path.contains("://") || path.utf8.first == UInt8(ascii: ":") }
        if let first = files.first(where: { isURL($0) && FileKind(path: $0) == .missing }) {
            throw .usage("“\(first)” is a URL, and stands behind the files: bluebonnet upload FILE … URL")
        }
        let method = method ?? (form == nil ? .put : .post)
        var arguments = RequestPlan.Arguments(
            method: method.method,
            url: url,
            parsedItems: headers,
            isMultipart: form != nil,
            credentials: credentials,
            usesDigest: usesDigest
        )
        if let form {
            arguments.parsedItems += files.map { .file(name: form, file: RequestItem.PartFile(path: $0)) }
            let name = files.count == 1 ? files[0] : "\(files.count) files"
            return [UploadItem(name: name, request: try SessionRequest(arguments, sessions))]
        }
        var items: [UploadItem] = []
        var urls: Set<URL> = []
        for file in files {
            arguments.parsedItems = headers + [.body(path: file)]
            var item = UploadItem(name: file, request: try SessionRequest(arguments, sessions))
            if method == .put {
                let url = item.request.request.url
                let isFolder = ["", "/"].contains(url.path(percentEncoded: true).suffix(1))
                if isFolder {
                    let name = HomeFolder.file(file).lastPathComponent
                    item.request.request.url = url.appending(path: name, directoryHint: .notDirectory)
                } else if files.count > 1 {
                    throw .usage("Several files need a URL that ends with a slash, --method post or --form NAME.")
                }
                guard urls.insert(item.request.request.url).inserted else {
                    throw .usage("Another file has the name of \(file) too, and would be replaced by it.")
                }
            }
            items.append(item)
        }
        return items
    }
}

/// One request with one or all of the files.
struct UploadItem: Sendable {
    let name: String
    var request: SessionRequest
}
