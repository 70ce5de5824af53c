import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// The stream between a connection and a reader, tested without them.
@Suite(.timeLimit(.minutes(5)))
struct BodyStreamTests {
    private final class Source: BodyStream.Source {
        let continued = Counter()
        let abandoned = Counter()

        func continueReading() {
            continued.increment()
        }

        func abandon() {
            abandoned.increment()
        }
    }

    private let source = Source()
    private let stream: BodyStream

    init() {
        stream = BodyStream(source: source)
    }

    private func batch(_ texts: String...) -> BodyPieces {
        var pieces = BodyPieces()
        for text in texts { pieces.append(ByteBuffer(string: text)) }
        return pieces
    }

    private func bytes(_ count: Int) -> BodyPieces {
        var pieces = BodyPieces()
        pieces.append(ByteBuffer(repeating: 7, count: count))
        return pieces
    }

    private func next() async throws -> String? {
        try await stream.next().map { String(buffer: $0) }
    }

    @Test func `a body stream returns its pieces in order, then its end on every further read`() async throws {
        #expect(stream.push(batch("one", "two")))
        #expect(stream.push(batch("three")))
        stream.finish(trailers: [.eTag: "x"], at: .now())
        // A piece after the end is not part of the body.
        _ = stream.push(batch("late"))
        let end = try #require(stream.finished)
        #expect(end.trailers[.eTag] == "x")
        for expected in ["one", "two", "three", nil, nil] {
            let piece = try await next()
            #expect(piece == expected)
        }
        #expect(source.abandoned.value == 0)
    }

    @Test func `many small pieces that nobody reads are joined`() async throws {
        let count = 10_000
        for index in 0..<count { #expect(stream.push(batch("\(index % 10)"))) }
        stream.finish(trailers: [:], at: .now())
        var pieces: [String] = []
        while let piece = try await next() { pieces.append(piece) }
        #expect(pieces.joined() == (0..<count).map { "\($0 % 10)" }.joined())
        #expect(pieces.count <= BodyPieces.mostSmall + 2)
    }

    @Test func `a waiting reader of a body stream gets the next piece`() async throws {
        for text in ["one", "two"] {
            let reader = Task { try await next() }
            #expect(stream.push(batch(text)))
            let piece = try await reader.value
            #expect(piece == text)
        }
        let reader = Task { try await next() }
        stream.finish(trailers: [:], at: .now())
        let end = try await reader.value
        #expect(end == nil)
    }

    @Test func `a body stream fails after the pieces before the failure, and on every further read`() async throws {
        _ = stream.push(batch("one"))
        stream.fail(NetworkingError(.truncatedResponse, "cut"))
        stream.finish(trailers: [:], at: .now())
        let piece = try await next()
        #expect(piece == "one")
        for _ in 0..<2 {
            let error = try await networkingError { _ = try await next() }
            #expect(error.code == .truncatedResponse)
        }
        #expect(stream.finished == nil)
    }

    @Test func `the source of a body stream pauses above the high mark and goes on below the low one`() async throws {
        let piece = BodyStream.lowWatermark
        #expect(stream.push(bytes(piece)))
        #expect(stream.push(bytes(piece)))
        #expect(stream.push(bytes(piece)))
        #expect(!stream.push(bytes(piece)))
        for continued in [0, 0, 1, 1] {
            _ = try await stream.next()
            #expect(source.continued.value == continued)
        }
        #expect(stream.push(bytes(1)))
    }

    @Test func `the source of a body stream may have marks of its own`() async throws {
        let marks = BodyStream.Marks(high: 100, low: 40)
        var (first, second) = (bytes(59), bytes(41))
        let pushed = [stream.push(&first, marks), stream.push(&second, marks)]
        #expect(pushed.map(\.goesOn) == [true, false] && pushed.map(\.unread) == [59, 100])
        for (unread, continued) in [(41, 0), (0, 1)] {
            _ = try await stream.next()
            #expect(stream.unread == unread && source.continued.value == continued)
        }
    }

    @Test func `one piece above the high mark passes a body stream at once`() async throws {
        #expect(!stream.push(bytes(BodyStream.highWatermark)))
        let piece = stream.nextIfAvailable()
        #expect(piece?.readableBytes == BodyStream.highWatermark)
        #expect(source.continued.value == 1)
        #expect(stream.nextIfAvailable() == nil)
    }

    @Test func `an abandoned body stream tells its source once`() {
        _ = stream.push(batch("one"))
        stream.abandon()
        stream.abandon()
        #expect(source.abandoned.value == 1)
    }

    @Test func `abandoning a body stream that has ended does nothing`() {
        stream.finish(trailers: [:], at: .now())
        stream.abandon()
        #expect(source.abandoned.value == 0)
    }

    @Test func `cancelling the reader of a body stream ends the stream and its source`() async throws {
        let reader = Task { try await next() }
        reader.cancel()
        let error = try await networkingError { _ = try await reader.value }
        #expect(error.code == .cancelled)
        #expect(source.abandoned.value == 1)
        let again = try await networkingError { _ = try await next() }
        #expect(again.code == .cancelled)
    }

    @Test func `a second simultaneous reader of a body stream is refused`() async throws {
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do {
                        return try await next() ?? "end"
                    } catch {
                        return (error as? NetworkingError)?.code.rawValue ?? "\(error)"
                    }
                }
            }
            // No piece was pushed, so only the refused reader can have ended.
            let first = await group.next()
            _ = stream.push(batch("one"))
            let second = await group.next()
            return [first, second].compactMap(\.self)
        }
        #expect(outcomes == ["invalid-request", "one"])
    }
}

extension BodyStream {
    /// Pushes pieces as a connection does. Returns whether the connection would go on reading.
    fileprivate func push(_ batch: BodyPieces) -> Bool {
        var arrived = batch
        let pushed = push(&arrived)
        #expect(arrived.isEmpty)
        pushed.reader?.resume()
        return pushed.goesOn
    }
}
