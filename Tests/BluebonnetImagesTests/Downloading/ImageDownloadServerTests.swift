#if Images
    import Bluebonnet
    import BluebonnetImages
    #if Stores
        import BluebonnetStores
    #endif
    import Foundation
    import LocalServer
    import Testing

    /// Images over sockets, with the default session and decoder.
    @Suite(.timeLimit(.minutes(5)))
    struct ImageDownloadServerTests {
        private static func picture() throws -> [UInt8] {
            var bitmap = try #require(Bitmap(width: 60, height: 40, color: .init(red: 10, green: 200, blue: 30)))
            bitmap[0, 0] = .init(red: 255, green: 0, blue: 0)
            return Array(try bitmap.pngData())
        }

        private static func fields(_ others: [(name: String, value: String)] = []) -> [(name: String, value: String)] {
            [("Content-Type", "image/png"), ("ETag", "\"1\"")] + others
        }

        @Test func `an image of a server is decoded, processed and kept`() async throws {
            let picture = try Self.picture()
            try await FaultServer.run(.requests { _ in [.respond(headers: Self.fields(), bytes: picture)] }) { server in
                let downloader = ImageDownloader()
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                let image = try await downloader.image(from: url)
                #expect(image.width == 60 && image.height == 40)
                #expect(image.bitmap[0, 0] == Bitmap.Pixel(red: 255, green: 0, blue: 0))
                #expect(image.metadata.format == .png)
                let circle = try await downloader.image(from: url, processors: [.circle])
                #expect(circle.width == 40 && circle.height == 40)
                #expect(circle.bitmap[0, 0].alpha == 0)
                let small = try await downloader.image(from: url, targetSize: ImageSize(width: 30, height: 30))
                #expect(small.width == 30 && small.height == 20)
                #expect(server.requests.first?.value(of: "Accept") == "image/*")
                // The circle was made of the image in memory.
                #expect(server.requests.count == 2)
            }
        }

        /// The image in memory is not used, the response in the cache is, without its transfer.
        @Test func `an image that is asked for anew and was not modified is that of the cache`() async throws {
            let picture = try Self.picture()
            let script = FaultServer.Script.requests { request in
                guard request.value(of: "If-None-Match") == "\"1\"" else {
                    return [.respond(headers: Self.fields(), bytes: picture)]
                }
                return [.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")]
            }
            try await FaultServer.run(script) { server in
                let downloader = ImageDownloader()
                var request = ImageRequest(url: try #require(URL(string: "\(server.baseURL)/a.png")))
                let first = try await downloader.image(for: request)
                request.request.properties.cachePolicy = .noCache
                #expect(try await downloader.image(for: request) == first)
                #expect(server.requests.map { $0.value(of: "If-None-Match") } == [nil, "\"1\""])
            }
        }

        @Test func `images that are fetched before they are wanted go through the proxy`() async throws {
            let picture = try Self.picture()
            let script = FaultServer.Script.requests { _ in [.respond(headers: Self.fields(), bytes: picture)] }
            try await FaultServer.run(script) { server in
                try await FaultServer.run(script) { proxy in
                    let address = try Proxy(.http, host: "127.0.0.1", port: proxy.port)
                    let configuration = SessionConfiguration { $0.proxies = .proxy(address) }
                    let downloader = ImageDownloader(session: SessionManager(configuration: configuration))
                    let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                    await downloader.prefetch([ImageRequest(url: url)]).finish()
                    #expect(proxy.requests.map(\.target) == [url.absoluteString])
                }
                #expect(server.connections.isEmpty)
            }
        }

        #if Stores
            @Test func `an image of the cache on the disk is there for the next downloader`() async throws {
                let picture = try Self.picture()
                let fields = Self.fields([("Cache-Control", "max-age=600")])
                let script = FaultServer.Script.requests { _ in [.respond(headers: fields, bytes: picture)] }
                try await withDirectory { directory in
                    try await FaultServer.run(script) { server in
                        let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                        var images: [Image] = []
                        for _ in 0..<2 {
                            var configuration = ImageDownloader.sessionConfiguration
                            configuration.cache = HTTPCache(store: try DiskCacheStore(directory: directory))
                            let downloader = ImageDownloader(session: SessionManager(configuration: configuration))
                            images.append(try await downloader.image(from: url))
                        }
                        #expect(images[0] == images[1] && server.requests.count == 1)
                    }
                }
            }
        #endif

        /// Half of an image and the steps behind it; the other half for who asks for that.
        private static func halves(_ picture: [UInt8], _ steps: [FaultStep]) -> FaultServer.Script {
            let (half, length) = (picture.count / 2, picture.count)
            return .requests { request in
                if request.value(of: "Range") == "bytes=\(half)-" {
                    let range = (name: "Content-Range", value: "bytes \(half)-\(length - 1)/\(length)")
                    return [.respond(206, headers: fields([range]), bytes: Array(picture[half...]))]
                }
                let fields = fields([("Content-Length", "\(length)")]).map { "\($0.name): \($0.value)\r\n" }.joined()
                return [.send(Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8) + picture[..<half])] + steps
            }
        }

        @Test func `an image that was cut off is continued from where it was`() async throws {
            let picture = try Self.picture()
            try await FaultServer.run(Self.halves(picture, [.close])) { server in
                let downloader = ImageDownloader()
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                await #expect(throws: NetworkingError.self) { try await downloader.image(from: url) }
                let sent = server.requests.count
                let image = try await downloader.image(from: url)
                #expect(image.bitmap[59, 39] == Bitmap.Pixel(red: 10, green: 200, blue: 30))
                #expect(server.requests.count == sent + 1)
                #expect(server.requests.last?.value(of: "If-Range") == "\"1\"")
            }
        }

        @Test func `what a cancelled transfer has brought is continued`() async throws {
            let (picture, received) = (try Self.picture(), Counter())
            try await FaultServer.run(Self.halves(picture, [.stall])) { server in
                let downloader = ImageDownloader()
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                let events = downloader.session.events
                let task = Task {
                    try await downloader.image(for: ImageRequest(url: url)) { progress in
                        if progress.download.completed == picture.count / 2 { received.increment() }
                    }
                }
                try await until("the first half") { received.value > 0 }
                // Progress is told on the loop: a task that has not looked at the response has none
                // of its body.
                for await event in events where event.kind == .didReceiveResponse { break }
                task.cancel()
                await #expect(throws: NetworkingError.self) { try await task.value }
                try await until("the transfer is over") { downloader.activeCount == 0 }
                #expect(try await downloader.image(from: url).width == 60)
                #expect(server.requests.last?.value(of: "Range") == "bytes=\(picture.count / 2)-")
            }
        }

        @Test func `the tasks of a downloader drive an indicator`() async throws {
            let picture = try Self.picture()
            try await FaultServer.run(.requests { _ in [.respond(headers: Self.fields(), bytes: picture)] }) { server in
                let downloader = ImageDownloader()
                let monitor = NetworkActivityMonitor(activationDelay: .zero, completionDelay: .zero)
                monitor.observe(downloader.session)
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                _ = try await downloader.image(from: url)
                try await until("nothing is under way") { monitor.activityCount == 0 && !monitor.isActive }
            }
        }
    }
#endif
