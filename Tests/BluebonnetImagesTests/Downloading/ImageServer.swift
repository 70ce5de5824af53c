#if Images
    import Bluebonnet
    import BluebonnetTesting
    import Foundation
    import HTTPTypes
    import Synchronization

    @testable import BluebonnetImages

    /// A transport whose "images" are texts: the number of pixels in a row. It counts what it sends
    /// at the same time, and holds its responses until a gate is open. Each response has a number
    /// of its own in the field `Server`.
    final class ImageServer: Sendable {
        private struct State {
            var counts: [String: Int] = [:]
            var running = 0
            var most = 0
            var order: [String] = []
            var lastResponse = 0
        }

        private let state = Mutex(State())
        let gate: Gate

        init(gate: Gate = Gate(), isOpen: Bool = true) {
            self.gate = gate
            if isOpen { gate.open() }
        }

        /// How often each path was asked for.
        var counts: [String: Int] { state.withLock { $0.counts } }

        /// The paths in the order in which they were asked for.
        var order: [String] { state.withLock { $0.order } }

        /// The most requests at the same time.
        var most: Int { state.withLock { $0.most } }

        var transport: StubTransport {
            StubTransport { request in
                let path = request.url.path()
                self.state.withLock { state in
                    state.counts[path, default: 0] += 1
                    state.order.append(path)
                    state.running += 1
                    state.most = max(state.most, state.running)
                }
                await self.gate.wait()
                await Task.yield()
                let number = self.state.withLock { state in
                    state.running -= 1
                    state.lastResponse += 1
                    return state.lastResponse
                }
                return .data(Data("3".utf8), headerFields: [.contentType: "image/png", .server: "\(number)"])
            }
        }

        /// Decodes a text: so many pixels in a row, of the color with this number as its red.
        static let decode: ImageDownloader.Decode = { data, size throws(ImageDecodingError) in
            guard let count = Int(String(decoding: data, as: UTF8.self)),
                let bitmap = Bitmap(width: size?.width ?? count, height: 1)
            else { throw ImageDecodingError(.malformed, "The text is not a number.") }
            return Image(bitmap)
        }
    }

    extension ImageDownloader {
        /// A downloader over a transport, with closures on a queue of its own.
        static func testing(
            _ transport: any Transport,
            cache: (any ImageCache)? = AutoPurgingImageCache(pressure: nil),
            _ change: (inout Configuration) -> Void = { _ in },
            decode: @escaping Decode = ImageServer.decode
        ) -> ImageDownloader {
            var configuration = Configuration()
            configuration.completionQueue = DispatchQueue(label: "images")
            change(&configuration)
            return ImageDownloader(
                session: SessionManager(transport: transport),
                cache: cache,
                configuration: configuration,
                decode: decode
            )
        }
    }

    extension ImageRequest {
        /// A request for a path of the server.
        static func path(_ path: String, processors: [ImageProcessor] = []) -> ImageRequest {
            ImageRequest(url: URL(string: "http://images/\(path)") ?? URL(filePath: "/"), processors: processors)
        }
    }
#endif
