#if WebKitGTK
    import Bluebonnet
    import BluebonnetGTK
    import LocalServer

    extension Check {
        static let links = [
            Check("links") { report in
                let html = """
                    <title>one</title><a id=link href='/two?x=1'>two</a><a id=jump href='#place'>place</a>
                    <form id=get action='/found'><input name=q value='a b'></form>
                    <form id=post action='/posted' method=post><input name=q value=a></form>
                    <iframe id=frame srcdoc="<base href='/'><a id=inner href='/inner'>inner</a>"></iframe>
                    """
                let pages: [String: [FaultStep]] = [
                    "/one": [PageServer.page(html)], "/two?x=1": [PageServer.page("<title>two")],
                    "/found?q=a+b": [PageServer.page("<title>found")], "/posted": [PageServer.page("<title>posted")],
                    "/inner": [PageServer.page("<title>inner")],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    var titles: [String] = []
                    web.view.followLinks(
                        success: { titles.append($0.text) },
                        failure: { report.expect(false, "\($0)") }
                    )
                    func begin() async throws {
                        try await web.view.loadPage(site.request("/one"))
                        try await web.waitForPage(site.url("/one"))
                    }
                    try await begin()
                    _ = try await web.script("link.click()")
                    try await web.waitForPage(site.url("/two?x=1"))
                    report.expect(site.isOfSession("/two?x=1"), "the session has not loaded the link")
                    try await begin()
                    _ = try await web.script("get.requestSubmit()")
                    try await web.waitForPage(site.url("/found?q=a+b"))
                    report.expect(site.isOfSession("/found?q=a+b"), "the session has not loaded the form")
                    report.expect(titles, is: ["<title>two", "<title>found"])
                    // These are WebKit's.
                    try await begin()
                    _ = try await web.script("jump.click()")
                    try await web.waitForPage(site.url("/one#place"))
                    report.expect(site.requests("/one").count, is: 3)
                    _ = try await web.script("frame.contentWindow.focus(); frame.contentDocument.links[0].click()")
                    try await until("the frame is loaded") { site.requests("/inner").count == 1 }
                    report.expect(!site.isOfSession("/inner"), "the session has loaded a frame")
                    report.expect(try await web.script("document.title"), is: "one")
                    try await begin()
                    _ = try await web.script("post.requestSubmit()")
                    try await web.waitForPage(site.url("/posted"))
                    report.expect(!site.isOfSession("/posted"), "the session has loaded a form that is posted")
                    try await begin()
                    web.view.stopFollowingLinks()
                    _ = try await web.script("link.click()")
                    try await web.waitForPage(site.url("/two?x=1"))
                    report.expect(site.requests("/two?x=1").count, is: 2)
                    report.expect(titles.count, is: 2)
                    web.close()
                }
            },
            Check("link that fails") { report in
                try await PageServer.run(["/one": [PageServer.page("<title>one</title><a id=link href='/none'>")]]) {
                    site in
                    let web = try await TestWebView()
                    var error: NetworkingError?
                    web.view.followLinks(failure: { error = $0 })
                    try await web.view.loadPage(site.request("/one"))
                    try await web.waitForPage(site.url("/one"))
                    _ = try await web.script("link.click()")
                    try await until("failure is called") { error != nil }
                    report.expect(error?.code, is: .unacceptableStatusCode)
                    report.expect(try await web.script("document.title"), is: "one")
                    web.close()
                }
            },
        ]
    }
#endif
