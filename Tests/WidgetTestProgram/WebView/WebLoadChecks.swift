#if WebKitGTK
    import Bluebonnet
    import BluebonnetGTK
    import FoundationEssentials
    import LocalServer

    extension Check {
        static let webLoads = [
            Check("replaced page") { report in
                try await PageServer.run(["/held": [.stall], "/two": [PageServer.page("<title>two</title>")]]) { site in
                    let web = try await TestWebView()
                    var calls = 0
                    web.view.load(
                        try site.request("/held"),
                        progress: { _ in calls += 1 },
                        success: { _ in calls += 1 },
                        failure: { _ in calls += 1 }
                    )
                    try await site.server.waitForRequests(1)
                    web.view.load(try site.request("/two"))
                    calls = 0
                    try await web.waitForPage(site.url("/two"))
                    try await site.server.waitUntilClientClosed(connection: 0)
                    await turns()
                    report.expect(calls, is: 0)
                    report.expect(try await web.script("document.title"), is: "two")
                    web.close()
                }
            },
            Check("stopped page") { report in
                try await PageServer.run(["/held": [.stall]]) { site in
                    let web = try await TestWebView()
                    var calls = 0
                    web.view.load(try site.request("/held"), success: { _ in calls += 1 }, failure: { _ in calls += 1 })
                    try await site.server.waitForRequests(1)
                    web.view.stop()
                    report.expect(!web.view.isLoading, "it is still under way")
                    try await site.server.waitUntilClientClosed(connection: 0)
                    await turns()
                    report.expect(calls, is: 0)
                    // The task is another way; its error is told.
                    var error: NetworkingError?
                    let task = web.view.load(try site.request("/held"), failure: { error = $0 })
                    try await site.server.waitForRequests(2)
                    task.cancel()
                    try await until("failure is called") { error != nil }
                    report.expect(error?.code, is: .cancelled)
                    report.expect(!web.view.isLoading, "it is still under way")
                    web.close()
                }
            },
            Check("destroyed web view") { report in
                try await PageServer.run(["/held": [.stall]]) { site in
                    let web = try await TestWebView()
                    var calls = 0
                    web.view.load(try site.request("/held"), success: { _ in calls += 1 }, failure: { _ in calls += 1 })
                    try await site.server.waitForRequests(1)
                    web.close()
                    try await site.server.waitUntilClientClosed(connection: 0)
                    await turns()
                    report.expect(calls, is: 0)
                }
            },
            Check("awaited page") { report in
                try await PageServer.run(["/held": [.stall], "/one": [PageServer.page("<title>one</title>")]]) { site in
                    let web = try await TestWebView()
                    let view = web.view
                    let page = try await view.loadPage(site.request("/one"))
                    report.expect(page.text, is: "<title>one</title>")
                    // Cancelled, replaced, and with a view that is destroyed.
                    let ends: [(Task<WebPage, any Error>) -> Void] = [
                        { $0.cancel() }, { _ in view.stop() }, { _ in web.close() },
                    ]
                    for (count, end) in ends.enumerated() {
                        let request = try site.request("/held")
                        let waiting = Task { @MainActor in try await view.loadPage(request) }
                        try await site.server.waitForRequests(count + 2)
                        end(waiting)
                        let error = await waiting.result.failure as? NetworkingError
                        report.expect(error?.code, is: .cancelled)
                    }
                }
            },
            Check("refused pages") { report in
                let endless: [FaultStep] = [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Disposition: attachment\r\n\r\n"),
                    .fill(0x61, count: .max),
                ]
                let zip: [FaultStep] = [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n"), .fill(0x61, count: .max),
                ]
                let pages: [String: [FaultStep]] = [
                    "/file": endless, "/zip": zip,
                    "/none": [PageServer.page("text", type: nil)],
                    "/204": [.send("HTTP/1.1 204 No Content\r\n\r\n")],
                    "/large": [PageServer.page(String(repeating: "a", count: 1001))],
                    "/sandbox": [
                        PageServer.page("a", [("Content-Security-Policy", "img-src *; SANDBOX allow-scripts")])
                    ],
                    "/policy": [
                        PageServer.page(
                            "<title>policy",
                            [("Content-Security-Policy", "sandbox allow-scripts allow-same-origin, img-src sandbox")]
                        )
                    ],
                    "/inline": [PageServer.page("<title>inline", [("Content-Disposition", "inline; filename=a")])],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    var configuration = SessionConfiguration()
                    configuration.limits.bodyInMemory = 1000
                    web.view.sessionManager = HTTPSessionManager(configuration: configuration)
                    try await web.view.loadPage(site.request("/policy"))
                    try await web.view.loadPage(site.request("/inline"))
                    try await web.waitForPage(site.url("/inline"))
                    var refused = try site.request("/refused")
                    let codes: [(String, NetworkingError.Code)] = [
                        ("/missing", .unacceptableStatusCode), ("/file", .responseRefused),
                        ("/zip", .unacceptableContentType), ("/none", .unacceptableContentType),
                        ("/204", .responseRefused), ("/large", .bodyTooLarge), ("/sandbox", .responseRefused),
                    ]
                    for (path, code) in codes {
                        var error: NetworkingError?
                        web.view.load(try site.request(path), success: { _ in error = nil }, failure: { error = $0 })
                        try await until("failure is called: \(path)") { error != nil }
                        report.expect(error?.code, is: code)
                        report.expect(error?.request?.url.absoluteString, is: site.url(path))
                        report.expect(error?.response != nil, "\(path): there is no response in the error")
                    }
                    let port = try await unusedPort()
                    refused.url = try require(URL(string: "http://127.0.0.1:\(port)/"))
                    var error: NetworkingError?
                    web.view.load(refused, failure: { error = $0 })
                    try await until("failure is called") { error != nil }
                    report.expect(error?.code, is: .connectFailed)
                    report.expect(try await web.script("document.title"), is: "inline")
                    // A page for an error, where it is wanted.
                    web.view.sessionManager.responseSerializer.acceptableStatusCodes = nil
                    try await web.view.loadPage(site.request("/missing"))
                    try await web.waitForPage(site.url("/missing"))
                    report.expect(try await web.script("document.title"), is: "none")
                    web.close()
                }
            },
        ]

        /// A port at which nobody listens any more.
        private static func unusedPort() async throws -> Int {
            let server = try await FaultServer.start(.steps([]))
            await server.shutdown()
            return server.port
        }
    }

    extension Result {
        fileprivate var failure: Failure? {
            if case .failure(let error) = self { error } else { nil }
        }
    }
#endif
