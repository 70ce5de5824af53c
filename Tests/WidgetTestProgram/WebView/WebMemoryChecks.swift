#if WebKitGTK
    import Bluebonnet
    import BluebonnetGTK
    import LocalServer

    extension Check {
        static let webMemory = [
            Check("closures of a web view") { report in
                let pages = ["/held": [FaultStep.stall], "/one": [PageServer.page("<title>one</title>")]]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    let (shown, refused, replaced, destroyed) = (Witness(), Witness(), Witness(), Witness())
                    load(try site.request("/one"), in: web, shown)
                    try await web.waitForPage(site.url("/one"))
                    load(try site.request("/missing"), in: web, refused)
                    try await until("the load has ended") { !web.view.isLoading }
                    load(try site.request("/held"), in: web, replaced)
                    try await site.server.wait("the request") { $0.requests.contains { $0.target == "/held" } }
                    load(try site.request("/held"), in: web, destroyed)
                    try await until("those of loads are released") {
                        [shown, refused, replaced].allSatisfy(\.isReleased)
                    }
                    report.expect(!destroyed.isReleased, "those of the load under way are gone")
                    web.close()
                    try await until("those of the last load are released") { destroyed.isReleased }
                }
            },
            Check("many web views") { report in
                let pages = ["/held": [FaultStep.stall], "/one": [PageServer.page("<title>one</title>")]]
                try await PageServer.run(pages) { site in
                    let witnesses = (0..<10).map { _ in Witness() }
                    for (number, witness) in witnesses.enumerated() {
                        let web = try await TestWebView()
                        let object = witness.make()
                        web.view.followLinks(failure: { _ in _ = object })
                        web.view.sharesCookies = true
                        web.view.load(try site.request(number.isMultiple(of: 2) ? "/one" : "/held"))
                        if number.isMultiple(of: 3) { await Task.yield() }
                        web.close()
                    }
                    try await until("nothing is left of the views") { witnesses.allSatisfy(\.isReleased) }
                }
            },
        ]

        /// Loads a page with closures that keep the object of a witness.
        @MainActor
        private static func load(_ request: Request, in web: TestWebView, _ witness: Witness) {
            let object = witness.make()
            web.view.load(
                request,
                progress: { _ in _ = object },
                success: { _ in _ = object },
                failure: { _ in _ = object }
            )
        }
    }

    /// Knows whether an object is still kept by somebody.
    @MainActor
    private final class Witness {
        final class Object {}

        private weak var object: Object?

        var isReleased: Bool { object == nil }

        func make() -> Object {
            let object = Object()
            self.object = object
            return object
        }
    }
#endif
