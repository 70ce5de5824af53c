import FoundationEssentials
import HTTPTypes
import NIOCore

/// A task that a recorder keeps, and the entries it makes of it.
struct HARTask: Sendable {
    /// An entry with the time by which the archive is sorted.
    struct Entry {
        var startedAt: Date
        var json: JSONValue
    }

    private let metrics: TaskMetrics
    /// The body of the last response, if it is not too large.
    private let body: Data?
    let entryCount: Int

    init(_ report: TaskReport, bodyLimit: Int) {
        metrics = report.metrics
        body = report.body.flatMap { $0.count <= bodyLimit ? $0 : nil }
        entryCount = report.metrics.transactionCount
    }

    func entries(_ options: HAROptions) -> [Entry] {
        let transactions = metrics.transactions
        return transactions.map { transaction in
            let isLast = transaction.number == transactions.count - 1
            return Entry(
                startedAt: transaction.startDate,
                json: HAREntry(transaction, body: isLast ? body : nil, options).json
            )
        }
    }
}

/// One entry of an archive, of one transaction.
struct HAREntry {
    private let transaction: TransactionMetrics
    private let body: Data?
    private let options: HAROptions
    private let redaction: HARRedaction

    init(_ transaction: TransactionMetrics, body: Data?, _ options: HAROptions) {
        self.transaction = transaction
        self.body = body
        self.options = options
        redaction = HARRedaction(options)
    }

    var json: JSONValue {
        let timings = HARTimings(transaction)
        var entry: JSONObject = [
            "startedDateTime": JSONValue(transaction.startDate.formatted(Self.dateFormat)),
            "time": timings.total,
            "request": request,
            "response": response,
            "cache": [:],
            "timings": timings.json,
            // The developer tools of Chromium take the kind of the request from it.
            "_resourceType": "fetch",
        ]
        // That of a Unix-domain socket has none.
        if let remote = transaction.remoteEndpoint, remote.port != nil {
            entry["serverIPAddress"] = JSONValue(remote.address)
        }
        if let connection = transaction.connectionIdentifier { entry["connection"] = JSONValue(String(connection)) }
        if let error = transaction.error { entry["comment"] = JSONValue(error.message) }
        return .object(entry)
    }

    private static let dateFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    // MARK: The request

    private var request: JSONValue {
        let request = transaction.request
        let fields = request.headerFields.map { ($0.name.rawName, $0.value) }
        var members: JSONObject = [
            "method": JSONValue(request.method.rawValue),
            "url": JSONValue(redaction.url(request.url)),
            "httpVersion": JSONValue(httpVersion),
            "cookies": JSONValue(requestCookies),
            "headers": JSONValue(fields.map { pair($0, redaction.field($0, $1)) }),
            "queryString": JSONValue(
                redaction.pairs(in: request.url.query(percentEncoded: true) ?? "").map { pair($0.name, $0.value) }
            ),
            "headersSize": JSONValue(transaction.bytes.requestHead > 0 ? transaction.bytes.requestHead : -1),
            "bodySize": JSONValue(transaction.bytes.requestBody),
        ]
        members["postData"] = postData
        return .object(members)
    }

    private var postData: JSONValue? {
        guard let body = transaction.request.body, body.length != 0 else { return nil }
        let type = transaction.request.headerFields[.contentType] ?? ""
        let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        var members: JSONObject = ["mimeType": JSONValue(type), "params": []]
        guard case .bytes(let buffer) = body.storage, buffer.readableBytes <= options.bodyLimit else {
            members["text"] = ""
            members["comment"] = "The body was not recorded."
            return .object(members)
        }
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            // HAR 1.2 has no encoding for what is sent; base64 is what version 1.3 proposes.
            members["text"] = JSONValue(Data(taking: buffer).base64EncodedString())
            members["_encoding"] = "base64"
            members["comment"] = "The text is the body in base64."
            return .object(members)
        }
        if isForm {
            let pairs = redaction.pairs(in: text)
            members["params"] = JSONValue(pairs.map { pair($0.name, $0.value) })
            members["text"] = JSONValue(redaction.encoded(pairs: text))
        } else {
            members["text"] = JSONValue(text)
        }
        return .object(members)
    }

    // MARK: The response

    private var response: JSONValue {
        let (head, bytes) = (transaction.response, transaction.bytes)
        var members: JSONObject = [
            "status": JSONValue(head?.status.code ?? 0),
            "statusText": JSONValue(head?.status.reasonPhrase ?? ""),
            "httpVersion": JSONValue(head == nil ? "" : httpVersion),
            "cookies": JSONValue(responseCookies),
            "headers": JSONValue(
                (head?.headerFields ?? [:]).map { pair($0.name.rawName, redaction.field($0.name.rawName, $0.value)) }
            ),
            "content": content,
            "redirectURL": JSONValue(redirectURL),
            "headersSize": JSONValue(bytes.responseHead > 0 ? bytes.responseHead : -1),
            "bodySize": JSONValue(head == nil ? -1 : bytes.responseBody),
            "_transferSize": JSONValue(bytes.received),
        ]
        if let error = transaction.error { members["_error"] = JSONValue(error.code.rawValue) }
        return .object(members)
    }

    private var content: JSONValue {
        let bytes = transaction.bytes
        var members: JSONObject = [
            "size": JSONValue(bytes.decodedResponseBody),
            "mimeType": JSONValue(transaction.response?[.contentType] ?? "x-unknown"),
        ]
        if bytes.responseBody > 0, bytes.decodedResponseBody > 0 {
            members["compression"] = JSONValue(bytes.decodedResponseBody - bytes.responseBody)
        }
        guard let body = body ?? transaction.error?.body, body.count <= options.bodyLimit, options.bodyLimit > 0 else {
            if bytes.decodedResponseBody > 0 { members["comment"] = "The body was not recorded." }
            return .object(members)
        }
        if let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
            members["text"] = JSONValue(text)
        } else {
            members["text"] = JSONValue(body.base64EncodedString())
            members["encoding"] = "base64"
        }
        return .object(members)
    }

    /// `Location` as it came, but without secrets.
    private var redirectURL: String {
        guard let location = transaction.response?[.location] else { return "" }
        return URL(string: location).map(redaction.url) ?? location
    }

    private var httpVersion: String { (transaction.protocolName ?? "http/1.1").uppercased() }

    // MARK: Cookies

    /// RFC 6265 §4.2.1.
    private var requestCookies: [JSONValue] {
        let lines = transaction.request.headerFields[values: .cookie]
        return lines.flatMap { $0.split(separator: ";") }.map { part in
            let (name, value) = Self.assignment(part)
            return pair(name, redaction.cookie(value))
        }
    }

    /// RFC 6265 §4.1.1.
    private var responseCookies: [JSONValue] {
        (transaction.response?.values(for: .setCookie) ?? []).map { line in
            var parts = line.split(separator: ";", omittingEmptySubsequences: false)[...]
            let (name, value) = Self.assignment(parts.popFirst() ?? "")
            var cookie: JSONObject = ["name": JSONValue(name), "value": JSONValue(redaction.cookie(value))]
            cookie["httpOnly"] = false
            cookie["secure"] = false
            for part in parts {
                let (name, value) = Self.assignment(part)
                switch name.lowercased() {
                case "path": cookie["path"] = JSONValue(value)
                case "domain": cookie["domain"] = JSONValue(value)
                case "httponly": cookie["httpOnly"] = true
                case "secure": cookie["secure"] = true
                case "expires":
                    guard let date = HTTPDate(value) else { continue }
                    let moment = Date(timeIntervalSince1970: Double(date.secondsSince1970))
                    cookie["expires"] = JSONValue(moment.formatted(Self.dateFormat))
                default: break
                }
            }
            return .object(cookie)
        }
    }

    private static func assignment(_ text: Substring) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " || $0 == "\t" })
        }
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    private func pair(_ name: String, _ value: String) -> JSONValue {
        ["name": JSONValue(name), "value": JSONValue(value)]
    }
}
