import FoundationEssentials
import HTTPTypes
import NIOCore

/// What came of a transfer, as a journal keeps it until somebody has taken it.
struct TransferResult: Sendable, Codable {
    /// An error without what is code, and without its request.
    struct Failure: Sendable, Codable {
        var code: String
        var message: String
        var resumeData: ResumeData?
        var uploadResumeData: UploadResumeData?
    }

    /// The most bytes that are stored of a body that an error has.
    static let longestErrorBody = 65_536

    var head: StoredHead?
    /// The URL after redirects.
    var url: URL?
    /// The file of a download.
    var file: String?
    /// The body of the response to an upload, or of a response that was refused.
    var body: Data?
    var failure: Failure?

    /// The result of a download.
    init(head: StoredHead, url: URL? = nil, file: String) {
        self.head = head
        self.url = url
        self.file = file
    }

    init(_ response: TransportResponse, _ file: URL) {
        self.init(
            head: StoredHead(response.head),
            url: response.request.url,
            file: StoredRequest.absolute(file.path(percentEncoded: false))
        )
    }

    /// The result of an upload: whatever the server responded. A body that is too long for the
    /// journal is an error in the next process.
    init(_ received: ReceivedResponse) {
        head = StoredHead(received.transport.head)
        url = received.transport.request.url
        let count = received.body.count
        guard count > StoredRequest.longestBody else {
            body = received.body
            return
        }
        body = received.body.prefix(Self.longestErrorBody)
        failure = Failure(
            code: NetworkingError.Code.bodyTooLarge.rawValue,
            message: "The request was sent in an earlier process, and answered with a body of \(count) bytes. Only its"
                + " beginning was stored, because it has more than \(StoredRequest.longestBody) bytes."
        )
    }

    init(_ error: NetworkingError) {
        head = error.response.map { StoredHead($0) }
        url = error.request?.url
        body = error.body?.prefix(Self.longestErrorBody)
        failure = Failure(
            code: error.code.rawValue,
            message: error.message,
            resumeData: error.resumeData,
            uploadResumeData: error.uploadResumeData
        )
    }

    /// The response to the request of a call.
    ///
    /// - Throws: The error of a transfer that failed.
    func response(to call: Call) throws(NetworkingError) -> ReceivedResponse {
        var request = call.originalRequest
        if let url { request.setURL(url, target: nil) }
        if let failure {
            var error = NetworkingError(
                NetworkingError.Code(rawValue: failure.code) ?? .storeFailed,
                failure.message,
                request: request,
                response: head?.head,
                body: body
            )
            error.resumeData = failure.resumeData
            error.uploadResumeData = failure.uploadResumeData
            throw error
        }
        guard let head else { throw NetworkingError(.storeFailed, "The result of the transfer is not whole.") }
        let response = TransportResponse(head: head.head, request: request)
        return ReceivedResponse(transport: response, body: body ?? Data(), startedAt: .now(), call: call)
    }
}

/// Status and header fields as a journal keeps them. The version of HTTP is not among them.
struct StoredHead: Sendable, Codable {
    private var statusCode: Int
    private var reason: String
    private var fields: [StoredField]

    init(_ head: ResponseHead) {
        let status = head.status
        (statusCode, reason) = (status.code, status.reasonPhrase)
        fields = head.latin1Fields.map { StoredField(name: $0.name, value: $0.value) }
    }

    var head: ResponseHead {
        var headerFields = HTTPFields()
        for field in fields {
            if let field = field.field { headerFields.append(field) }
        }
        // A status of swift-http-types has three digits.
        let code = (100...999).contains(statusCode) ? statusCode : 999
        return ResponseHead(status: .init(code: code, reasonPhrase: reason), headerFields: headerFields)
    }
}
