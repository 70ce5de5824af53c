#if GTK
    import BluebonnetImages
    import FoundationEssentials
    import LocalServer

    /// Images that a server has: `/30` is a red one of 30 × 20 pixels.
    enum ImageServer {
        /// A picture with a width, two thirds as high.
        static func bitmap(_ width: Int) -> Bitmap? {
            Bitmap(width: width, height: max(1, width * 2 / 3), color: Bitmap.Pixel(red: 200, green: 10, blue: 20))
        }

        /// An image to be shown until another one is here.
        static func placeholder() throws -> Image { Image(try require(bitmap(3))) }

        /// The response with the picture of a target.
        static func picture(_ request: FaultServer.Request) -> FaultStep {
            let width = Int(request.target.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
            guard let bytes = try? bitmap(width)?.pngData() else { return .respond(404) }
            return .respond(headers: [("Content-Type", "image/png")], bytes: Array(bytes))
        }

        /// Runs the body with a server of pictures.
        @MainActor
        static func run(
            before: @escaping @Sendable (FaultServer.Request) -> [FaultStep] = { _ in [] },
            _ body: @MainActor (Site) async throws -> Void
        ) async throws {
            let server = try await FaultServer.start(.requests { before($0) + [picture($0)] })
            do {
                try await body(Site(server: server))
            } catch {
                await server.shutdown()
                throw error
            }
            await server.shutdown()
        }
    }

    /// A server that runs.
    struct Site {
        let server: FaultServer

        /// A URL of the server.
        func url(_ path: String) throws -> URL { try require(URL(string: "\(server.baseURL)/\(path)")) }

        /// The number of requests for a path.
        func count(_ path: String) -> Int { server.requests.count { $0.target == "/\(path)" } }
    }
#endif
