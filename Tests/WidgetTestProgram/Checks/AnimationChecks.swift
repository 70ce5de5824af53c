#if GTK
    import BluebonnetGTK
    import BluebonnetImages
    import CGtk4
    import FoundationEssentials
    import LocalServer

    extension Check {
        static let animations = [
            Check("animation") { report in
                try await FaultServer.run(
                    .requests { _ in [.respond(headers: [("Content-Type", "image/gif")], bytes: threeFrames)] }
                ) { server in
                    let window = try await TestWindow(.makePicture())
                    let url = try require(URL(string: "\(server.baseURL)/animation"))
                    window.child.picture.setImage(with: url, downloader: ImageDownloader())
                    for channel in [\Bitmap.Pixel.red, \.green, \.blue] {
                        try await until("the frame is shown") { window.child.firstPixel?[keyPath: channel] == 255 }
                    }
                    window.close()
                }
            },
            Check("animation out of sight") { report in
                let image = try animation(frames: 40, loopCount: 0)
                let window = try await TestWindow(.makePicture())
                let sources = try await restingSourceCount()
                window.child.picture.setImage(image)
                let first = window.child.firstPixel
                try await until("the next frame is shown") { window.child.firstPixel != first }
                window.child.isVisible = false
                let hidden = window.child.firstPixel
                try await until("nothing waits for the next frame") { sourceCount == sources }
                report.expect(window.child.firstPixel, is: hidden)
                window.child.isVisible = true
                try await until("it goes on") { window.child.firstPixel != hidden }
                // Another image ends it.
                window.child.picture.setImage(try ImageServer.placeholder())
                try await until("nothing waits for the next frame") { sourceCount == sources }
                report.expect(window.child.shownWidth, is: 3)
                window.close()
            },
            Check("animation with an end") { report in
                let image = try animation(frames: 3, loopCount: 2)
                let window = try await TestWindow(.makePicture())
                let sources = try await restingSourceCount()
                window.child.picture.setImage(image)
                report.expect(sourceCount > sources, "nothing waits for the next frame")
                try await until("its last frame is shown") { sourceCount == sources }
                report.expect(window.child.firstPixel?.red, is: 2)
                window.close()
            },
        ]

        /// Frames of 20 ms, whose red is their number.
        private static func animation(frames: Int, loopCount: Int) throws -> Image {
            var metadata = Image.Metadata()
            metadata.loopCount = loopCount
            let frames = (0..<frames).compactMap { number in
                let color = Bitmap.Pixel(red: UInt8(number), green: 0, blue: 0)
                return Bitmap(width: 4, height: 4, color: color).map {
                    Image.Frame(bitmap: $0, delay: .milliseconds(20))
                }
            }
            return try require(Image(frames: frames, metadata: metadata))
        }

        /// A GIF whose frames are red, green and blue.
        private static let threeFrames = Array(
            Data(
                base64Encoded: """
                    R0lGODlhBAAEAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwECAAAh+QQABQAAACwAAAAABAAEAAAI\
                    CQABCBxIsCCAgAAh+QQBAAABACwAAAAABAAEAIEA/wAAAAAAAAAAAAAICQABCBxIsCCAgAAh+QQBFAABACwA\
                    AAAABAAEAIEAAP8AAAAAAAAAAAAICQABCBxIsCCAgAA7
                    """
            ) ?? Data()
        )
    }
#endif
