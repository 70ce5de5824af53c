import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Joins the pieces of a response body into one `Data` of exactly the size of the body.
///
/// The memory grows by `realloc`, which moves large blocks without copying them, and is cut to size
/// at the end. Unlike a `ByteBuffer`, which counts in 32 bits, it may grow beyond 4 GiB.
///
/// A class, because it owns memory; used by one reader. Safe to use, because the memory is private,
/// is only written to within `capacity`, and is freed exactly once: here, or by the `Data` that
/// took it over.
@safe final class BodyCollector {
    private static let smallestCapacity = 65_536

    /// The only piece so far, which is not copied.
    private var single: ByteBuffer?
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    deinit {
        // Allocated by `realloc`, and nil when a `Data` has taken it over.
        unsafe free(bytes)
    }

    /// Adds a piece.
    ///
    /// - Throws: ``NetworkingError/Code/bodyTooLarge`` when there is no memory for it.
    func append(_ piece: ByteBuffer) throws(NetworkingError) {
        if count == 0 {
            single = piece
            count = piece.readableBytes
            return
        }
        if let first = single {
            single = nil
            count = 0
            try copy(first)
        }
        try copy(piece)
    }

    /// Hands over everything that was added; the collector is empty then.
    func take() -> Data {
        defer {
            single = nil
            unsafe bytes = nil
            capacity = 0
            count = 0
        }
        if let single { return Data(taking: single) }
        guard let bytes = unsafe bytes else { return Data() }
        // `count` bytes were written. A block that cannot be cut to size stays as it is.
        let exact = unsafe realloc(bytes, count) ?? bytes
        return unsafe Data(bytesNoCopy: exact, count: count, deallocator: .free)
    }

    private func copy(_ piece: ByteBuffer) throws(NetworkingError) {
        try reserve(count + piece.readableBytes)
        // There is room for the piece behind the bytes written before.
        unsafe piece.withUnsafeReadableBytes { source in
            guard let base = source.baseAddress, let bytes = unsafe bytes else { return }
            unsafe (bytes + count).copyMemory(from: base, byteCount: source.count)
        }
        count += piece.readableBytes
    }

    private func reserve(_ needed: Int) throws(NetworkingError) {
        guard needed > capacity else { return }
        let larger = max(needed, capacity * 2, Self.smallestCapacity)
        // The system provides memory only for what is written to.
        guard let moved = unsafe realloc(bytes, larger) else {
            throw NetworkingError(
                .bodyTooLarge,
                "There is not enough memory for the response body: \(count) bytes were received so far."
            )
        }
        unsafe bytes = moved
        capacity = larger
    }
}
