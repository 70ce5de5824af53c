#if Images
    import Bluebonnet
    import BluebonnetTesting
    import Foundation
    import HTTPTypes
    import Synchronization
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(5)))
    struct ImageDownloaderTests {
        private func code(of work: () async throws(NetworkingError) -> some Sendable) async -> NetworkingError.Code? {
            do throws(NetworkingError) {
                _ = try await work()
                return nil
            } catch {
                return error.code
            }
        }

        @Test func `the settings are those of AFNetworking`() {
            let downloader = ImageDownloader()
            #expect(downloader.configuration.maximumActiveDownloads == 4)
            #expect(downloader.configuration.prioritization == .firstInFirstOut)
            #expect(downloader.cache is AutoPurgingImageCache)
            let store = downloader.session.configuration.cache?.store as? MemoryCacheStore
            #expect(store?.capacity == 20 * 1024 * 1024)
        }

        @Test func `an image is fetched once, and then in memory`() async throws {
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            let image = try await downloader.image(for: .path("a"))
            #expect(image.width == 3)
            #expect(try await downloader.image(for: .path("a")) == image)
            #expect(downloader.cachedImage(for: .path("a")) == image)
            #expect(server.counts == ["/a": 1])
            #expect(downloader.receiptCount == 0)
            #expect(downloader.activeCount == 0)
        }

        @Test func `requests for one URL share a transfer, and each gets the image`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let images = EventLog<Int>()
            let receipts = (0..<10).map { number in
                downloader.downloadImage(for: .path("a"), success: { _ in images.append(number) })
            }
            #expect(Set(receipts.compactMap(\.self)).count == 10)
            #expect(downloader.activeCount == 1)
            server.gate.open()
            try await until("ten images") { images.events.count == 10 }
            #expect(images.events == Array(0..<10))
            #expect(server.counts == ["/a": 1])
        }

        @Test func `an image in memory has neither a receipt nor a response`() async throws {
            let downloader = ImageDownloader.testing(ImageServer().transport)
            let found = EventLog<DownloadedImage>()
            #expect(downloader.downloadImage(for: .path("a"), success: { found.append($0) }) != nil)
            try await until("an image") { found.events.count == 1 }
            #expect(found.events[0].response?.status == .ok)
            #expect(downloader.downloadImage(for: .path("a"), success: { found.append($0) }) == nil)
            try await until("another") { found.events.count == 2 }
            #expect(found.events[1].response == nil)
        }

        @Test(arguments: [
            (CachePolicy.default, 1), (.forceCache, 1), (.onlyIfCached, 1), (.noCache, 2), (.reload, 2), (.noStore, 2),
        ])
        func `policies that reload do not use images in memory`(policy: CachePolicy, count: Int) async throws {
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            _ = try await downloader.image(for: .path("a"))
            var request = ImageRequest.path("a")
            request.request.properties.cachePolicy = policy
            _ = try await downloader.image(for: request)
            #expect(server.counts == ["/a": count])
        }

        @Test func `an image that is not to be stored is not in memory`() async throws {
            let downloader = ImageDownloader.testing(ImageServer().transport)
            var request = ImageRequest.path("a")
            request.request.properties.cachePolicy = .noStore
            _ = try await downloader.image(for: request)
            #expect(downloader.cachedImage(for: .path("a")) == nil)
        }

        @Test func `who cancels gets an error, and the others their image`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let results = EventLog<String>()
            let receipts = (0..<3).map { number in
                downloader.downloadImage(for: .path("a")) { _ in
                    results.append("\(number) image")
                } failure: {
                    results.append("\(number) \($0.code.rawValue)")
                }
            }
            downloader.cancel(try #require(receipts[1]))
            downloader.cancel(try #require(receipts[1]))
            try await until("one is cancelled") { results.events == ["1 cancelled"] }
            server.gate.open()
            try await until("the others") { results.events.count == 3 }
            #expect(results.events == ["1 cancelled", "0 image", "2 image"])
            #expect(server.counts == ["/a": 1])
        }

        @Test func `the last one who cancels stops the transfer, and a new request begins anew`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let first = Task {
                await code { () throws(NetworkingError) in try await downloader.image(for: .path("a")) }
            }
            try await until("it is under way") { server.counts == ["/a": 1] }
            first.cancel()
            #expect(await first.value == .cancelled)
            let second = Task { try await downloader.image(for: .path("a")).width }
            try await until("another transfer") { server.counts == ["/a": 2] }
            server.gate.open()
            #expect(try await second.value == 3)
            try await until("nothing is under way") { downloader.activeCount == 0 }
        }

        @Test func `a task that is cancelled already sends nothing`() async throws {
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await code { () throws(NetworkingError) in try await downloader.image(for: .path("a")) }
            }
            #expect(await task.value == .cancelled)
            try await until("nothing is under way") { downloader.activeCount == 0 && downloader.receiptCount == 0 }
        }

        @Test(arguments: [ImageDownloader.Prioritization.firstInFirstOut, .lastInFirstOut])
        func `downloads that wait begin in the order that was asked for`(
            prioritization: ImageDownloader.Prioritization
        ) async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport) {
                $0.maximumActiveDownloads = 1
                $0.prioritization = prioritization
            }
            let done = Counter()
            for name in ["a", "b", "c", "d"] {
                downloader.downloadImage(for: .path(name), success: { _ in done.increment() })
            }
            let urgent = downloader.downloadImage(for: .path("e"), success: { _ in done.increment() })
            downloader.setPriority(.responsive, of: try #require(urgent))
            server.gate.open()
            try await until("all") { done.value == 5 }
            let rest = prioritization == .firstInFirstOut ? ["/b", "/c", "/d"] : ["/d", "/c", "/b"]
            #expect(server.order == ["/a", "/e"] + rest)
            #expect(server.most == 1)
        }

        @Test func `a transfer under way has the priority of the most urgent one who waits`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let first = try #require(downloader.downloadImage(for: .path("a"), success: nil))
            try await until("it is under way") { server.counts == ["/a": 1] }
            let task = try #require(downloader.session.dataTasks.first)
            #expect(task.priority.urgency == 3)
            downloader.setPriority(.background, of: first)
            #expect(task.priority.urgency == 7)
            let second = try #require(downloader.downloadImage(for: .path("a"), success: nil))
            downloader.setPriority(.responsive, of: second)
            #expect(task.priority.urgency == 1)
            downloader.cancel(second)
            #expect(task.priority.urgency == 7 && server.counts == ["/a": 1])
            server.gate.open()
            try await until("nothing is under way") { downloader.activeCount == 0 }
        }

        @Test func `images wait for the rate limit of the session, and can be cancelled meanwhile`() async throws {
            let server = ImageServer()
            // A third request would be sent tomorrow.
            let limit = RateLimit(1, per: .seconds(86_400), burst: 2)
            let configuration = SessionConfiguration { $0.rateLimits = RateLimits(session: limit) }
            var settings = ImageDownloader.Configuration()
            settings.completionQueue = DispatchQueue(label: "images")
            let downloader = ImageDownloader(
                session: SessionManager(configuration: configuration, transport: server.transport),
                cache: nil,
                configuration: settings,
                decode: ImageServer.decode
            )
            let (images, errors) = (EventLog<String>(), EventLog<NetworkingError.Code>())
            var receipts: [String: ImageDownloadReceipt] = [:]
            for name in ["a", "b", "c"] {
                receipts[name] = downloader.downloadImage(for: .path(name)) { _ in
                    images.append(name)
                } failure: {
                    errors.append($0.code)
                }
            }
            try await until("two images") { images.events.count == 2 && downloader.activeCount == 1 }
            #expect(server.counts.count == 2 && downloader.receiptCount == 1)
            downloader.cancel(try #require(receipts.first { !images.events.contains($0.key) }).value)
            try await until("the third one has ended") { errors.events == [.cancelled] }
            try await until("nothing is under way") { downloader.activeCount == 0 }
            #expect(server.counts.count == 2)
        }

        @Test func `a refused response and bytes that are no image are errors for all`() async throws {
            let transport = StubTransport { request in
                request.url.path() == "/missing"
                    ? .text("gone", status: .notFound)
                    : .data(Data("x".utf8), headerFields: [.contentType: "image/png"])
            }
            let downloader = ImageDownloader.testing(transport)
            let missing = await code { () throws(NetworkingError) in try await downloader.image(for: .path("missing")) }
            #expect(missing == .unacceptableContentType || missing == .unacceptableStatusCode)
            do {
                _ = try await downloader.image(for: .path("a"))
                Issue.record("It is no image.")
            } catch {
                #expect(error.code == .responseSerializationFailed)
                #expect((error.underlying as? ImageDecodingError)?.reason == .malformed)
            }
            #expect(downloader.activeCount == 0)
        }

        @Test func `one transfer serves several processors, and each result is kept`() async throws {
            let (server, decoded) = (ImageServer(isOpen: false), Counter())
            let decode: ImageDownloader.Decode = { data, size throws(ImageDecodingError) in
                decoded.increment()
                return try await ImageServer.decode(data, size)
            }
            let downloader = ImageDownloader.testing(server.transport, decode: decode)
            let results = EventLog<Int>()
            let cut = ImageProcessor.cropped(to: ImageSize(width: 2, height: 1))
            let fails = ImageProcessor(identifier: "fails") { _ in throw CancellationError() }
            for processors in [[], [cut], [cut], [fails]] {
                downloader.downloadImage(for: .path("a", processors: processors)) {
                    results.append($0.image.width)
                } failure: {
                    results.append($0.code == .responseSerializationFailed ? -1 : 0)
                }
            }
            server.gate.open()
            try await until("all") { results.events.count == 4 }
            #expect(results.events == [3, 2, 2, -1])
            #expect(server.counts == ["/a": 1])
            #expect(decoded.value == 1)
            #expect(downloader.cachedImage(for: .path("a", processors: [cut]))?.width == 2)
            // Made of the image in memory, without another transfer.
            let one = ImageProcessor.cropped(to: ImageSize(width: 1, height: 1))
            #expect(try await downloader.image(for: .path("a", processors: [one])).width == 1)
            #expect(server.counts == ["/a": 1])
        }

        @Test func `a size is asked of the decoder and has its own place in memory`() async throws {
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            var request = ImageRequest.path("a")
            request.targetSize = ImageSize(width: 7, height: 7)
            #expect(try await downloader.image(for: request).width == 7)
            #expect(downloader.cachedImage(for: .path("a")) == nil)
            #expect(downloader.cachedImage(for: request)?.width == 7)
        }

        @Test func `a name in place of the URL is that of the image`() async throws {
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            var (first, second) = (ImageRequest.path("a?token=1"), ImageRequest.path("a?token=2"))
            (first.cacheKey, second.cacheKey) = ("a", "a")
            _ = try await downloader.image(for: first)
            _ = try await downloader.image(for: second)
            #expect(server.counts == ["/a": 1])
        }

        @Test func `a downloader that is released fails those who wait`() async throws {
            let server = ImageServer(isOpen: false)
            var downloader: ImageDownloader? = .testing(server.transport)
            let errors = EventLog<String>()
            for name in ["a", "b", "c", "d", "e"] {
                downloader?.downloadImage(for: .path(name), success: nil) { errors.append($0.code.rawValue) }
            }
            downloader = nil
            try await until("all are told") { errors.events.count == 5 }
            #expect(Set(errors.events) == ["cancelled"])
            server.gate.open()
        }
    }
#endif
