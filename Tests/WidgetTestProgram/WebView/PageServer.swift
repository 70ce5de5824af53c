#if WebKitGTK
    import Bluebonnet
    import FoundationEssentials
    import LocalServer

    /// A server of pages.
    @MainActor
    struct PageServer {
        let server: FaultServer

        /// A response of the server.
        typealias Respond = @Sendable (FaultServer.Request) -> [FaultStep]

        /// Runs the body with a server that sends some responses, and `404` with a page for all
        /// other requests.
        static func run(
            _ responses: [String: [FaultStep]],
            _ body: (PageServer) async throws -> Void
        ) async throws {
            let none = page("<title>none</title>", status: 404)
            let server = try await FaultServer.start(.requests { responses[$0.target] ?? [none] })
            do {
                try await body(PageServer(server: server))
            } catch {
                await server.shutdown()
                throw error
            }
            await server.shutdown()
        }

        /// A response with a page.
        nonisolated static func page(
            _ html: String,
            status: Int = 200,
            type: String? = "text/html; charset=utf-8",
            _ fields: [(name: String, value: String)] = []
        ) -> FaultStep {
            page(bytes: Array(html.utf8), status: status, type: type, fields)
        }

        /// A response with the bytes of a page.
        nonisolated static func page(
            bytes: [UInt8],
            status: Int = 200,
            type: String? = "text/html; charset=utf-8",
            _ fields: [(name: String, value: String)] = []
        ) -> FaultStep {
            .respond(status, headers: (type.map { [("Content-Type", $0)] } ?? []) + fields, bytes: bytes)
        }

        /// A URL of the server as text.
        func url(_ path: String) -> String { server.baseURL + path }

        func request(_ path: String) throws -> Request { Request(url: try require(URL(string: url(path)))) }

        /// The requests for a path.
        func requests(_ path: String) -> [FaultServer.Request] { server.requests.filter { $0.target == path } }

        /// Whether the session has sent the only request for a path, and not WebKit.
        func isOfSession(_ path: String) -> Bool {
            requests(path).map { $0.value(of: "User-Agent")?.contains("WebKit") ?? false } == [false]
        }
    }
#endif
