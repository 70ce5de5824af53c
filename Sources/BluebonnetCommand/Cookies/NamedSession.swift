import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// A session of `--session NAME`: cookies and headers that are kept by name, as by HTTPie.
///
/// Its folder is `bluebonnet/sessions/NAME` in the user's folder for configurations, or the one
/// that the name is the path of. The headers are kept for each origin, and go to no other one.
struct NamedSession {
    /// Whether nothing is kept: the session is used as it is, and stays so.
    let isReadOnly: Bool
    /// The file of the cookies, in the format of curl.
    let cookieFile: URL
    private let headerFile: URL
    private let folder: URL

    /// Nothing is read or written before it is needed.
    ///
    /// - Parameters:
    ///   - name: The name, or the path of a folder that begins with `/`, `./`, `../` or `~/`.
    ///   - isReadOnly: Whether nothing is kept.
    ///   - environment: The variables of the process.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for what is neither.
    init(_ name: String, isReadOnly: Bool = false, environment: [String: String]) throws(CommandFailure) {
        self.isReadOnly = isReadOnly
        folder = try Self.folder(name, environment)
        cookieFile = folder.appending(path: "cookies.txt")
        headerFile = folder.appending(path: "headers.json")
    }

    private static func folder(_ name: String, _ environment: [String: String]) throws(CommandFailure) -> URL {
        if ["/", "./", "../", "~/"].contains(where: name.hasPrefix) {
            let path = HomeFolder.expanded(name, home: environment["HOME"])
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        let isName =
            !name.isEmpty && name.utf8.count <= 100 && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        guard isName else {
            throw .usage(
                "“\(name)” is not the name of a session, which has letters, digits, “.”, “_” and “-”, and does not begin "
                    + "with “.”; the path of a folder begins with “/”, “./” or “~/”."
            )
        }
        guard let settings = UserSettings.folder(environment) else {
            throw .usage("--session needs the variable HOME or XDG_CONFIG_HOME.")
        }
        return settings.appending(path: "sessions/\(name)", directoryHint: .isDirectory)
    }

    /// The jar of the session. Where nothing is kept, it is one in memory with the same cookies.
    ///
    /// - Returns: The jar.
    /// - Throws: ``CommandFailure`` for a folder that cannot be made, and a file of something else.
    func jar() throws(CommandFailure) -> CookieJar {
        do {
            if !isReadOnly {
                // As the XDG base directory specification wants it: for the user alone.
                try SystemFile.makeFolders(folder, isPrivate: true)
                return try CookieJar(file: cookieFile)
            }
            let jar = CookieJar()
            if FileKind(target: cookieFile.path(percentEncoded: false)) != .missing {
                jar.replace(with: try CookieJar(file: cookieFile).cookies)
            }
            return jar
        } catch {
            throw .usage((error as? NetworkingError)?.message ?? "The folder of the session: \(error).")
        }
    }

    // MARK: Headers

    /// The headers of earlier requests that a request gets, too.
    ///
    /// - Parameter arguments: The arguments of the request.
    /// - Returns: The headers, as items.
    /// - Throws: ``CommandFailure`` for items that are none, and a file that is not one of headers.
    func items(for arguments: RequestPlan.Arguments) throws(CommandFailure) -> [RequestItem] {
        var text = URLShorthand.expand(arguments.url, scheme: arguments.defaultScheme)
        let credentials = try Credentials.take(from: &text)
        // What is not a URL is an error of the request.
        guard let url = URL(string: text) else { return [] }
        return try items(
            for: url,
            besides: arguments.parsedItems
                + arguments.items.map { text throws(CommandFailure) in try RequestItem(text) },
            hasCredentials: credentials != nil || arguments.credentials != nil
        )
    }

    /// The headers that a request to a URL gets, in front of its own: those that it does not have.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - items: The items of the request.
    ///   - hasCredentials: Whether the request has credentials that take the place of those kept.
    /// - Returns: The headers, as items.
    /// - Throws: ``CommandFailure`` for a file that is not one of headers.
    func items(
        for url: URL,
        besides items: [RequestItem],
        hasCredentials: Bool
    ) throws(CommandFailure) -> [RequestItem] {
        var names = Set(items.compactMap { $0.headerName?.lowercased() })
        if hasCredentials { names.insert("authorization") }
        let known = try origins()[Self.origin(of: url)]?.array ?? []
        return known.compactMap { field in
            guard let name = field.array?.first?.string, let value = field.array?.last?.string,
                HTTPField.Name(name) != nil, HeaderValue.fault(of: value) == nil, !names.contains(name.lowercased())
            else { return nil }
            return value.isEmpty ? .emptyHeader(name: name) : .header(name: name, value: .text(value))
        }
    }

    /// Keeps the headers of a request in place of those of its origin, unless nothing is kept.
    ///
    /// - Parameters:
    ///   - fields: The headers.
    ///   - url: The URL of the request.
    /// - Throws: ``CommandFailure`` for a file that cannot be read or written.
    func keep(_ fields: HTTPFields, for url: URL) throws(CommandFailure) {
        guard !isReadOnly else { return }
        let kept = fields.filter { Self.isKept($0.name.canonicalName) }
        let origin = Self.origin(of: url)
        let list = kept.map { JSONValue([JSONValue($0.name.rawName), JSONValue($0.value)]) }
        let new: JSONValue? = list.isEmpty ? .none : JSONValue(list)
        guard try origins()[origin] != new else { return }
        let path = headerFile.path(percentEncoded: false)
        do {
            // Another command of the same session may keep its own headers at this moment.
            try SystemFile.updateStore(at: path, atMost: Self.mostBytes) { bytes in
                var origins = try Self.origins(in: bytes, path)
                origins[origin] = new
                let contents: JSONObject = ["version": 1, "origins": .object(origins)]
                return Array(try JSONValue(contents).data())
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(message: "The headers of the session are not kept: \(error)", status: .transport)
        }
    }

    /// The most bytes of the file of the headers.
    private static let mostBytes = 16 << 20

    private func origins() throws(CommandFailure) -> JSONObject {
        let path = headerFile.path(percentEncoded: false)
        guard FileKind(path: path) != .missing else { return [:] }
        do {
            return try Self.origins(in: try InputFile(path: path).readToEnd(), path)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .usage("The headers of the session cannot be read: \(Self.sentence(error, path))")
        }
    }

    /// An error about a file, which a failure of the system names already.
    private static func sentence(_ error: any Error, _ path: String) -> String {
        error is SystemFailure ? "\(error)." : "\(path): \(error) Without that file the session begins anew."
    }

    /// The headers of a file, which is empty while it is being made.
    private static func origins(in bytes: [UInt8], _ path: String) throws -> JSONObject {
        guard !bytes.isEmpty else { return [:] }
        let value = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        guard value["version"] == 1, let origins = value["origins"]?.object else {
            throw CommandFailure.usage(
                "\(path) has no headers of a session. Without that file the session begins anew."
            )
        }
        return origins
    }

    /// Whether a header is kept: not those of one message, such as its content, nor those of a
    /// connection. Cookies are kept in the jar.
    private static func isKept(_ name: String) -> Bool {
        !name.hasPrefix("content-") && !name.hasPrefix("if-") && !unkept.contains(name)
    }

    private static let unkept: Set = [
        "cookie", "connection", "expect", "host", "keep-alive", "proxy-authorization", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Scheme, host and port of a URL, as the file has them. A WebSocket is opened at the `http`
    /// or `https` of its server (RFC 6455 §4.1).
    static func origin(of url: URL) -> String {
        let scheme = URLShorthand.schemeOfHTTP(url)
        let port = url.port ?? (scheme.hasPrefix("https") ? 443 : 80)
        return "\(scheme)://\(url.host(percentEncoded: false)?.lowercased() ?? ""):\(port)"
    }
}

extension RequestItem {
    /// The name of the header that the item is about; nil for other items.
    var headerName: String? {
        switch self {
        case .header(let name, _), .unsetHeader(let name), .emptyHeader(let name): name
        default: nil
        }
    }
}
