import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP2

/// A request with what the endpoints need of it.
struct Exchange: Sendable {
    let request: Request

    /// The address the request came from.
    let origin: String

    /// The values of the parameters of the endpoint's path, percent-encodings undone.
    var parameters: [String: String] = [:]

    /// The pairs of the query string in order.
    let query: [(name: String, value: String)]

    let channel: any Channel
    private let secure: Bool
    private let maximumBodySize: Int

    init(_ request: Request, channel: any Channel, secure: Bool, maximumBodySize: Int) {
        self.request = request
        self.channel = channel
        origin = channel.remoteAddress?.ipAddress ?? "localhost"
        self.secure = secure
        self.maximumBodySize = maximumBodySize
        let parts = (request.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? FormText.pairs(parts[1]) : []
    }

    var method: HTTPRequest.Method { request.method }

    /// Whether the request came over HTTP/2.
    var isOverHTTP2: Bool { channel.isHTTP2Stream }

    /// The stream of HTTP/2 that carries the request; nil over HTTP/1.
    var stream: Int? {
        get async throws {
            guard isOverHTTP2 else { return nil }
            return Int(try await channel.getOption(HTTP2StreamChannelOptions.streamID).get())
        }
    }

    /// The scheme, host and port the client used.
    var base: String {
        "\(secure ? "https" : "http")://\(request.head.authority ?? "localhost")"
    }

    /// The URL the client used.
    var url: String { base + (request.head.path ?? "/") }

    /// The segments of the path, percent-encodings undone.
    var segments: [String] {
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        return path.split(separator: "/").map { FormText.decode($0) }
    }

    /// The header fields in JSON: names in title case, values of one name joined by commas.
    var headers: JSON {
        var members: [String: String] = [:]
        if let authority = request.head.authority {
            members["Host"] = authority
        }
        for field in request.headers {
            let name = Exchange.titleCased(field.name.rawName)
            members[name] = members[name].map { $0 + "," + field.value } ?? field.value
        }
        return .object(members.mapValues { .string($0) })
    }

    /// The query pairs in JSON.
    var arguments: JSON { JSON(pairs: query) }

    /// The first value of a query argument.
    func argument(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// A query argument as a number; throws a 400 when it is not one.
    func number<Number: LosslessStringConvertible>(_ name: String, default value: Number) throws -> Number {
        guard let text = argument(name) else { return value }
        guard let number = Number(text) else { throw EndpointError(.badRequest, "\(name) must be a number.") }
        return number
    }

    /// A parameter of the path; empty when the path has none with this name.
    func parameter(_ name: String) -> String {
        parameters[name] ?? ""
    }

    /// A parameter of the path as a number that is not negative; throws a 404 when it is not one.
    func count(_ name: String) throws -> Int {
        guard let count = Int(parameter(name)), count >= 0 else { throw EndpointError(.notFound, "Not Found") }
        return count
    }

    /// The body; throws a 413 when it is larger than the server keeps, or than the endpoint wants.
    func body(upTo limit: Int = .max) async throws -> [UInt8] {
        let limit = min(limit, maximumBodySize)
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw EndpointError(.contentTooLarge, "The body is larger than \(limit) bytes.")
        }
    }

    /// A name in title case: `content-type` becomes `Content-Type`.
    static func titleCased(_ name: String) -> String {
        name.split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
            .joined(separator: "-")
    }
}

extension Channel {
    /// Whether it is that of a stream of HTTP/2: its parent is that of the connection, whose parent
    /// listens.
    var isHTTP2Stream: Bool { parent?.parent != nil }
}
