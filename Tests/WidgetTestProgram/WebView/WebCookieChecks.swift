#if WebKitGTK
    import Bluebonnet
    import BluebonnetGTK
    import LocalServer

    extension Check {
        static let webCookies = [
            Check("shared cookies") { report in
                let gate = FaultGate()
                let pages: [String: [FaultStep]] = [
                    "/held": [.hold(gate), PageServer.page("<img src='/image4'>")],
                    "/five": [PageServer.page("<img src='/five/image'>")],
                    "/six": [PageServer.page("<img src='/six/image'>")],
                    "/one": [PageServer.page("<img src='/image1'>", [("Set-Cookie", "a=1; HttpOnly")])],
                    "/two": [PageServer.page("<img src='/image2'>", [("Set-Cookie", "a=; Max-Age=0")])],
                    "/three": [PageServer.page("<img src='/image3'>")],
                    "/ping": [PageServer.page("pong")],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    let jar = CookieJar()
                    var configuration = SessionConfiguration()
                    configuration.cookieJar = jar
                    web.view.sessionManager = HTTPSessionManager(configuration: configuration)
                    web.view.sharesCookies = true
                    func show(_ path: String) async throws {
                        try await web.view.loadPage(site.request(path))
                        try await web.waitForPage(site.url(path))
                    }
                    // The page of this request has read what was set before it.
                    let ping = "; const p = new XMLHttpRequest(); p.open('GET', '/ping', false); p.send()"
                    try await show("/one")
                    report.expect(site.cookies("/image1"), is: ["a=1"])
                    _ = try await web.script("document.cookie = 'b=2; Max-Age=1000'" + ping)
                    report.expect(site.cookies("/ping"), is: ["a=1", "b=2"])
                    try await show("/two")
                    report.expect(site.cookies("/two"), is: ["a=1", "b=2"])
                    report.expect(jar.cookies.map(\.name), is: ["b"])
                    report.expect(jar.cookies.first?.expires != nil, "the end of the cookie is lost")
                    report.expect(site.cookies("/image2"), is: ["b=2"])
                    _ = try await web.script("document.cookie = 'b=; Max-Age=0'" + ping)
                    try await show("/three")
                    report.expect(site.cookies("/three"), is: [])
                    report.expect(jar.cookies.isEmpty, "a cookie that a page has removed is there")
                    // What a page sets while the next one is under way is not lost.
                    web.view.load(try site.request("/held"))
                    try await until("the page is asked for") { !site.requests("/held").isEmpty }
                    _ = try await web.script("document.cookie = 'c=3; Max-Age=1000'" + ping)
                    gate.open()
                    try await web.waitForPage(site.url("/held"))
                    report.expect(site.cookies("/image4"), is: ["c=3"])
                    // Neither is it with a session that has another jar.
                    for (path, other) in [("/five", jar), ("/six", CookieJar())] {
                        configuration.cookieJar = other
                        web.view.sessionManager = HTTPSessionManager(configuration: configuration)
                        try await show(path)
                        report.expect(site.cookies(path), is: ["c=3"])
                        report.expect(site.cookies("\(path)/image"), is: ["c=3"])
                        report.expect(other.cookies.map(\.name), is: ["c"])
                    }
                    web.close()
                }
            },
            Check("separate cookies") { report in
                let pages = ["/one": [PageServer.page("<img src='/image'>", [("Set-Cookie", "a=1")])]]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    var configuration = SessionConfiguration()
                    configuration.cookieJar = CookieJar()
                    web.view.sessionManager = HTTPSessionManager(configuration: configuration)
                    try await web.view.loadPage(site.request("/one"))
                    try await web.waitForPage(site.url("/one"))
                    report.expect(site.cookies("/image"), is: [])
                    web.close()
                }
            },
        ]
    }

    extension PageServer {
        /// The cookies of the last request for a path, sorted.
        fileprivate func cookies(_ path: String) -> [String] {
            let field = requests(path).last?.value(of: "Cookie") ?? ""
            return field.split(separator: "; ").map { String($0) }.sorted()
        }
    }
#endif
