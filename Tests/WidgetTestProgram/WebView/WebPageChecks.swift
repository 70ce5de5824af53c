#if WebKitGTK
    import Bluebonnet
    import BluebonnetGTK
    import FoundationEssentials
    import HTTPTypes
    import LocalServer

    extension Check {
        static let webPages = [
            Check("web page") { report in
                let pages = [
                    "/start": [FaultStep.respond(302, headers: [("Location", "/pages/one")])],
                    "/pages/one": [PageServer.page("<title>Grüße</title><a href='two'>two</a>")],
                    "/pages/user?a=%20": [PageServer.page("<a href='two'>two</a>")],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    var (steps, page): ([TaskProgress], WebPage?) = ([], nil)
                    let task = web.view.load(
                        try site.request("/start"),
                        progress: { steps.append($0) },
                        success: { shown in
                            report.expect(steps.last?.download.fractionCompleted, is: 1)
                            page = shown
                        },
                        failure: { report.expect(false, "\($0)") }
                    )
                    report.expect(web.view.isLoading, "nothing is under way")
                    try await web.waitForPage(site.url("/pages/one"))
                    report.expect(page?.text, is: "<title>Grüße</title><a href='two'>two</a>")
                    report.expect(page?.mimeType, is: "text/html")
                    report.expect(page?.head?.status.code, is: 200)
                    report.expect(page?.baseURL?.absoluteString, is: site.url("/pages/one"))
                    report.expect(try await web.script("document.title"), is: "Grüße")
                    report.expect(try await web.script("document.characterSet"), is: "UTF-8")
                    report.expect(try await web.script("document.contentType"), is: "text/html")
                    report.expect(try await web.script("document.location.href"), is: site.url("/pages/one"))
                    report.expect(try await web.script("document.links[0].href"), is: site.url("/pages/two"))
                    report.expect(task.metrics?.redirectCount, is: 1)
                    report.expect(site.isOfSession("/pages/one"), "the page is not loaded once, by the session")
                    report.expect(site.requests("/start").first?.value(of: "Accept")?.hasPrefix("text/html"), is: true)
                    // The scripts of a page do not see the user of its URL.
                    let address = site.url("/pages/user?a=%20").replacing(
                        "//",
                        with: "//user:secret@",
                        maxReplacements: 1
                    )
                    try await web.view.loadPage(Request(url: try require(URL(string: address))))
                    try await web.waitForPage(site.url("/pages/user?a=%20"))
                    report.expect(try await web.script("document.location.href"), is: site.url("/pages/user?a=%20"))
                    report.expect(try await web.script("document.links[0].href"), is: site.url("/pages/two"))
                    web.close()
                }
            },
            Check("charset of a page") { report in
                let gbk: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]
                let title = Array("<title>".utf8)
                let pages: [String: [FaultStep]] = [
                    "/latin1": [PageServer.page(bytes: title + [0x63, 0xE9], type: "text/html; charset=ISO-8859-1")],
                    "/gbk": [PageServer.page(bytes: title + gbk, type: "text/html; charset=GBK")],
                    "/meta": [
                        PageServer.page(bytes: Array("<meta charset=gb2312>".utf8) + title + gbk, type: "text/html")
                    ],
                    "/none": [PageServer.page("<title>é你", type: "text/html")],
                    "/mark": [PageServer.page("\u{FEFF}<title>é你", type: "text/html; charset=gbk")],
                    "/unknown": [PageServer.page("<title>é你", type: "text/html; charset=nonsense")],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    for (path, title, charset) in [
                        ("/latin1", "cé", "windows-1252"), ("/gbk", "你好", "GBK"), ("/meta", "你好", "GBK"),
                        ("/none", "é你", "UTF-8"), ("/mark", "é你", "UTF-8"), ("/unknown", "é你", "UTF-8"),
                    ] {
                        let page = try await web.view.loadPage(site.request(path))
                        report.expect(page.text.contains(title), "\(path): \(page.text)")
                        try await web.waitForPage(site.url(path))
                        report.expect(try await web.script("document.title"), is: title)
                        report.expect(try await web.script("document.characterSet"), is: charset)
                    }
                    try await web.view.loadPage(site.request("/none"), textEncodingName: "iso-8859-7")
                    try await web.waitForPage(site.url("/none"))
                    report.expect(try await web.script("document.characterSet"), is: "ISO-8859-7")
                    web.close()
                }
            },
            Check("types of pages") { report in
                let picture = "<svg xmlns='http://www.w3.org/2000/svg'/>"
                let pages: [String: [FaultStep]] = [
                    "/text": [PageServer.page("<b>text</b>", type: "text/plain")],
                    "/picture": [PageServer.page(picture, type: "image/svg+xml")],
                    "/xml": [
                        PageServer.page("<?xml version='1.0' encoding='iso-8859-2'?><a/>", type: "application/xml")
                    ],
                    "/none": [PageServer.page("<b>text</b>", type: nil)],
                ]
                try await PageServer.run(pages) { site in
                    let web = try await TestWebView()
                    for (path, type) in [
                        ("/text", "text/plain"), ("/picture", "image/svg+xml"), ("/xml", "application/xml"),
                    ] {
                        try await web.view.loadPage(site.request(path))
                        try await web.waitForPage(site.url(path))
                        report.expect(try await web.script("document.contentType"), is: type)
                    }
                    report.expect(try await web.script("document.characterSet"), is: "ISO-8859-2")
                    for (path, type) in [("/text", "text/html"), ("/none", "text/plain")] {
                        try await web.view.loadPage(site.request(path), mimeType: type)
                        try await web.waitForPage(site.url(path))
                        report.expect(try await web.script("document.contentType"), is: type)
                    }
                    web.close()
                }
            },
            Check("changed page") { report in
                try await PageServer.run(["/one": [PageServer.page("<title>one</title>")]]) { site in
                    let web = try await TestWebView()
                    web.view.load(
                        try site.request("/one"),
                        success: { $0.text = $0.text.replacing("one", with: "zwölf") }
                    )
                    try await web.waitForPage(site.url("/one"))
                    report.expect(try await web.script("document.title"), is: "zwölf")
                    var error: NetworkingError?
                    web.view.load(
                        try site.request("/one"),
                        success: { _ in throw CancellationError() },
                        failure: { error = $0 }
                    )
                    try await until("failure is called") { error != nil }
                    report.expect(error?.code, is: .responseRefused)
                    report.expect(error?.underlying is CancellationError, "the error of success is not there")
                    report.expect(try await web.script("document.title"), is: "zwölf")
                    web.close()
                }
            },
            Check("page of the program") { report in
                let web = try await TestWebView()
                let url = try require(URL(string: "http://pages.test/"))
                try web.view.show(WebPage(html: "<title>é</title><a href='b'>", baseURL: url))
                try await web.waitForPage("http://pages.test/")
                report.expect(
                    try await web.script("document.title + document.links[0].href"),
                    is: "éhttp://pages.test/b"
                )
                for url in ["file:///etc/", "data:text/html,x", "relative"] {
                    do throws(NetworkingError) {
                        try web.view.show(WebPage(html: "", baseURL: URL(string: url)))
                        report.expect(false, "a page was shown under \(url)")
                    } catch {
                        report.expect(error.code, is: .unsupportedScheme)
                    }
                }
                try web.view.show(WebPage(html: "<title>none</title>"))
                try await web.waitForPage("about:blank")
                report.expect(try await web.script("document.title"), is: "none")
                web.close()
            },
        ]
    }
#endif
