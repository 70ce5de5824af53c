import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The result of a line.
struct BatchResult: Sendable {
    /// The response body, or the number of bytes that were written to a file.
    enum Body: Sendable {
        case inline(Data)
        /// The body was streamed into a file.
        case written(bytes: Int)
    }

    /// The parts of a response that a result shows.
    struct Received: Sendable {
        var head: ResponseHead
        var url: URL
        var body: Body
        var trailers: HTTPFields
        var informational: [ResponseHead]
        var redirects: [URL]
        var retries: Int
        var timings: Timings
        /// Whether the body was stored in the cache.
        var isFromCache = false
    }

    /// A response, or the error with the status of the head if one had arrived.
    enum Outcome: Sendable {
        case response(Received)
        case error(BatchError, status: Int?)
    }

    /// The `id` as JSON.
    var id: String
    var outcome: Outcome

    /// Whether the line has no response.
    var isError: Bool {
        if case .error = outcome { true } else { false }
    }

    /// The result as a line of JSON with its line end.
    func line() -> [UInt8] {
        let members =
            switch outcome {
            case .response(let received): Self.members(of: received)
            case .error(let error, let status): Self.members(of: error, status)
            }
        // The `id` is written as it was read, and not as a value of JSON, in which `1e2` is 100.0.
        let rest = JSONValue.object(members).description.utf8.dropFirst()
        return Array("{\"id\":\(id),".utf8) + rest + [UInt8(ascii: "\n")]
    }

    private static func members(of error: BatchError, _ status: Int?) -> JSONObject {
        var shown: JSONObject = ["code": .string(error.code), "message": .string(error.message)]
        if let rule = error.rule { shown["rule"] = .string(rule) }
        var members: JSONObject = ["error": .object(shown)]
        if let status { members["status"] = JSONValue(status) }
        return members
    }

    private static func members(of received: Received) -> JSONObject {
        let status = received.head.status
        var members: JSONObject = [
            "status": JSONValue(status.code), "reason": .string(status.reasonPhrase),
            "httpVersion": .string(received.head.httpVersion.description),
            "url": .string(Credentials.removed(from: received.url)),
            "headers": pairs(received.head.latin1Fields),
        ]
        switch received.body {
        case .inline(let data):
            if let text = String(validating: data, as: UTF8.self) {
                members["body"] = .string(text)
            } else {
                members["bodyBase64"] = .string(data.base64EncodedString())
            }
            members["bytes"] = JSONValue(data.count)
        case .written(let count):
            members["bytes"] = JSONValue(count)
        }
        members["trailers"] = pairs(received.trailers.map { ($0.name.rawName, $0.latin1Value) })
        members["interim"] = .array(
            received.informational.map { [JSONValue($0.status.code), pairs($0.latin1Fields)] }
        )
        members["fromCache"] = JSONValue(received.isFromCache)
        members["redirects"] = .array(received.redirects.map { .string(Credentials.removed(from: $0)) })
        members["retries"] = JSONValue(received.retries)
        members["timings"] = json(received.timings)
        return members
    }

    private static func pairs(_ fields: [(name: String, value: String)]) -> JSONValue {
        .array(fields.map { [.string($0.name), .string($0.value)] })
    }

    /// Seconds with microseconds; 0 for a phase that did not happen.
    private static func json(_ timings: Timings) -> JSONValue {
        func seconds(_ duration: Duration?) -> JSONValue {
            let (seconds, attoseconds) = duration?.components ?? (0, 0)
            return JSONValue(Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000_000)
        }
        return [
            "queue": seconds(timings.queue), "dns": seconds(timings.dns), "connect": seconds(timings.connect),
            "proxy": seconds(timings.proxy), "tls": seconds(timings.tls), "firstByte": seconds(timings.firstByte),
            "total": seconds(timings.total),
            "reused": JSONValue(timings.isConnectionReused),
        ]
    }
}
