import NIOCore
import Synchronization

@testable import Bluebonnet

extension RequestBody {
    /// The pieces of one sending.
    func pieces() async throws -> [[UInt8]] {
        if case .bytes(let bytes) = storage { return [Array(bytes.readableBytesView)] }
        let pieces = Mutex<[[UInt8]]>([])
        try await produce(.bytes { piece in pieces.withLock { $0.append(Array(piece.readableBytesView)) } })
        return pieces.withLock { $0 }
    }

    /// The bytes of one sending.
    func bytes() async throws -> [UInt8] {
        try await pieces().reduce(into: []) { $0 += $1 }
    }

    /// The bytes of one sending, as text.
    func text() async throws -> String {
        String(decoding: try await bytes(), as: UTF8.self)
    }
}
