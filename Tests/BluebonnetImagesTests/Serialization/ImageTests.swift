#if Images
    import BluebonnetImages
    import Testing

    @Suite struct ImageTests {
        private func bitmap(_ width: Int, _ height: Int) throws -> Bitmap {
            try #require(Bitmap(width: width, height: height))
        }

        @Test func `the cost of an image is the size of all its pixels`() throws {
            let still = Image(try bitmap(10, 5))
            #expect(still.byteCount == 200)
            #expect(!still.isAnimated)
            #expect(still.frames == [Image.Frame(bitmap: try bitmap(10, 5))])
            let frame = Image.Frame(bitmap: try bitmap(10, 5), delay: .milliseconds(40))
            let animated = try #require(Image(frames: [frame, frame, frame]))
            #expect(animated.byteCount == 600)
            #expect(animated.isAnimated)
            #expect(animated.duration == .milliseconds(120))
        }

        @Test func `frames of different sizes are not an animation`() throws {
            #expect(Image(frames: []) == nil)
            let frames = [Image.Frame(bitmap: try bitmap(1, 2)), Image.Frame(bitmap: try bitmap(2, 1))]
            #expect(Image(frames: frames) == nil)
        }

        @Test(arguments: [0, -2, .infinity, .nan])
        func `a scale that is none counts as 1`(scale: Double) throws {
            #expect(Image(try bitmap(1, 1), scale: scale).scale == 1)
            #expect(Image(try bitmap(1, 1), scale: 3).scaled(scale).scale == 1)
        }

        @Test func `changed frames keep delays, scale and metadata`() throws {
            var metadata = Image.Metadata()
            metadata.loopCount = 0
            let frame = Image.Frame(bitmap: try bitmap(4, 4), delay: .milliseconds(40))
            let image = try #require(Image(frames: [frame, frame], scale: 2, metadata: metadata))
            let small = try bitmap(2, 2)
            let changed = try #require(image.mapFrames { _ in small })
            #expect(changed.width == 2)
            #expect(changed.scale == 2)
            #expect(changed.metadata.loopCount == 0)
            #expect(changed.frames.map(\.delay) == [.milliseconds(40), .milliseconds(40)])
            var isFirst = true
            let mixed = image.mapFrames { bitmap in
                defer { isFirst = false }
                return isFirst ? bitmap : small
            }
            #expect(mixed == nil)
            #expect(image != changed)
            #expect(image == image.scaled(2))
        }
    }
#endif
