#if GTK
    import Bluebonnet
    import FoundationEssentials
    import LocalServer

    /// A response of 2000 bytes that comes in two halves, the second one behind a gate.
    struct HalfServer {
        let server: FaultServer
        let gate: FaultGate
        let session = SessionManager()

        /// Runs the body with a server.
        ///
        /// - Parameters:
        ///   - hasLength: Whether the response tells its length. Default: true.
        ///   - body: Uses it.
        /// - Throws: What the body throws.
        @MainActor
        static func run(hasLength: Bool = true, _ body: @MainActor (HalfServer) async throws -> Void) async throws {
            let gate = FaultGate()
            let half = String(repeating: "a", count: 1000)
            let head = "HTTP/1.1 200 OK\r\n\(hasLength ? "Content-Length: 2000\r\n" : "Connection: close\r\n")\r\n"
            let server = try await FaultServer.start(
                .requests { _ in [.send(head + half), .hold(gate), .send(half)] + (hasLength ? [] : [.close]) }
            )
            do {
                try await body(HalfServer(server: server, gate: gate))
            } catch {
                await server.shutdown()
                throw error
            }
            await server.shutdown()
        }

        /// A task for the response, which was not started.
        func task() throws -> DataTask<Data> {
            session.dataTask(for: Request(url: try require(URL(string: "\(server.baseURL)/"))))
        }
    }
#endif
