#if Images
    import Bluebonnet
    import BluebonnetImages
    import Foundation
    import LocalServer
    import Synchronization
    import Testing

    /// Images that a server sends in pieces because it cuts each response, over sockets.
    @Suite(.timeLimit(.minutes(5)))
    struct ImageContinuationTests {
        /// A server that cuts each response after some bytes. A response with the rest leaves out
        /// what it may (RFC 9110 §15.3.7).
        private final class CuttingServer: Sendable {
            let picture: [UInt8]
            /// The most bytes of one response.
            let piece: Int
            private let fields: String
            private let sent = Counter()

            init(_ picture: [UInt8], piece: Int, fields: [String] = []) {
                (self.picture, self.piece) = (picture, piece)
                self.fields = (["ETag: \"1\""] + fields).map { "\($0)\r\n" }.joined()
            }

            /// The bytes of bodies that were sent.
            var sentBytes: Int { sent.value }

            func steps(_ request: FaultServer.Request) -> [FaultStep] {
                let range = request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
                let (start, length) = (range ?? 0, picture.count)
                let end = min(start + piece, length)
                let status =
                    range == nil
                    ? "200 OK\r\nContent-Type: image/png"
                    : "206 Partial Content\r\nContent-Range: bytes \(start)-\(length - 1)/\(length)"
                let head = "HTTP/1.1 \(status)\r\nContent-Length: \(length - start)\r\n\(fields)\r\n"
                sent.add(end - start)
                return [.send(Array(head.utf8) + picture[start..<end])] + (end < length ? [.cut] : [])
            }
        }

        private static func picture() throws -> [UInt8] {
            var bitmap = try #require(Bitmap(width: 60, height: 40, color: .init(red: 10, green: 200, blue: 30)))
            for x in 0..<60 { bitmap[x, x % 40] = .init(red: UInt8(4 * x), green: 0, blue: 0) }
            return Array(try bitmap.pngData())
        }

        private static func downloader(retries: Int, _ cache: HTTPCache?) -> ImageDownloader {
            var configuration = SessionConfiguration { $0.cache = cache }
            var policy = RetryPolicy.standard
            policy.maximumRetries = retries
            policy.backoff = RetryBackoff(first: .zero)
            configuration.retryPolicy = policy
            return ImageDownloader(session: SessionManager(configuration: configuration))
        }

        @Test(arguments: [(false, []), (true, ["Cache-Control: no-store"]), (true, [])] as [(Bool, [String])])
        func `a retry asks for the rest alone, and no byte is sent twice`(
            hasCache: Bool,
            fields: [String]
        ) async throws {
            let picture = try Self.picture()
            let origin = CuttingServer(picture, piece: picture.count / 3 + 1, fields: fields)
            try await FaultServer.run(.requests(origin.steps)) { server in
                let cache = hasCache ? HTTPCache(store: MemoryCacheStore(capacity: 1 << 20)) : nil
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                let progress = EventLog<TransferProgress>()
                let image = try await Self.downloader(retries: 2, cache).image(for: ImageRequest(url: url)) {
                    progress.append($0.download)
                }
                #expect(image.bitmap[59, 19] == Bitmap.Pixel(red: 236, green: 0, blue: 0))
                #expect(server.requests.count == 3 && origin.sentBytes == picture.count)
                #expect(server.requests.map { $0.value(of: "If-Range") } == [nil, "\"1\"", "\"1\""])
                let counts = progress.events.map(\.completed)
                #expect(counts == counts.sorted() && counts.last == picture.count)
                #expect(progress.events.allSatisfy { $0.total.map { $0 == picture.count } ?? true })
            }
        }

        @Test func `the next request goes on where the last retry was cut`() async throws {
            let picture = try Self.picture()
            let origin = CuttingServer(picture, piece: picture.count / 4 + 1)
            try await FaultServer.run(.requests(origin.steps)) { server in
                let downloader = Self.downloader(retries: 1, nil)
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                await #expect(throws: NetworkingError.self) { try await downloader.image(from: url) }
                #expect(try await downloader.image(from: url).width == 60)
                #expect(server.requests.count == 4 && origin.sentBytes == picture.count)
            }
        }

        /// A file that is shorter than its length, for example.
        @Test(
            arguments: [
                FaultStep.respond(416, headers: [("Content-Range", "bytes */9")]),
                .respond(206, headers: [("Content-Range", "bytes 9-9/10"), ("ETag", "\"2\"")], body: "x"),
            ]
        )
        func `a server that cuts each whole and continues none gets a limited number of requests`(
            refusal: FaultStep
        ) async throws {
            let script = FaultServer.Script.requests { request in
                guard request.value(of: "Range") == nil else { return [refusal] }
                let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 10\r\nETag: \"1\"\r\n\r\n"
                return [.send(head + "123456789"), .cut]
            }
            try await FaultServer.run(script) { server in
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                let error = try await networkingError { try await Self.downloader(retries: 2, nil).image(from: url) }
                #expect(error.code == .truncatedResponse)
                // One that is cut, one for the rest, and three for the whole.
                #expect(server.requests.map { $0.value(of: "Range") } == [nil, "bytes=9-", nil, nil, nil])
            }
        }

        @Test func `a busy server takes nothing of what has come`() async throws {
            let (picture, count) = (try Self.picture(), Counter())
            let origin = CuttingServer(picture, piece: picture.count / 2 + 1)
            let script = FaultServer.Script.requests { request in
                guard count.increment() == 2 else { return origin.steps(request) }
                return [.respond(503, body: "busy")]
            }
            try await FaultServer.run(script) { server in
                let downloader = ImageDownloader()
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                for _ in 0..<2 {
                    await #expect(throws: NetworkingError.self) { try await downloader.image(from: url) }
                }
                #expect(try await downloader.image(from: url).width == 60)
                #expect(origin.sentBytes == picture.count)
            }
        }
    }
#endif
