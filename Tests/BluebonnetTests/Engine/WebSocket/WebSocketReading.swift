import LocalServer
import NIOCore

@testable import Bluebonnet

extension WebSocketMessageReader {
    /// Reads frames in pieces of so many bytes: the events, and the fault that ends them.
    static func read(
        _ bytes: [UInt8],
        pieces: Int = .max,
        options: WebSocketOptions = WebSocketOptions(),
        deflate: PerMessageDeflate? = nil
    ) -> (events: [Event], fault: WebSocketFault?) {
        var reader = WebSocketMessageReader(options, deflate: deflate)
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = ByteBuffer(bytes: rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            do throws(WebSocketFault) {
                while let event = try reader.next(&piece) { events.append(event) }
            } catch {
                return (events, error)
            }
        }
        return (events, nil)
    }

    /// The same for whole frames.
    static func read(
        _ frames: [WebSocketFrame],
        pieces: Int = .max,
        options: WebSocketOptions = WebSocketOptions(),
        deflate: PerMessageDeflate? = nil
    ) -> (events: [Event], fault: WebSocketFault?) {
        read(frames.flatMap(\.bytes), pieces: pieces, options: options, deflate: deflate)
    }
}

extension WebSocketOptions {
    /// The defaults with these changes.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
