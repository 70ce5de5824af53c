import NIOCore
import Testing

@testable import LocalServer

struct FaultRequestParserTests {
    private func requests(in pieces: [String], keepsBodies: Bool = true) -> [FaultServer.Request] {
        var parser = FaultRequestParser(connection: 3, keepsBodies: keepsBodies)
        var requests: [FaultServer.Request] = []
        for piece in pieces {
            var buffer = ByteBuffer(string: piece)
            parser.append(&buffer)
            while let event = parser.next() {
                if case .request(let request) = event {
                    requests.append(request)
                }
            }
        }
        return requests
    }

    @Test(
        arguments: [
            "GET / HTTP/1.1\r\nA: b\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: 1\r\n\r\n",
        ]
    )
    func `a fault server finds pipelined requests wherever the bytes are cut`(text: String) {
        let stream = text + text
        let whole = requests(in: [stream])
        #expect(whole.count == 2)
        #expect(whole.allSatisfy { $0.headText + String(decoding: $0.rawBody, as: UTF8.self) == text })
        #expect(
            requests(in: stream.utf8.map { String(decoding: [$0], as: UTF8.self) }).map(\.body) == whole.map(\.body)
        )
        for cut in 1..<stream.utf8.count {
            let pieces = [stream.utf8.prefix(cut), stream.utf8.dropFirst(cut)].map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(requests(in: pieces).map(\.rawBody) == whole.map(\.rawBody))
        }
    }

    @Test func `a fault server that keeps no bodies finds the requests behind them`() {
        let text = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde"
        for pieces in [[text + text], (text + text).utf8.map { String(decoding: [$0], as: UTF8.self) }] {
            let found = requests(in: pieces, keepsBodies: false)
            #expect(found.count == 2)
            #expect(found.allSatisfy { $0.headText + "abcde" == text && $0.rawBody.isEmpty })
        }
    }

    @Test func `a recorded request has the number of its connection`() {
        #expect(requests(in: ["GET / HTTP/1.1\r\n\r\n"]).map(\.connection) == [3])
    }

    @Test func `a fault server does not record bytes that are not HTTP as a request`() {
        #expect(requests(in: ["\u{16}\u{3}\u{1}binary"]).isEmpty)
        #expect(requests(in: ["POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"]).isEmpty)
    }
}
