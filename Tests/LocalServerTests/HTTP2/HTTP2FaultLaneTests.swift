import Testing

@testable import LocalServer

struct HTTP2FaultLaneTests {
    @Test(arguments: [1, 3, 4, 100])
    func `a body is cut into frames that fit, and only the last ends the stream`(room: Int) {
        var body = HTTP2FaultLane.Body(block: [1, 2, 3, 4], blocks: 3, endStream: true)
        var bytes: [UInt8] = []
        var ends: [Bool] = []
        while !body.isSent, let piece = body.next(upTo: room) {
            bytes += piece.bytes
            ends.append(piece.endStream)
            #expect(piece.bytes.count <= room)
        }
        #expect(bytes == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
        #expect(ends.last == true && ends.count { $0 } == 1)
    }

    @Test func `a body waits where there is no room, and an empty one does not`() {
        var body = HTTP2FaultLane.Body(block: [1], blocks: 1, endStream: false)
        #expect(body.next(upTo: 0) == nil)
        #expect(!body.isSent)
        var empty = HTTP2FaultLane.Body(block: [], blocks: 1, endStream: true)
        #expect(empty.next(upTo: 0)?.endStream == true)
        #expect(empty.isSent)
    }
}
