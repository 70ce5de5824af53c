#if GTK
    import Testing

    extension WidgetTests {
        @Suite struct ButtonTests {
            @Test func `a button has an image for each state`() async throws {
                try await WidgetProgram.check("button")
            }

            @Test func `a button has a background for each state, behind its label or image`() async throws {
                try await WidgetProgram.check("background of a button")
            }

            @Test func `a button shows a placeholder, and tells of success and failure`() async throws {
                try await WidgetProgram.check("placeholder and closures of a button")
            }

            @Test func `the images of a button are cancelled, each by itself and with the widget`() async throws {
                try await WidgetProgram.check("cancelled button")
            }
        }
    }
#endif
