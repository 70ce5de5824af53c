#if Images
    import Bluebonnet
    import Foundation
    import HTTPTypes
    import LocalServer
    import Testing

    @testable import BluebonnetImages

    /// Parts of images that a downloader shows while they come.
    @Suite(.timeLimit(.minutes(2)))
    struct ImagePartsTests {
        /// An image that does not become small when it is encoded.
        private static let picture: Bitmap? = {
            guard var bitmap = Bitmap(width: 64, height: 64) else { return nil }
            var number: UInt32 = 1
            for y in 0..<64 {
                for x in 0..<64 {
                    number = number &* 1_664_525 &+ 1_013_904_223
                    bitmap[x, y] = Bitmap.Pixel(red: UInt8(number >> 24), green: UInt8(y * 4), blue: UInt8(x * 4))
                }
            }
            return bitmap
        }()

        /// A server that sends half of the picture, and what is behind it: `steps`, unless somebody
        /// asks for the rest. It sends nothing before the gate is open.
        private func withHalves(
            status: Int = 200,
            behind start: FaultGate? = nil,
            _ steps: @escaping @Sendable ([UInt8]) -> [FaultStep],
            _ body: (URL, FaultServer) async throws -> Void
        ) async throws {
            let bytes = Array(try #require(Self.picture).pngData())
            let half = bytes.count / 2
            let fields = "Content-Type: image/png\r\nETag: \"1\"\r\n"
            let script = FaultServer.Script.requests { request in
                if request.value(of: "Range") != nil {
                    let range = "Content-Range: bytes \(half)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    let head =
                        "HTTP/1.1 206 Partial Content\r\n\(fields)\(range)Content-Length: \(bytes.count - half)\r\n\r\n"
                    return [.send(Array(head.utf8) + bytes[half...])]
                }
                let head = "HTTP/1.1 \(status) Status\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n"
                let first = start.map { [FaultStep.hold($0)] } ?? []
                return first + [.send(Array(head.utf8) + bytes[..<half])] + steps(Array(bytes[half...]))
            }
            try await FaultServer.run(script) { server in
                try await body(try #require(URL(string: "\(server.baseURL)/a.png")), server)
            }
        }

        @Test func `all who want parts get them as they want the image, before it is here`() async throws {
            let (start, gate) = (FaultGate(), FaultGate())
            try await withHalves(behind: start, { rest in [.hold(gate), .send(rest)] }) { url, server in
                try await compareParts(url, start, gate)
                #expect(server.requests.count == 1)
            }
        }

        private func compareParts(_ url: URL, _ start: FaultGate, _ gate: FaultGate) async throws {
            let picture = try #require(Self.picture)
            var configuration = ImageDownloader.Configuration()
            configuration.completionQueue = DispatchQueue(label: "images")
            let downloader = ImageDownloader(configuration: configuration)
            let cropped = ImageProcessor.cropped(to: ImageSize(width: 20, height: 10))
            let requests = [
                ImageRequest(url: url), ImageRequest(url: url, processors: [cropped]),
                ImageRequest(url: url, targetSize: ImageSize(width: 16, height: 16)), ImageRequest(url: url),
            ]
            let logs = requests.map { _ in EventLog<Image>() }
            let results = requests.map { _ in EventLog<Image>() }
            // All are there before the first byte, in this order.
            for (number, request) in requests.enumerated() {
                let (log, result) = (logs[number], results[number])
                // The last one wants no parts.
                let part: @Sendable (Image) -> Void = { log.append($0) }
                _ = downloader.downloadImage(for: request, part: number < 3 ? part : nil) { result.append($0.image) }
            }
            start.open()
            try await until("parts") { logs.prefix(3).allSatisfy { !$0.events.isEmpty } }
            gate.open()
            try await until("images") { results.allSatisfy { !$0.events.isEmpty } }
            let images = results.flatMap(\.events)
            let widths = [64, 20, 16]
            for (log, width) in zip(logs, widths) {
                #expect(log.events.allSatisfy { $0.width == width && $0.metadata.isPartial })
            }
            let part = try #require(logs[0].events.last)
            // A third of the rows is there, and not all of them.
            for y in 0..<20 { #expect((0..<64).allSatisfy { part.bitmap[$0, y] == picture[$0, y] }) }
            #expect(part.bitmap != picture)
            #expect(logs[3].events.isEmpty && images[3].bitmap == picture)
            #expect(images.map(\.width) == widths + [64])
            #expect(!images.contains { $0.metadata.isPartial })
            #expect(downloader.cachedImage(for: requests[0])?.bitmap == picture)
        }

        @Test func `the parts of an image that was cut off are shown, and its rest is whole`() async throws {
            let picture = try #require(Self.picture)
            try await withHalves({ _ in [.close] }) { url, server in
                let (downloader, log) = (ImageDownloader(), EventLog<Image>())
                await #expect(throws: NetworkingError.self) {
                    try await downloader.image(for: ImageRequest(url: url), part: { log.append($0) })
                }
                #expect(!log.events.isEmpty)
                let count = log.events.count
                let image = try await downloader.image(for: ImageRequest(url: url), part: { log.append($0) })
                #expect(image.bitmap == picture)
                #expect(log.events.count == count && server.requests.last?.value(of: "Range") != nil)
            }
        }

        @Test func `of a response that is refused no part is shown`() async throws {
            try await withHalves(status: 404, { [.send($0)] }) { url, _ in
                let log = EventLog<Image>()
                await #expect(throws: NetworkingError.self) {
                    try await ImageDownloader().image(for: ImageRequest(url: url), part: { log.append($0) })
                }
                #expect(log.events.isEmpty)
            }
        }

        @Test func `rules see whole bodies only, and with rules no part is shown`() async throws {
            let picture = try #require(Self.picture)
            try await withHalves({ [.send($0)] }) { url, _ in
                let (bodies, log) = (EventLog<Int>(), EventLog<Image>())
                var configuration = ImageDownloader.Configuration()
                configuration.validation = configuration.validation.requiring { _, body, _ in
                    bodies.append(body.count)
                }
                let downloader = ImageDownloader(configuration: configuration)
                let image = try await downloader.image(for: ImageRequest(url: url), part: { log.append($0) })
                #expect(image.bitmap == picture && log.events.isEmpty)
                let count = try picture.pngData().count
                #expect(!bodies.events.isEmpty && bodies.events.allSatisfy { $0 == count })
            }
        }

        @Test func `the length of an encoded body is not that of the image`() {
            #expect(ImageParts.length([.contentLength: "10"]) == 10)
            #expect(ImageParts.length([.contentLength: "10", .contentEncoding: "gzip"]) == nil)
            #expect(ImageParts.length([:]) == nil)
        }

        @Test func `an image that comes at once has no parts`() async throws {
            let bytes = Array(try #require(Self.picture).pngData())
            let script = FaultServer.Script.requests { _ in
                [.respond(headers: [("Content-Type", "image/png")], bytes: bytes)]
            }
            try await FaultServer.run(script) { server in
                let log = EventLog<Image>()
                let url = try #require(URL(string: "\(server.baseURL)/a.png"))
                // The first piece may not be all of it.
                _ = try await ImageDownloader().image(for: ImageRequest(url: url), part: { log.append($0) })
                #expect(log.events.allSatisfy { $0.bitmap != Self.picture })
            }
        }
    }
#endif
