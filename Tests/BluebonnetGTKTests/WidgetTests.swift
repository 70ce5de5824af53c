#if GTK
    import Testing

    /// The widgets, each in a real window of a display that nobody sees. One at a time: their
    /// frames are drawn by the processor.
    @Suite(.needs("Xvfb"), .virtualDisplay, .serialized, .timeLimit(.minutes(10)))
    struct WidgetTests {
        @Test func `without a display there is an error`() async throws {
            let (status, text) = try await WidgetProgram.run(["idle"], display: nil)
            #expect(status == 77)
            #expect(text.contains("noDisplay"))
        }
    }
#endif
