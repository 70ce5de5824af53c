#if WebKitGTK
    import Testing

    extension WidgetTests {
        @Suite struct WebViewTests {
            @Test func `a page is loaded by the session and shown under its final URL`() async throws {
                try await WidgetProgram.check("web page")
            }

            @Test func `a page is read in its charset`() async throws {
                try await WidgetProgram.check("charset of a page")
            }

            @Test func `text, pictures and XML are shown as such`() async throws {
                try await WidgetProgram.check("types of pages")
            }

            @Test func `what success changes is shown, and what it throws is the error`() async throws {
                try await WidgetProgram.check("changed page")
            }

            @Test func `a page of the program is shown under http URLs only`() async throws {
                try await WidgetProgram.check("page of the program")
            }

            @Test func `a second load cancels the first, of which nothing is heard`() async throws {
                try await WidgetProgram.check("replaced page")
            }

            @Test func `a load can be stopped`() async throws {
                try await WidgetProgram.check("stopped page")
            }

            @Test func `a view that is destroyed cancels its load`() async throws {
                try await WidgetProgram.check("destroyed web view")
            }

            @Test func `closures are released when their load or their view has ended`() async throws {
                try await WidgetProgram.check("closures of a web view")
                try await WidgetProgram.check("many web views")
            }

            @Test func `a page can be awaited`() async throws {
                try await WidgetProgram.check("awaited page")
            }

            @Test func `what cannot be shown is refused before its body is read`() async throws {
                try await WidgetProgram.check("refused pages")
            }

            @Test func `links and GET forms go through the session where that is wanted`() async throws {
                try await WidgetProgram.check("links")
            }

            @Test func `the session and WebKit share their cookies where that is wanted`() async throws {
                try await WidgetProgram.check("shared cookies")
                try await WidgetProgram.check("separate cookies")
            }

            @Test func `the error of a link is told`() async throws {
                try await WidgetProgram.check("link that fails")
            }
        }
    }
#endif
