import Testing

@testable import LocalServer

struct HTTP2RequestCollectorTests {
    private let fields = [(":method", "GET"), (":path", "/a"), ("x", String(repeating: "y", count: 300))]

    private func heads(_ frames: [WireFrame]) -> [HTTP2FaultServer.Request] {
        var collector = HTTP2RequestCollector(connection: 2, tableSize: nil)
        return frames.compactMap { frame in
            if case .head(let request) = collector.receive(frame) { request } else { nil }
        }
    }

    @Test(arguments: [1, 2, 5, 400])
    func `a head is collected from HEADERS and CONTINUATION frames`(piece: Int) throws {
        let block = HeaderBlock.literal(fields)
        var frames: [WireFrame] = []
        for start in stride(from: 0, to: block.count, by: piece) {
            let end = min(block.count, start + piece)
            let bytes = Array(block[start..<end])
            let isLast = end == block.count
            frames.append(
                start == 0
                    ? .headers(block: bytes, stream: 3, endStream: true, endHeaders: isLast)
                    : .continuation(bytes, stream: 3, endHeaders: isLast)
            )
        }
        let request = try #require(heads(frames).first)
        #expect(request.connection == 2 && request.stream == 3 && request.isWhole)
        #expect(request.method == "GET" && request.path == "/a" && request.value(of: "x")?.count == 300)
    }

    @Test func `padding and priority are no part of a head`() throws {
        let block = HeaderBlock.literal(fields)
        let payload = [3] + [0, 0, 0, 0, 15] + block + [0, 0, 0]
        let frame = WireFrame(.headers, flags: [.padded, .priority, .endHeaders], stream: 1, payload: payload)
        #expect(heads([frame]).map(\.path) == ["/a"])
    }

    @Test func `a field in the dynamic table is found in the next head`() {
        let first = WireFrame.headers(block: HeaderBlock.indexed([("n", "v")]), stream: 1)
        // RFC 7541 §2.3.3: the newest field of the dynamic table has the index 62.
        let second = WireFrame.headers(block: HeaderBlock.integer(62, prefix: 7, first: 0x80), stream: 3)
        let requests = heads([first, second])
        #expect(requests.map(\.number) == [0, 1])
        #expect(requests.map { $0.value(of: "n") } == ["v", "v"])
    }

    @Test func `the second head of a stream is its trailers`() {
        var collector = HTTP2RequestCollector(connection: 0, tableSize: nil)
        _ = collector.receive(.headers(fields, stream: 1))
        guard case .trailers(1, let trailers) = collector.receive(.headers([("t", "1")], stream: 1, endStream: true))
        else {
            Issue.record("no trailers")
            return
        }
        #expect(trailers.map(\.name) == ["t"])
    }

    @Test func `a block that cannot be decoded is a failure`() {
        var collector = HTTP2RequestCollector(connection: 0, tableSize: nil)
        guard case .failure = collector.receive(.headers(block: [0x80], stream: 1)) else {
            Issue.record("no failure")
            return
        }
    }
}
