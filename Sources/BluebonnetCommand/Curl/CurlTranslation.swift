import HTTPTypes

/// The request of this command that sends what curl sends for a line.
struct CurlTranslation {
    private(set) var method = HTTPRequest.Method.get
    /// The URL and the options.
    private(set) var options: RequestOptions
    /// Headers and the parts of the body.
    private(set) var items: [RequestItem] = []
    /// The body in memory.
    private(set) var body: [UInt8]?
    /// How the response is written.
    private(set) var output = CurlOutput()

    private var data: CurlData
    private var query: [[UInt8]] = []
    private var cookies: [String] = []
    /// The values of `-A`, `-e` and `-r`.
    private var (agent, referer, range): (String?, String?, String?)
    /// The header fields of `-H`.
    private var ownFields: [RequestItem] = []
    /// The names of the header fields that `-H` sets or leaves out, in small letters.
    private var ownNames: Set<String> = []
    private var upload: String?
    private var cookieFiles: [String] = []
    private var methodName: String?
    private var flags: Set<CurlOption> = []
    /// Whether the data is JSON by `--json`.
    private var isJSON: Bool

    /// Translates a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - read: Reads a file whole; `-` is standard input.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for what is not supported.
    init(
        _ line: CurlLine,
        read: @escaping (String) throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        data = CurlData(read: read)
        guard let url = line.urls.first else { throw .usage("The line has no URL.") }
        guard line.urls.count == 1 else { throw .usage("The line has more than one URL, which is not supported here.") }
        guard let options = RequestOptions(plain: [try Self.text(url, "The URL")]) else {
            throw .usage("The URL begins with a dash.")
        }
        self.options = options
        output.url = options.url
        self.options.maxRedirects = Self.usualRedirects
        isJSON = line.options.contains { $0.name == .json }
        flags = Set(line.options.filter { !$0.name.takesValue }.map(\.name))
        for option in line.options { try apply(option) }
        try setFlags()
        try setBody()
        try setMethod()
        try setURL()
        setHeaders()
        try setOutput()
    }

    /// The redirects that curl follows without `--max-redirs`.
    private static let usualRedirects = 50

    private static func text(_ bytes: [UInt8], _ place: String) throws(CommandFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(place) has bytes that are not UTF-8, which is not supported here.")
        }
        return text
    }

    // MARK: Options

    private mutating func apply(_ option: CurlLine.Option) throws(CommandFailure) {
        switch option.name {
        case .data, .dataRaw, .dataBinary, .dataURLEncode, .json: return try data.add(option)
        case .urlQuery: return try addQuery(option)
        default: break
        }
        guard option.name.takesValue else { return }
        let value = try Self.text(option.value, "The value of \(option.written)")
        switch option.name {
        case .request: methodName = value
        case .header: try addHeader(value, option)
        case .userAgent: agent = value
        case .referer:
            guard !value.hasSuffix(";auto") else { throw Self.refusal("\(option.written) with ;auto") }
            referer = value
        case .range: range = value
        case .cookie: if value.contains("=") { cookies.append(value) } else { cookieFiles.append(value) }
        case .cookieJar: cookieFiles.append(value)
        case .form: items.append(try CurlFormPart.item(value, option: option.written))
        case .formString: items.append(try CurlFormPart.plainItem(value, option: option.written))
        case .uploadFile: upload = value
        case .dumpHeader: output.headFile = value
        case .writeOut: output.report = try CurlReport(try format(value))
        case .retryDelay: output.retryDelay = try options.seconds(option, value)
        case .outputDirectory: output.folder = value
        case .continueAt:
            guard value == "-" else { throw Self.refusal("\(option.written) with a number") }
            options.saving.continues = true
        default: try options.apply(option, value)
        }
    }

    /// The text of `-w`; a file has it without its line ends.
    private func format(_ value: String) throws(CommandFailure) -> String {
        guard value.hasPrefix("@") else { return value }
        let bytes = try data.read(String(value.dropFirst()))
        return try Self.text(bytes.filter { ![0, 0x0A, 0x0D].contains($0) }, "The file of -w")
    }

    private mutating func addQuery(_ option: CurlLine.Option) throws(CommandFailure) {
        let isPlain = option.value.first == UInt8(ascii: "+")
        query.append(isPlain ? Array(option.value.dropFirst()) : try data.encoded(option))
    }

    private mutating func addHeader(_ field: String, _ option: CurlLine.Option) throws(CommandFailure) {
        guard !field.hasPrefix("@") else { throw Self.refusal("\(option.written) with a file") }
        guard let sign = field.firstIndex(where: { $0 == ":" || $0 == ";" }) else { return }
        let name = String(field[..<sign])
        let value = HeaderValue.trimmed(String(field[field.index(after: sign)...]))
        switch (name.lowercased(), field[sign]) {
        case ("content-length", ":") where !value.isEmpty: return
        case ("transfer-encoding", ":") where value.lowercased() == "chunked": options.chunked = true
        case (let lower, ":"):
            ownNames.insert(lower)
            ownFields.append(value.isEmpty ? .unsetHeader(name: name) : .header(name: name, value: .text(value)))
        case (let lower, _):
            // Curl sends a field without a value for "Name;" only.
            guard value.isEmpty else { return }
            ownNames.insert(lower)
            ownFields.append(.emptyHeader(name: name))
        }
    }

    private mutating func setFlags() throws(CommandFailure) {
        // Curl writes the head for `-I` where it writes it for `-i`.
        options.include = !flags.isDisjoint(with: [.include, .head])
        options.verbose = flags.contains(.verbose)
        options.follow = flags.contains(.location)
        options.checkStatus = !flags.isDisjoint(with: [.fail, .failWithBody])
        output.hidesFailures = flags.contains(.fail)
        output.decodesContent = flags.contains(.compressed)
        output.makesFolder = flags.contains(.createDirectories)
        output.retriesAllErrors = flags.contains(.retryAllErrors)
        output.takesNameOfServer = flags.isSuperset(of: [.remoteName, .remoteHeaderName])
        options.connection.insecure = flags.contains(.insecure)
        options.connection.addresses.ipv4 = flags.contains(.ipv4)
        options.connection.addresses.ipv6 = flags.contains(.ipv6)
        options.connection.proxies.proxyInsecure = flags.contains(.proxyInsecure)
        options.connection.proxies.proxyDigest = flags.contains(.proxyDigest)
        options.authentication.netrc = flags.contains(.netrc)
        if flags.contains(.digest) { options.authentication.authType = .digest }
        if flags.contains(.http1) { options.connection.version = .http1 }
        if flags.contains(.priorKnowledge) { options.connection.version = .priorKnowledge }
        if flags.contains(.http2), !options.url.lowercased().hasPrefix("https://") {
            throw Self.refusal("--http2 with an http URL")
        }
        // A proxy is offered HTTP/2 in any case, unless HTTP/1.1 alone is spoken.
        if flags.isSuperset(of: [.proxyHTTP2, .http1]) { throw Self.refusal("--proxy-http2 with --http1.1") }
        let versions: [(CurlOption, LowestTLSVersion)] = [
            (.tls10, .tls10), (.tls11, .tls11), (.tls12, .tls12), (.tls13, .tls13),
        ]
        for (flag, version) in versions where flags.contains(flag) { options.connection.tlsMin = version }
        switch Set(cookieFiles) {
        case []: options.sessions.cookies.cookies = "off"
        case [""]: options.sessions.cookies.cookies = "memory"
        case let files where files.count == 1 && cookieFiles.count > 1: options.sessions.cookies.cookies = files.first
        default: throw Self.refusal("-b or -c with a file of its own, and not both with one,")
        }
    }

    // MARK: Request

    private var isForm: Bool {
        items.contains { if case .part = $0 { true } else if case .file = $0 { true } else { false } }
    }

    private mutating func setBody() throws(CommandFailure) {
        let isGet = flags.contains(.get)
        guard [!data.isEmpty && !isGet, isForm, upload != nil].count(where: \.self) < 2 else {
            throw .usage("The line has more than one body; curl sends one of -d, -F and -T.")
        }
        // Curl sends it as Content-Range then.
        if range != nil, isForm || upload != nil || (!data.isEmpty && !isGet) {
            throw Self.refusal("-r with a body")
        }
        options.multipart = isForm
        // Only what the line names is sent.
        options.ignoreStdin = true
        if isGet {
            if !data.isEmpty { query.append(try data.collect()) }
        } else if let upload {
            options.chunked = options.chunked || upload == "-"
            items.append(.body(path: HomeFolder.literal(upload)))
        } else if let file = data.file {
            items.append(.body(path: HomeFolder.literal(file)))
        } else {
            body = data.bytes
        }
    }

    private mutating func setMethod() throws(CommandFailure) {
        let implied: HTTPRequest.Method =
            if flags.contains(.head) {
                .head
            } else if upload != nil {
                .put
            } else if isForm || (!data.isEmpty && !flags.contains(.get)) {
                .post
            } else {
                .get
            }
        guard let methodName else { return method = implied }
        guard let named = HTTPRequest.Method(methodName) else { throw .usage("“\(methodName)” is not a method.") }
        method = named
    }

    private mutating func setURL() throws(CommandFailure) {
        var url = CurlURL(options.url)
        if !flags.contains(.globoff), url.hasPattern {
            throw .usage("The URL has brackets or braces, which are a pattern for curl; with -g they are text.")
        }
        if !flags.contains(.pathAsIs) { url.removeDotSegments() }
        options.pathAsIs = true
        if let upload, upload != "-" { url.appendName(of: upload) }
        for part in query { url.append(query: try Self.text(part, "The query")) }
        options.url = url.text
    }

    /// Adds the header fields in the order of curl.
    private mutating func setHeaders() {
        // What `-H` sets or leaves out takes the place of the other options.
        func isOwn(_ name: String) -> Bool { ownNames.contains(name.lowercased()) }
        func add(_ name: String, _ value: String?) {
            guard let value, !isOwn(name) else { return }
            items.append(value.isEmpty ? .unsetHeader(name: name) : .header(name: name, value: .text(value)))
        }
        let hasData = body != nil || data.file != nil
        add("Range", range.map { "bytes=\($0)" })
        add("User-Agent", agent ?? RequestPlan.userAgent)
        add("Accept", isJSON ? nil : "*/*")
        add("Referer", referer)
        add("Cookie", cookies.isEmpty ? nil : cookies.joined(separator: ";"))
        items += ownFields
        if isForm {
            // The boundary is put behind it.
            add("Content-Type", "multipart/form-data")
        } else {
            add("Content-Type", isJSON ? "application/json" : hasData ? "application/x-www-form-urlencoded" : "")
        }
        if isJSON { add("Accept", "application/json") }
        if !flags.contains(.compressed) { add("Accept-Encoding", "") }
    }

    // MARK: Response

    private mutating func setOutput() throws(CommandFailure) {
        if flags.contains(.remoteName) {
            guard let name = CurlURL(options.url).lastName else {
                throw .usage("The URL has no name of a file for -O.")
            }
            options.output = name
        }
        // Curl refuses it, too.
        if flags.contains(.remoteHeaderName), options.include { throw Self.refusal("-J with -i or -I") }
        let isSaved = options.output ?? "-" != "-"
        if isSaved { options.output = options.output.map(output.path) }
        guard options.saving.continues else { return }
        guard isSaved, !output.takesNameOfServer, output.headFile == nil, output.report == nil,
            !options.include
        else {
            throw .usage("-C - needs -o FILE or -O, and cannot be used with -J, -i, -I, -D or -w.")
        }
        guard method == .get else { throw .usage("-C - is for GET: another request may do something a second time.") }
    }

    private static func refusal(_ what: String) -> CommandFailure {
        .usage("\(what) is not supported here.")
    }
}
