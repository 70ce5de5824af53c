import NIOCore

/// The beginning of what a TLS server sends, as far as the cipher suite that it has chosen: NIOSSL
/// does not tell which one that is.
struct ServerHello {
    /// The record header, and the message up to the suite with the longest session ID.
    private static let mostBytes = 5 + 4 + 2 + 32 + 1 + 32 + 2

    private var bytes: [UInt8] = []
    /// Whether nothing more is to be read: the suite is known, or the bytes are none that have one.
    private(set) var isEnd = false
    /// The suite. A server that first asks for another key share names it there already, and keeps
    /// to it (RFC 8446 §4.1.4).
    private(set) var cipherSuite: TLSCipherSuite?

    mutating func read(_ buffer: ByteBuffer) {
        guard !isEnd else { return }
        bytes += buffer.readableBytesView.prefix(Self.mostBytes - bytes.count)
        parse()
    }

    /// A record of the type handshake (RFC 8446 §5.1), which begins with a message ServerHello
    /// (§4.1.3; RFC 5246 §7.4.1.3). Servers do not spread so short a message over several records;
    /// one that does has an unknown suite.
    private mutating func parse() {
        let sessionID = 5 + 4 + 2 + 32
        guard bytes.count > sessionID else {
            // An alert, or no TLS at all.
            if let type = bytes.first, type != 22 { isEnd = true }
            return
        }
        let suite = sessionID + 1 + Int(bytes[sessionID])
        let record = Int(bytes[3]) << 8 | Int(bytes[4])
        guard bytes[0] == 22, bytes[5] == 2, bytes[sessionID] <= 32, 5 + record >= suite + 2 else {
            isEnd = true
            return
        }
        guard bytes.count >= suite + 2 else { return }
        cipherSuite = TLSCipherSuite(rawValue: UInt16(bytes[suite]) << 8 | UInt16(bytes[suite + 1]))
        isEnd = true
    }
}

/// Reads the cipher suite from the handshake on its way to NIOSSL, changes nothing, and leaves the
/// pipeline.
final class ServerHelloReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var hello = ServerHello()

    var cipherSuite: TLSCipherSuite? { hello.cipherSuite }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hello.read(unwrapInboundIn(data))
        let isEnd = hello.isEnd
        context.fireChannelRead(data)
        if isEnd { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }
}
