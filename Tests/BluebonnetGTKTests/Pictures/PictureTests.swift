#if GTK
    import Testing

    extension WidgetTests {
        @Suite struct PictureTests {
            @Test func `a picture and an image show the image of a URL`() async throws {
                try await WidgetProgram.check("picture of a URL")
            }

            @Test func `a placeholder is shown until the image is here, and without one what is there stays`()
                async throws
            {
                try await WidgetProgram.check("placeholder")
            }

            @Test func `an image in memory is shown before the call returns`() async throws {
                try await WidgetProgram.check("image in memory")
            }

            @Test func `an image that is under way is not asked for again`() async throws {
                try await WidgetProgram.check("same URL again")
            }

            @Test func `a failure is told, and leaves the placeholder`() async throws {
                try await WidgetProgram.check("failure")
            }

            @Test func `an image is decoded no larger than its widget`() async throws {
                try await WidgetProgram.check("no larger than the widget")
            }

            @Test func `the progress of an image is told`() async throws {
                try await WidgetProgram.check("progress of an image")
            }

            @Test func `the part of an image that is here is shown, where that is wanted`() async throws {
                try await WidgetProgram.check("parts of an image")
            }

            @Test func `the image of an earlier row is never shown`() async throws {
                try await WidgetProgram.check("late image of an earlier row")
            }

            @Test func `of a cancelled image nothing is heard`() async throws {
                try await WidgetProgram.check("cancelled image")
            }

            @Test func `the image of a destroyed widget is cancelled`() async throws {
                try await WidgetProgram.check("destroyed widget")
            }

            @Test func `a thousand rows leave no receipts, sources or references`() async throws {
                try await WidgetProgram.check("a thousand rows")
            }

            @Test func `an animation shows its frames`() async throws {
                try await WidgetProgram.check("animation")
            }

            @Test func `an animation that nobody sees does not run`() async throws {
                try await WidgetProgram.check("animation out of sight")
            }

            @Test func `an animation ends after its last round`() async throws {
                try await WidgetProgram.check("animation with an end")
            }
        }
    }
#endif
