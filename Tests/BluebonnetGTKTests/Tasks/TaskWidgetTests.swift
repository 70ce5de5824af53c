#if GTK
    import Testing

    extension WidgetTests {
        @Suite struct TaskWidgetTests {
            @Test func `a bar follows a download to its end, and another one in its place`() async throws {
                try await WidgetProgram.check("progress of a download")
            }

            @Test func `a bar pulses while the length is not known`() async throws {
                try await WidgetProgram.check("progress without a length")
            }

            @Test func `a bar follows an upload`() async throws {
                try await WidgetProgram.check("progress of an upload")
            }

            @Test func `a bar that is destroyed leaves its task alone`() async throws {
                try await WidgetProgram.check("progress of a destroyed bar")
            }

            @Test func `a spinner spins while its task runs`() async throws {
                try await WidgetProgram.check("spinner")
            }

            @Test func `a spinner stops for a task that is cancelled or replaced`() async throws {
                try await WidgetProgram.check("spinner of a cancelled task")
            }

            @Test func `a button cannot be used while it refreshes`() async throws {
                try await WidgetProgram.check("refresh")
            }

            @Test func `a button has the image of its state when a refresh has ended`() async throws {
                try await WidgetProgram.check("refresh of a button with images")
            }

            @Test func `an indicator is shown while the network is used`() async throws {
                try await WidgetProgram.check("activity indicator")
            }
        }
    }
#endif
