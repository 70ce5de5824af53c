import Foundation
import LocalServer
import NIOSSL
import Testing

/// The response to one request. The chunks of a chunked body are joined.
struct RawResponse {
    var status: Int
    var headText: String
    var fields: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func value(of name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The body as a JSON object.
    func object() throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }

    /// Sends one request on a new connection and receives all bytes until the server closes it.
    static func fetch(
        _ target: String,
        method: String = "GET",
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        from server: LocalServer,
        tls: TLSConfiguration? = nil
    ) async throws -> RawResponse {
        let connection = try await RawConnection.connect(port: server.port, path: server.socketPath, tls: tls)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\n"
        for field in headers {
            head += "\(field.name): \(field.value)\r\n"
        }
        if !body.isEmpty {
            head += "Content-Length: \(body.count)\r\n"
        }
        try await connection.send(Array((head + "\r\n").utf8) + body)
        let bytes = try await connection.receiveAll()
        await connection.close()
        return try #require(RawResponse(bytes), "not an HTTP response: \(String(decoding: bytes, as: UTF8.self))")
    }

    /// Sends a text with POST on a new connection.
    static func post(
        _ target: String,
        _ body: String,
        headers: [(name: String, value: String)] = [],
        to server: LocalServer
    ) async throws -> RawResponse {
        try await fetch(target, method: "POST", headers: headers, body: Array(body.utf8), from: server)
    }

    private init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        headText = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = headText.split(separator: "\r\n")
        guard let code = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        status = code
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        body = Array(bytes[end.upperBound...])
        if value(of: "transfer-encoding") == "chunked" {
            body = RawResponse.joinChunks(body)
        }
    }

    private static func joinChunks(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var body: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            body += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return body
    }
}
