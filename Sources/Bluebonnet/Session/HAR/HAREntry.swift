import FoundationEssentials
import HTTPTypes
import NIOCore

/// One entry of an archive, of one transaction.
struct HAREntry {
    private let transaction: TransactionMetrics
    private let sent: HARTask.SentBody?
    private let received: HARTask.ReceivedBody?
    private let options: HAROptions
    private let redaction: HARRedaction

    init(
        _ transaction: TransactionMetrics,
        sent: HARTask.SentBody?,
        received: HARTask.ReceivedBody?,
        _ options: HAROptions
    ) {
        self.transaction = transaction
        self.sent = sent
        self.received = received
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
        // A Unix-domain socket has neither.
        if let remote = transaction.remoteEndpoint, let port = remote.port {
            entry["serverIPAddress"] = JSONValue(remote.address)
            // HAR 1.2 also allows another number, but the developer tools of Chromium read the port
            // of the server here, and the number of the connection below.
            entry["connection"] = JSONValue(String(port))
        }
        if let connection = transaction.connectionIdentifier { entry["_connectionId"] = JSONValue(String(connection)) }
        if let proxy = transaction.proxy { entry["_proxy"] = JSONValue(proxy.description) }
        // HAR 1.2 has one address; the others that were tried have a field of this library.
        if transaction.addressAttempts.contains(where: { $0.outcome != .connected }) {
            entry["_addressAttempts"] = JSONValue(transaction.addressAttempts.map(Self.attempt))
        }
        if let error = transaction.error { entry["comment"] = JSONValue(error.message) }
        return .object(entry)
    }

    private static func attempt(_ attempt: TransactionMetrics.AddressAttempt) -> JSONValue {
        var members: JSONObject = [
            "address": JSONValue(attempt.endpoint.address),
            "outcome": JSONValue(attempt.outcome.description),
            "start": HARTimings.milliseconds(attempt.phase.start),
        ]
        if let time = attempt.phase.duration { members["time"] = HARTimings.milliseconds(time) }
        return .object(members)
    }

    private static let dateFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    // MARK: The request

    private var request: JSONValue {
        let request = transaction.request
        let url = redaction.url(request.url)
        let query = url.utf8.firstIndex(of: UInt8(ascii: "?")).map { url[$0...].dropFirst() } ?? ""
        var members: JSONObject = [
            "method": JSONValue(request.method.rawValue),
            "url": JSONValue(url),
            "httpVersion": JSONValue(httpVersion),
            "cookies": JSONValue(requestCookies),
            "headers": JSONValue(sentFields.map { pair($0, redaction.field($0, $1)) }),
            "queryString": JSONValue(HARRedaction.pairs(in: query).map { pair($0.name, $0.value) }),
            "headersSize": JSONValue(
                transaction.bytes.requestHead > 0 ? transaction.bytes.requestHead : -1
            ),
            "bodySize": JSONValue(
                isCounted ? transaction.bytes.requestBody : sent.map { $0.length ?? -1 } ?? 0
            ),
        ]
        members["postData"] = postData
        return .object(members)
    }

    /// The header fields as they were sent: with those that the engine adds, once it has written
    /// them.
    private var sentFields: [(name: String, value: String)] {
        let request = transaction.request
        let fields = request.headerFields.map { (name: $0.name.rawName, value: $0.value) }
        guard transaction.sending != nil, let target = try? RequestTarget(request.url),
            let head = try? RequestHead(
                method: request.method,
                target: target.path,
                host: target.host,
                fields: request.headerFields,
                body: sent.map { $0.length.map(RequestHead.BodyLength.length) ?? .unknownLength }
            )
        else { return fields }
        let host = head.survey.host == nil ? [(name: "Host", value: head.host)] : []
        let framing: [(name: String, value: String)] =
            switch head.missingFraming {
            case nil: []
            case .length(let count): [("Content-Length", String(count))]
            case .unknownLength: [("Transfer-Encoding", "chunked")]
            }
        return host + fields + framing
    }

    /// Whether the bytes were counted, as the engine does; of a transport of the user's, only the
    /// sizes of bodies in memory are known.
    private var isCounted: Bool {
        transaction.connectionIdentifier != nil || transaction.error != nil
    }

    private var postData: JSONValue? {
        guard let sent, !sent.isEmpty else { return nil }
        let fields = transaction.request.headerFields
        var members: JSONObject = ["mimeType": JSONValue(fields[.contentType] ?? ""), "params": []]
        let body: Data? =
            switch sent {
            case .bytes(let bytes): redaction.body(Data(bytes.readableBytesView), fields: fields)
            case .form(let form): redaction.body(form)
            case .omitted: nil
            }
        guard let body else {
            members["text"] = ""
            members["comment"] = "The body was not recorded."
            return .object(members)
        }
        guard let text = String(validating: body, as: UTF8.self) else {
            // HAR 1.2 has no encoding for what is sent; base64 is what version 1.3 proposes.
            members["text"] = JSONValue(body.base64EncodedString())
            members["_encoding"] = "base64"
            members["comment"] = "The text is the body in base64."
            return .object(members)
        }
        if SecretNames.mediaType(fields[.contentType] ?? "") == SecretNames.formType,
            fields[.contentEncoding] == nil
        {
            members["params"] = JSONValue(HARRedaction.pairs(in: text).map { pair($0.name, $0.value) })
        }
        members["text"] = JSONValue(text)
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
            "bodySize": JSONValue(receivedCount),
            "_transferSize": JSONValue(bytes.received),
        ]
        if let error = transaction.error { members["_error"] = JSONValue(error.code.rawValue) }
        return .object(members)
    }

    /// The size of the body as it came, with its framing; -1 where it is not known.
    private var receivedCount: Int {
        if transaction.response == nil { return -1 }
        let count = transaction.bytes.responseBody
        return count > 0 || isCounted || received?.count == 0 ? count : -1
    }

    private var content: JSONValue {
        let head = transaction.response
        let size = received?.count ?? transaction.bytes.decodedResponseBody
        var members: JSONObject = [
            "size": JSONValue(size), "mimeType": JSONValue(head?[.contentType] ?? "x-unknown"),
        ]
        if let saved = transaction.bytesSavedByCoding { members["compression"] = JSONValue(saved) }
        let isDecoded = transaction.bytesSavedByCoding != nil
        guard options.bodyLimit > 0, let bytes = received?.bytes,
            let body = redaction.body(bytes, fields: head?.headerFields ?? [:], isDecoded: isDecoded)
        else {
            if size > 0 { members["comment"] = "The body was not recorded." }
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
        transaction.response?[.location].map { redaction.field("Location", $0) } ?? ""
    }

    /// As it is written in messages: `HTTP/2`, not its registered name `h2`.
    private var httpVersion: String {
        transaction.protocolName == "h2" ? "HTTP/2" : (transaction.protocolName ?? "http/1.1").uppercased()
    }

    // MARK: Cookies

    /// RFC 6265 §4.2.1.
    private var requestCookies: [JSONValue] {
        let lines = transaction.request.headerFields[values: .cookie]
        return lines.flatMap { $0.split(separator: ";") }.map { part in
            let (name, value) = Self.assignment(part)
            return pair(name, redaction.cookie(value, in: .cookie))
        }
    }

    /// RFC 6265 §4.1.1.
    private var responseCookies: [JSONValue] {
        (transaction.response?.values(for: .setCookie) ?? []).map { line in
            var parts = line.split(separator: ";", omittingEmptySubsequences: false)[...]
            let (name, value) = Self.assignment(parts.popFirst() ?? "")
            let shown = redaction.cookie(value, in: .setCookie)
            var cookie: JSONObject = ["name": JSONValue(name), "value": JSONValue(shown)]
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
