import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Bluebonnet

@Suite struct HTTP1ResponseParserFuzzTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `valid responses mean the same here as in NIOHTTP1`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let response = GeneratedResponse(using: &generator, allowsBareLineFeed: false)
            let pieces = response.pieces(using: &generator)
            let ours = ParserProbe(pieces, response.kind)
            let shown = ASCII.escaped(response.bytes, limit: 2_000)
            guard let theirs = try? Oracle.response(pieces, response.kind) else {
                Issue.record("refused by NIOHTTP1: \(shown)")
                continue
            }
            #expect(ours.fault == nil && ours.isComplete && ours.rest.isEmpty, "\(shown)")
            #expect(ours.informational.map(Oracle.withoutReason) == theirs.informational, "\(shown)")
            #expect(ours.head.map(Oracle.withoutReason) == theirs.head, "\(shown)")
            #expect(ours.body == theirs.body, "\(shown)")
            #expect(ours.trailers == theirs.trailers, "\(shown)")
            #expect(ours.isComplete == theirs.isComplete, "\(shown)")
        }
    }

    @Test(arguments: [5, 6, 7, 8] as [UInt64])
    func `malformed responses neither crash nor hang nor depend on how they are split`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var response = GeneratedResponse(using: &generator, allowsBareLineFeed: true)
            response.breakSomething(using: &generator)
            let whole = ParserProbe([response.bytes], response.kind)
            let cut = ParserProbe(response.pieces(using: &generator), response.kind)
            #expect(cut == whole, "\(ASCII.escaped(response.bytes, limit: 2_000))")
            #expect(whole.isComplete != (whole.fault != nil))
        }
    }

    @Test(arguments: [9, 10, 11, 12] as [UInt64])
    func `malformed responses that NIOHTTP1 accepts too mean the same here`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var compared = 0
        for _ in 0..<150 {
            var response = GeneratedResponse(using: &generator, allowsBareLineFeed: false)
            response.breakSomething(using: &generator)
            let ours = ParserProbe([response.bytes], response.kind)
            // NIOHTTP1 waits for more after 101 and repairs bytes that are not UTF-8.
            guard ours.isComplete, let head = ours.head, !head.hasPrefix("1.1 101"),
                let theirs = try? Oracle.response([response.bytes], response.kind)
            else { continue }
            let shown = ASCII.escaped(response.bytes, limit: 2_000)
            #expect(theirs.isComplete, "\(shown)")
            #expect(ours.body == theirs.body, "\(shown)")
            if head.utf8.allSatisfy({ $0 < 0x80 }) {
                #expect(Oracle.withoutReason(head) == theirs.head, "\(shown)")
                compared += 1
            }
        }
        #expect(compared > 20, "\(compared)")
    }
}

/// Responses as NIOHTTP1 parses them.
private enum Oracle {
    static func response(_ pieces: [[UInt8]], _ kind: HTTP1ResponseParser.RequestKind) throws -> ParserProbe {
        let channel = EmbeddedChannel()
        // A channel that is never closed leaks.
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let decoder = HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
        let method: HTTPMethod = kind == .head ? .HEAD : .GET
        // The decoder learns the method from what is written.
        channel.write(
            HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: method, uri: "/")),
            promise: nil
        )
        var probe = ParserProbe([], closes: false)
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        channel.pipeline.fireChannelInactive()
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let head) where head.status.code < 200: probe.informational.append(text(head))
            case .head(let head): probe.head = text(head)
            case .body(let bytes): probe.body += String(latin1: Array(bytes.readableBytesView))
            case .end(let trailers):
                probe.trailers = trailers.map(text)
                probe.isComplete = true
            }
        }
        return probe
    }

    /// A head without its reason phrase: NIOHTTP1 shows the usual one of a code, not the received
    /// one.
    static func withoutReason(_ head: String) -> String {
        let parts = head.split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
        let fields = parts.last?.split(separator: "] ", maxSplits: 1, omittingEmptySubsequences: false).last
        return "\(parts.first ?? "")\(fields ?? "")"
    }

    private static func text(_ head: HTTPResponseHead) -> String {
        "\(head.version.major).\(head.version.minor) \(head.status.code) \(text(head.headers))"
    }

    /// Fields as text, without the whitespace that NIOHTTP1 leaves at the end of values.
    private static func text(_ headers: HTTPHeaders) -> String {
        headers.map { name, value in
            "\(name)=" + String(latin1: Array(value.utf8.reversed().drop(while: ASCII.isBlank).reversed()))
        }
        .joined(separator: "|")
    }
}
