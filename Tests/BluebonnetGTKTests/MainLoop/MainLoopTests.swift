#if GTK
    import Testing

    extension WidgetTests {
        @Suite struct MainLoopTests {
            @Test func `the main actor, the main queue and sleeps run on the main thread`() async throws {
                try await WidgetProgram.check("main thread")
            }

            @Test func `a callback of C is on the main actor`() async throws {
                try await WidgetProgram.check("callbacks of C")
            }

            @Test func `attaching again changes nothing`() async throws {
                try await WidgetProgram.check("attached twice")
            }

            @Test func `an idle loop takes no time of the processor`() async throws {
                try await WidgetProgram.check("idle")
            }
        }
    }
#endif
