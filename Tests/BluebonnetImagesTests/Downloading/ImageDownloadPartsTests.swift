#if Images
    import Bluebonnet
    import BluebonnetTesting
    import Foundation
    import HTTPTypes
    import Synchronization
    import Testing

    @testable import BluebonnetImages

    /// Transfers that stop, and what continues them; images that are fetched before they are
    /// wanted.
    @Suite(.timeLimit(.minutes(5)))
    struct ImageDownloadPartsTests {
        private struct Cut: Error {}

        /// The body up to a place, and an error behind it.
        private static func cut(_ text: String, of length: Int, tag: String?) -> StubResponse {
            let pieces = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(text.utf8))
                continuation.finish(throwing: Cut())
            }
            var fields: HTTPFields = [.contentType: "image/png", .contentLength: "\(length)"]
            fields[.eTag] = tag
            return .stream(pieces, headerFields: fields)
        }

        private static func part(_ text: String, from start: Int, of length: Int, tag: String) -> StubResponse {
            .data(
                Data(text.utf8),
                status: .partialContent,
                headerFields: [
                    .contentType: "image/png", .eTag: tag,
                    .contentRange: "bytes \(start)-\(start + text.utf8.count - 1)/\(length)",
                ]
            )
        }

        private static func whole(_ text: String) -> StubResponse {
            .data(Data(text.utf8), headerFields: [.contentType: "image/png", .eTag: "\"2\""])
        }

        /// A downloader over these responses, one for each request.
        private func downloader(
            _ responses: [StubResponse],
            _ change: (inout ImageDownloader.Configuration) -> Void = { _ in }
        ) -> (ImageDownloader, StubTransport) {
            let rest = Mutex(responses)
            let transport = StubTransport { _ in
                try rest.withLock { rest -> StubResponse in
                    guard !rest.isEmpty else { throw Cut() }
                    return rest.removeFirst()
                }
            }
            return (.testing(transport, change), transport)
        }

        @Test func `a transfer that was cut is continued by the next request`() async throws {
            let (downloader, transport) = downloader([
                Self.cut("12", of: 4, tag: "\"1\""), Self.part("34", from: 2, of: 4, tag: "\"1\""),
            ])
            await #expect(throws: NetworkingError.self) { try await downloader.image(for: .path("a")) }
            #expect(try await downloader.image(for: .path("a")).width == 1234)
            #expect(transport.requests[0].headerFields[.range] == nil)
            #expect(transport.requests[1].headerFields[.range] == "bytes=2-")
            #expect(transport.requests[1].headerFields[.ifRange] == "\"1\"")
        }

        @Test func `a continued transfer that is cut too is continued from there`() async throws {
            let second = Self.cut("3", of: 2, tag: "\"1\"")
            var fields = second.headerFields
            fields[.contentRange] = "bytes 2-3/4"
            var continued = second
            continued.status = .partialContent
            continued.headerFields = fields
            let (downloader, transport) = downloader([
                Self.cut("12", of: 4, tag: "\"1\""), continued, Self.part("4", from: 3, of: 4, tag: "\"1\""),
            ])
            for _ in 0..<2 {
                await #expect(throws: NetworkingError.self) { try await downloader.image(for: .path("a")) }
            }
            #expect(try await downloader.image(for: .path("a")).width == 1234)
            #expect(transport.requests[2].headerFields[.range] == "bytes=3-")
        }

        @Test func `an image that has changed is fetched as a whole`() async throws {
            let (downloader, transport) = downloader([Self.cut("12", of: 4, tag: "\"1\""), Self.whole("77")])
            await #expect(throws: NetworkingError.self) { try await downloader.image(for: .path("a")) }
            #expect(try await downloader.image(for: .path("a")).width == 77)
            #expect(transport.requests.count == 2)
        }

        @Test func `a part of another version is not put together with the first`() async throws {
            let (downloader, transport) = downloader([
                Self.cut("12", of: 4, tag: "\"1\""), Self.part("99", from: 2, of: 4, tag: "\"2\""), Self.whole("77"),
            ])
            await #expect(throws: NetworkingError.self) { try await downloader.image(for: .path("a")) }
            #expect(try await downloader.image(for: .path("a")).width == 77)
            #expect(transport.requests[2].headerFields[.range] == nil)
        }

        @Test func `without a strong validator, and with a limit of zero, nothing is continued`() async throws {
            for (tag, limit) in [(nil, 1 << 20), ("W/\"1\"", 1 << 20), ("\"1\"", 0)] as [(String?, Int)] {
                let (downloader, transport) = downloader([Self.cut("12", of: 4, tag: tag), Self.whole("77")]) {
                    $0.maximumPartialBytes = limit
                }
                await #expect(throws: NetworkingError.self) { try await downloader.image(for: .path("a")) }
                #expect(try await downloader.image(for: .path("a")).width == 77)
                #expect(transport.requests[1].headerFields[.range] == nil)
            }
        }

        @Test func `images are fetched before they are wanted, behind those that are`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport) { $0.maximumActiveDownloads = 1 }
            let done = Counter()
            downloader.downloadImage(for: .path("first"), success: { _ in done.increment() })
            let prefetch = downloader.prefetch(["a", "b", "c"].map { .path($0) })
            #expect(prefetch.remainingCount == 3)
            downloader.downloadImage(for: .path("wanted"), success: { _ in done.increment() })
            downloader.downloadImage(for: .path("c"), success: { _ in done.increment() })
            server.gate.open()
            await prefetch.finish()
            try await until("all") { done.value == 3 }
            #expect(server.order == ["/first", "/wanted", "/c", "/a", "/b"])
            #expect(prefetch.remainingCount == 0)
            #expect(downloader.cachedImage(for: .path("a")) != nil)
            await downloader.prefetch([.path("a")]).finish()
            #expect(server.counts["/a"] == 1)
        }

        @Test func `prefetching that is cancelled leaves what others want`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let prefetch = downloader.prefetch(["a", "b"].map { .path($0) })
            let wanted = Counter()
            downloader.downloadImage(for: .path("b"), success: { _ in wanted.increment() })
            prefetch.cancel()
            await prefetch.finish()
            server.gate.open()
            try await until("the wanted image") { wanted.value == 1 }
            #expect(server.counts["/b"] == 1)
            #expect(downloader.cachedImage(for: .path("a")) == nil)
        }
    }
#endif
