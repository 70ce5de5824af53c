import FoundationEssentials
import HTTPTypes
import NIOCore

/// A header field as a journal keeps it: each byte of the value is the character of the same
/// number.
struct StoredField: Sendable, Hashable, Codable {
    var name: String
    var value: String

    /// The field again; nil when it is none.
    var field: HTTPField? {
        HTTPField.Name(name).flatMap { HTTPField(name: $0, latin1Value: value) }
    }
}

/// A request as a journal keeps it.
struct StoredRequest: Sendable, Hashable, Codable {
    /// The most bytes of a body in memory that are stored; of the response, too.
    static let longestBody = 1 << 20

    private struct Priority: Sendable, Hashable, Codable {
        var urgency: Int
        var isIncremental: Bool

        init(_ priority: RequestPriority) {
            (urgency, isIncremental) = (priority.urgency, priority.isIncremental)
        }

        var priority: RequestPriority { RequestPriority(urgency: urgency, isIncremental: isIncremental) }
    }

    private struct Times: Sendable, Hashable, Codable {
        var waiting: Duration?
        var connect: Duration?
        var firstByte: Duration?
        var betweenBytes: Duration?
        var request: Duration?
        var continueWait: Duration?
    }

    private var method: String
    let url: URL
    private var fields: [StoredField]
    private var body: Data?
    private var file: String?
    private var fileLength: Int?
    /// The version of the file; nil before the upload was begun.
    var fileIdentity: FileIdentity?
    private var timeouts: Times?
    private var redirectPolicy: String?
    private var expectsContinue: Bool?
    private var taskDescription: String?
    private var allowsExpensiveNetworkAccess: Bool?
    private var allowsCellularAccess: Bool?
    private var cachePolicy: String?
    private var handlesCookies: Bool?
    private var usesPipelining: Bool?
    private var priority: Priority?
    private var timeoutInterval: Duration?
    private var requestTimeout: Duration?
    private var downloadSegments: Int?
    /// The version of the draft; 0 for none.
    private var resumableUploads: Int?
    private var obeysRateLimits: Bool?
    /// The priority of the task, where another one was chosen for it.
    private var taskPriority: Priority?

    /// - Throws: ``NetworkingError/Code/invalidRequest`` for what cannot be stored.
    init(_ request: Request) throws(NetworkingError) {
        guard request.interceptors.isEmpty else {
            throw Self.failure(
                "an interceptor of its own, which is code. Give the interceptor to the SessionConfiguration",
                request
            )
        }
        guard request.retriers.isEmpty else {
            throw Self.failure("a retrier of its own, which is code. Give it to the SessionConfiguration", request)
        }
        guard request.body?.trailers == nil else {
            throw Self.failure("trailers, which code makes. Send them in a session without one", request)
        }
        method = request.method.rawValue
        url = request.url.absoluteURL
        fields = request.headerFields.map { StoredField(name: $0.name.rawName, value: $0.latin1Value) }
        switch request.body?.storage {
        case nil: break
        case .file(let path, let length): (file, fileLength) = (Self.absolute(path), length)
        case .bytes(let bytes) where bytes.readableBytes <= Self.longestBody: body = request.body?.data
        case .bytes(let bytes):
            throw Self.failure("a body of \(bytes.readableBytes) bytes in memory. Send it from a file", request)
        case .produced:
            throw Self.failure("a body that is produced while it is sent. Write it to a file, and send that", request)
        }
        timeouts = request.timeouts.map { times in
            Times(
                waiting: times.waiting,
                connect: times.connect,
                firstByte: times.firstByte,
                betweenBytes: times.betweenBytes,
                request: times.request,
                continueWait: times.continueWait
            )
        }
        redirectPolicy = request.redirectPolicy?.description
        expectsContinue = request.expectsContinue
        taskDescription = request.taskDescription
        let properties = request.properties
        allowsExpensiveNetworkAccess = properties.allowsExpensiveNetworkAccess
        allowsCellularAccess = properties.allowsCellularAccess
        cachePolicy = properties.cachePolicy?.rawValue
        handlesCookies = properties.handlesCookies
        usesPipelining = properties.usesPipelining
        priority = properties.priority.map(Priority.init)
        timeoutInterval = properties.timeoutInterval
        requestTimeout = properties.requestTimeout
        downloadSegments = properties.downloadSegments
        resumableUploads = properties.resumableUploads.map { $0.version?.number ?? 0 }
        obeysRateLimits = properties.obeysRateLimits
    }

    private static func failure(_ what: String, _ request: Request) -> NetworkingError {
        NetworkingError(
            .invalidRequest,
            "\(request) cannot outlive the process, because it has \(what), or use a session without a journal.",
            request: request
        )
    }

    /// The path that means the same in another process.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The request again; nil when it is none. Its file is not looked at.
    var request: Request? {
        guard let method = HTTPRequest.Method(rawValue: method) else { return nil }
        var request = Request(method: method, url: url)
        for field in fields {
            guard let field = field.field else { return nil }
            request.headerFields.append(field)
        }
        if let body { request.body = .data(body) }
        if let file, let fileLength { request.body = RequestBody(.file(path: file, length: fileLength)) }
        request.timeouts = timeouts.map { times in
            Timeouts(
                waiting: times.waiting,
                connect: times.connect,
                firstByte: times.firstByte,
                betweenBytes: times.betweenBytes,
                request: times.request,
                continueWait: times.continueWait
            )
        }
        request.redirectPolicy = redirectPolicy.map { RedirectPolicy(description: $0) }
        request.expectsContinue = expectsContinue
        request.taskDescription = taskDescription
        var properties = RequestProperties()
        properties.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        properties.allowsCellularAccess = allowsCellularAccess
        properties.cachePolicy = cachePolicy.flatMap { CachePolicy(rawValue: $0) }
        properties.handlesCookies = handlesCookies
        properties.usesPipelining = usesPipelining
        properties.priority = priority?.priority
        properties.timeoutInterval = timeoutInterval
        properties.requestTimeout = requestTimeout
        properties.downloadSegments = downloadSegments
        properties.resumableUploads = resumableUploads.map { number in
            ResumableUploads.DraftVersion(known: number).map { .automatic($0) } ?? .off
        }
        properties.obeysRateLimits = obeysRateLimits
        request.properties = properties
        return request
    }

    /// The priority that was chosen for the task; nil while it is that of the request.
    var chosenPriority: RequestPriority? {
        get { taskPriority?.priority }
        set { taskPriority = newValue.map(Priority.init) }
    }

    /// The version of the file that is sent, which is the one that was noted; nil without a file.
    /// Blocks.
    ///
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` when it is another one, or not there.
    func checkedFile() throws(NetworkingError) -> FileIdentity? {
        guard let file else { return nil }
        let found: FileIdentity
        do {
            found = try FileIdentity(following: file)
        } catch {
            throw NetworkingError(.requestBodyFailed, "The file cannot be sent: \(error)", underlying: error)
        }
        if let fileIdentity, !fileIdentity.hasContents(of: found) {
            throw NetworkingError(.requestBodyFailed, "\(file) has changed since its upload was begun.")
        }
        return found
    }
}
