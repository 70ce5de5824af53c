import FoundationEssentials
import HTTPTypes
import NIOCore

/// The bytes of responses that are stored in parts (RFC 9111 §3.4).
extension HTTPCache {
    /// The body of a stored response, or a range of it, which several parts may have; nil where
    /// there is none any more.
    func body(of record: CacheRecord, _ parts: StoredParts?, _ range: Range<Int>?) async -> ResponseBody? {
        guard let parts else { return await body(of: record, range) }
        guard let segments = parts.segments(of: range ?? 0..<record.completeByteCount) else { return nil }
        var bodies: [ResponseBody] = []
        for segment in segments {
            let isAll = segment.rangeOfPart == 0..<segment.record.byteCount
            guard let body = await body(of: segment.record, isAll ? nil : segment.rangeOfPart) else { return nil }
            bodies.append(body)
        }
        return bodies.count == 1 ? bodies[0] : .joined(bodies)
    }

    /// Puts the parts of a response together, now that there is one more: to the whole where none
    /// is missing, and to longer parts where there are too many.
    ///
    /// Parts that have the same bytes in common are compared. Where they differ the server gives
    /// one entity tag to several versions, and all are removed.
    ///
    /// - Parameters:
    ///   - record: The newest part, which the store has.
    ///   - isCurrent: Whether nothing has made it outdated.
    /// - Returns: Whether its bytes are still stored.
    func join(_ record: CacheRecord, while isCurrent: () -> Bool) async -> Bool {
        let parts = StoredParts(of: record, among: await found(record.key))
        for other in parts.records where other.identifier != record.identifier {
            guard await agree(record, other) else {
                for part in parts.records { await attempt { try await $0.remove(part) } }
                return false
            }
        }
        let whole = 0..<record.completeByteCount
        if whole.count <= store.bodyLimit, parts.gap(in: whole) == nil {
            await copy(parts, whole, to: record.renumbered().with(nil), while: isCurrent)
        } else if parts.records.count > StoredParts.most {
            await reduce(parts, record, while: isCurrent)
        }
        return isCurrent()
    }

    /// Makes fewer of too many parts.
    private func reduce(_ parts: StoredParts, _ record: CacheRecord, while isCurrent: () -> Bool) async {
        if let run = parts.longestRun, run.count <= store.bodyLimit {
            let part = CacheRecord.Part(run, of: record.completeByteCount)
            await copy(parts, run, to: record.renumbered().with(part), while: isCurrent)
        } else if let smallest = parts.records.min(by: { $0.byteCount < $1.byteCount }) {
            await attempt { try await $0.remove(smallest) }
        }
    }

    /// Whether the bytes that two parts have in common are the same.
    private func agree(_ one: CacheRecord, _ other: CacheRecord) async -> Bool {
        guard let part = one.part, let otherPart = other.part, part.overlaps(otherPart) else { return true }
        let common = part.clamped(to: otherPart)
        func body(_ record: CacheRecord, _ start: Int) async -> ResponseBody? {
            await self.body(of: record, common.lowerBound - start..<common.upperBound - start)
        }
        // One that is gone contradicts nothing.
        guard let left = await body(one, part.lowerBound), let right = await body(other, otherPart.lowerBound) else {
            return true
        }
        return (try? await left.hasSameBytes(as: right)) ?? false
    }

    private struct PartIsGone: Error {}

    /// Stores the bytes of several parts as one response, in the place of the parts.
    private func copy(
        _ parts: StoredParts,
        _ range: Range<Int>,
        to record: CacheRecord,
        while isCurrent: () -> Bool
    ) async {
        guard let segments = parts.segments(of: range) else { return }
        await attempt { store in
            let writer = try await store.writer(for: record)
            do {
                for segment in segments {
                    // All of it, so that the store can compare it with what was written.
                    guard let body = try await store.body(of: segment.record, range: nil) else { throw PartIsGone() }
                    var (buffers, position) = (body.makeBuffers(), 0)
                    while let piece = try await buffers.next() {
                        let bytes = position..<position + piece.readableBytes
                        let wanted = segment.rangeOfPart.clamped(to: bytes)
                        position = bytes.upperBound
                        let start = wanted.lowerBound - bytes.lowerBound
                        let view = piece.readableBytesView.dropFirst(start).prefix(wanted.count)
                        if !view.isEmpty { try await writer.write(Data(view)) }
                    }
                    guard position == segment.record.byteCount else { throw PartIsGone() }
                }
                guard isCurrent() else { return writer.cancel() }
                try await writer.finish(record.complete(byteCount: range.count, trailers: [:]))
                if !isCurrent() { try await store.remove(record) }
            } catch {
                writer.cancel()
                if !(error is PartIsGone) { throw error }
            }
        }
    }
}

extension ResponseBody {
    /// A body whose bytes are those of several, one behind the other. None of them comes from a
    /// connection.
    fileprivate static func joined(_ bodies: [ResponseBody]) -> ResponseBody {
        ResponseBody(
            .sequence(
                {
                    let buffers = JoinedBuffers(bodies)
                    return { try await buffers.next() }
                },
                trailers: [:]
            )
        )
    }

    /// Whether two bodies that nobody else reads have the same bytes.
    fileprivate func hasSameBytes(as other: ResponseBody) async throws -> Bool {
        var (left, right) = (makeBuffers(), other.makeBuffers())
        var (one, two) = (ByteBuffer(), ByteBuffer())
        while true {
            if one.readableBytes == 0 { one = try await left.next() ?? ByteBuffer() }
            if two.readableBytes == 0 { two = try await right.next() ?? ByteBuffer() }
            let count = Swift.min(one.readableBytes, two.readableBytes)
            guard count > 0 else { return one.readableBytes == two.readableBytes }
            guard one.readSlice(length: count) == two.readSlice(length: count) else { return false }
        }
    }
}

/// The pieces of several bodies.
private final class JoinedBuffers {
    private var rest: ArraySlice<ResponseBody>
    private var buffers: ResponseBody.Buffers?

    init(_ bodies: [ResponseBody]) {
        rest = bodies[...]
    }

    func next() async throws -> ByteBuffer? {
        while true {
            if let piece = try await buffers?.next() { return piece }
            guard let body = rest.popFirst() else { return nil }
            buffers = body.makeBuffers()
        }
    }
}
