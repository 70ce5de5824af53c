import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct ServerSentEventParserTests {
    private static func events(_ pieces: [[UInt8]], limit: Int = 1000) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(limit: limit)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.push(ByteBuffer(bytes: piece))
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    private static func message(_ data: String, id: String = "") -> ServerSentEvent {
        ServerSentEvent(data: data, id: id)
    }

    /// The examples of the standard, and cases of its rules that have no example.
    private static let samples: [(String, [ServerSentEvent])] = [
        ("", []),
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [message("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            [message("first event", id: "1"), message("second event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [message(""), message("\n")]),
        ("data:test\n\ndata: test\n\n", [message("test"), message("test")]),
        (
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
            [ServerSentEvent(type: "add", data: "73857293"), ServerSentEvent(type: "remove", data: "2153")]
        ),
        // A type without data is not an event, and is not kept.
        ("event: add\n\ndata: x\n\n", [message("x")]),
        ("event:\ndata: x\n\n", [message("x")]),
        ("data: a\r\rdata: b\r\n\r\ndata: c\n\n", [message("a"), message("b"), message("c")]),
        ("data: a\r\ndata: b\rdata: c\n\r\n", [message("a\nb\nc")]),
        ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [message("a")]),
        ("\u{FEFF}\ndata: a\n\n", [message("a")]),
        (
            "id: 7\ndata: a\n\ndata: b\n\nid: 8\n\ndata: c\n\n",
            [
                message("a", id: "7"), message("b", id: "7"), message("c", id: "8"),
            ]
        ),
        ("id: a\u{0}b\ndata: a\n\n", [message("a")]),
        (
            "retry: 1500\ndata: a\n\nretry: 12x\ndata: b\n\nretry: 99999999999999999999\nretry:\ndata: c\n\n",
            ["a", "b", "c"].map { ServerSentEvent(data: $0, retry: .milliseconds(1500)) }
        ),
        ("DATA: x\ndata : y\n data: z\nfoo: bar\n:data: w\n\n", []),
        ("data: a:b: c\n\n", [message("a:b: c")]),
        ("data: ünï\ncödé: x\n\n", [message("ünï")]),
        ("data: incomplete\n", []),
    ]

    @Test(arguments: samples)
    func `server-sent events are the same however they are split`(_ text: String, _ expected: [ServerSentEvent]) throws
    {
        let bytes = Array(text.utf8)
        #expect(try Self.events([bytes]) == expected)
        #expect(try Self.events(bytes.map { [$0] }) == expected)
        #expect(try Self.events(bytes.flatMap { [[$0], []] }) == expected)
        for cut in 0...bytes.count {
            try #require(try Self.events([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected, "cut at \(cut)")
        }
    }

    @Test func `a server-sent event is complete at its blank line, also where that ends with CR`() throws {
        var parser = ServerSentEventParser(limit: 100)
        parser.push(ByteBuffer(string: "data: a\r\n\r"))
        #expect(try parser.next() == Self.message("a"))
        parser.push(ByteBuffer(string: "\ndata: b\r\r"))
        #expect(try parser.next() == Self.message("b"))
        #expect(try parser.next() == nil)
    }

    @Test func `the bytes of server-sent events that are not UTF-8 are replaced`() throws {
        let bytes = Array("data: a".utf8) + [0xFF, 0xE2, 0x82] + Array("\n\n".utf8)
        #expect(try Self.events([bytes]) == [Self.message("a\u{FFFD}\u{FFFD}")])
    }

    @Test(arguments: [
        "data: 12345\n\n", "data: 12345", "data: 1234\ndata: 5\n\n", ": 123456789\n", "data: 1\n: 1234567\n\n",
    ])
    func `a server-sent event beyond the limit is an error`(_ text: String) throws {
        let bytes = Array(text.utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            #expect(throws: ServerSentEventParser.EventTooLarge.self) { try Self.events(pieces, limit: 10) }
            _ = try Self.events(pieces, limit: 20)
        }
    }

    @Test func `the last identifier and the retry time of the previous event stream are kept`() throws {
        var parser = ServerSentEventParser(limit: 100, lastEventID: "9", retry: .seconds(1))
        parser.push(ByteBuffer(string: "data: a\n\nid\n\n"))
        #expect(try parser.next() == ServerSentEvent(data: "a", id: "9", retry: .seconds(1)))
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "")
    }

    @Test func `the identifier of a server-sent event counts when the event is complete`() throws {
        var parser = ServerSentEventParser(limit: 100, lastEventID: "1")
        parser.push(ByteBuffer(string: "id: 2\ndata: a\n"))
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "1")
        parser.push(ByteBuffer(string: "\n"))
        #expect(try parser.next()?.id == "2")
        #expect(parser.lastEventID == "2")
    }

    @Test(arguments: [1, 100, .max], ["data: a\n", "data: a\n\n", "\r", ":", "data", "id: 1\revent: e\r\n"])
    func `the parsing work of server-sent events grows linearly with the size, however it is split`(
        piece: Int,
        line: String
    ) throws {
        let steps = try [4_000, 8_000, 16_000].map { size in
            var parser = ServerSentEventParser(limit: .max)
            var bytes = ByteBuffer(string: String(repeating: line, count: size / line.utf8.count))
            while bytes.readableBytes > 0, let next = bytes.readSlice(length: min(piece, bytes.readableBytes)) {
                parser.push(next)
                while try parser.next() != nil {}
            }
            #expect(parser.examined <= 4 * size)
            return parser.examined
        }
        for (less, more) in zip(steps, steps.dropFirst()) { #expect(more < less * 9 / 4) }
    }
}
