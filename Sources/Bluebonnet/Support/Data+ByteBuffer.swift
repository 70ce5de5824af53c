import FoundationEssentials
import NIOCore

extension Data {
    /// Below this a copy is cheaper than keeping the receive buffer alive.
    private static let copyLimit = 16 * 1024

    /// Whether ``init(taking:)`` makes no copy.
    static func sharesMemory(of buffer: ByteBuffer) -> Bool {
        buffer.readableBytes > copyLimit && buffer.readableBytes >= buffer.storageCapacity / 2
    }

    /// The readable bytes: large ones shared without a copy, small ones copied, and so are those
    /// that would keep a receive buffer alive which is more than twice as large.
    ///
    /// Only for a buffer whose bytes are not read afterwards: the only owner of the data writes
    /// into the shared memory.
    init(taking buffer: ByteBuffer) {
        guard Self.sharesMemory(of: buffer) else {
            self = unsafe buffer.withUnsafeReadableBytes { bytes in unsafe Data(bytes) }
            return
        }
        // The storage is reference counted and stays valid while `buffer` is alive: the
        // deallocator's closure keeps it, and no `ByteBuffer` writes to it, because each copies
        // shared storage before it writes.
        self = unsafe buffer.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard let base = bytes.baseAddress else { return Data() }
            _ = unsafe storage.retain()
            let holder = unsafe StorageHolder(storage: storage)
            return unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: base),
                count: bytes.count,
                deallocator: .custom { _, _ in unsafe holder.storage.release() }
            )
        }
    }

    // Unchecked Sendable: retained by hand above and released exactly once, by the deallocator;
    // never touched otherwise.
    @safe private struct StorageHolder: @unchecked Sendable {
        let storage: Unmanaged<AnyObject>
    }
}
