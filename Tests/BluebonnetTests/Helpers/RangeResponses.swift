import LocalServer

/// The responses of a server that continues downloads, with cuts.
struct RangeResponses: Sendable {
    var bytes: [UInt8]
    var tag = "\"v1\""
    /// Fields beside `ETag`.
    var headers: [(name: String, value: String)] = []
    /// The most bytes of a body that are sent before the connection is cut; nil for all.
    var cut: Int?

    /// Bytes that show where they come from.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let words = (0..<count / 8 + 1).map { _ in generator.next() }
        return unsafe words.withUnsafeBytes { unsafe Array($0.prefix(count)) }
    }

    /// The steps for a request (RFC 9110 §14.2).
    func steps(_ request: FaultServer.Request) -> [FaultStep] {
        let range = request.value(of: "Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        let isSame = request.value(of: "If-Range").map { $0 == tag } ?? true
        let start = isSame ? range ?? 0 : 0
        guard start < bytes.count else {
            return [.respond(416, headers: [("Content-Range", "bytes */\(bytes.count)"), ("ETag", tag)])]
        }
        let isPart = isSame && range != nil
        var head =
            "HTTP/1.1 \(isPart ? 206 : 200) Scripted\r\nETag: \(tag)\r\nContent-Length: \(bytes.count - start)\r\n"
        if isPart { head += "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n" }
        head += headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        let body = bytes[start...]
        guard let cut, cut < body.count else { return [.send(Array(head.utf8) + body)] }
        return [.send(Array(head.utf8) + body.prefix(cut)), .close]
    }
}
