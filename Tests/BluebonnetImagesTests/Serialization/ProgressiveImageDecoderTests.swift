#if Images
    import Bluebonnet
    import BluebonnetImages
    import Foundation
    import HTTPTypes
    import LocalServer
    import Testing

    @Suite(.timeLimit(.minutes(2)))
    struct ProgressiveImageDecoderTests {
        /// An image that does not become small when it is encoded.
        private func picture() throws -> Bitmap {
            var bitmap = try #require(Bitmap(width: 64, height: 64))
            var number: UInt32 = 1
            for y in 0..<64 {
                for x in 0..<64 {
                    number = number &* 1_664_525 &+ 1_013_904_223
                    bitmap[x, y] = Bitmap.Pixel(red: UInt8(number >> 24), green: UInt8(y * 4), blue: UInt8(x * 4))
                }
            }
            return bitmap
        }

        /// All parts, and the whole image, of bytes that come in pieces.
        private func images(
            _ data: Data,
            pieces: Int,
            _ decoder: ImageDecoder = ImageDecoder()
        ) throws -> (parts: [Image], whole: Image) {
            let progressive = ProgressiveImageDecoder(decoder)
            var parts: [Image] = []
            for start in stride(from: 0, to: data.count, by: pieces) {
                if let part = try progressive.append(data[start..<min(start + pieces, data.count)]) {
                    parts.append(part)
                }
            }
            return (parts, try progressive.finish())
        }

        @Test(arguments: [1, 100, 1000])
        func `parts of an image have its size and more and more of its rows`(pieces: Int) throws {
            let bitmap = try picture()
            let (parts, whole) = try images(bitmap.pngData(), pieces: pieces)
            #expect(whole.bitmap == bitmap)
            #expect(!whole.metadata.isPartial)
            #expect(parts.count > 3)
            var rows = 0
            for part in parts {
                #expect(part.metadata.isPartial)
                #expect(part.width == 64)
                #expect(part.height == 64)
                let same = (0..<64).prefix { y in (0..<64).allSatisfy { part.bitmap[$0, y] == bitmap[$0, y] } }.count
                #expect(same >= rows)
                rows = same
            }
            #expect(rows > 20)
        }

        @Test func `parts become fewer as bytes become more`() throws {
            let data = try picture().pngData()
            // Each has a quarter more bytes than the one before it.
            #expect(try images(data, pieces: 1).parts.count < 45)
        }

        @Test(arguments: [SampleImage.webp, SampleImage.avif, SampleImage.xbm, SampleImage.animatedWebP])
        func `formats without parts give the whole image`(data: Data) throws {
            let (parts, whole) = try images(data, pieces: 10)
            #expect(parts.isEmpty)
            #expect(try whole == ImageDecoder().decode(data))
        }

        @Test func `an animation ends with all frames`() throws {
            #expect(try images(SampleImage.animatedGIF, pieces: 20).whole.frames.count == 3)
        }

        /// A loader takes for each frame a time that grows with the number of frames before it.
        @Test func `of an animation, no more than the first frame is decoded for parts`() throws {
            let data = Bomb.gif(frames: 200_000)
            let progressive = ProgressiveImageDecoder()
            var parts = 0
            for start in stride(from: 0, to: data.count, by: 200) {
                parts += try progressive.append(data[start..<min(start + 200, data.count)]) == nil ? 0 : 1
            }
            #expect(parts == 1)
            #expect(throws: ImageDecodingError.self) { try progressive.finish() }
        }

        @Test func `a limit is an error before the pixels have come`() throws {
            let progressive = ProgressiveImageDecoder()
            #expect {
                _ = try progressive.append(Bomb.png)
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .tooManyPixels
            }
        }

        @Test func `what is malformed is told at the end`() throws {
            let data = try picture().pngData()
            let progressive = ProgressiveImageDecoder()
            _ = try progressive.append(data.prefix(data.count / 2))
            #expect {
                _ = try progressive.finish()
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .truncated
            }
        }

        @Test func `an image is shown while it is received`() async throws {
            let bitmap = try picture()
            let data = try bitmap.pngData()
            try await FaultServer.run([.readRequest, .respond(bytes: Array(data))]) { server in
                try await withAPI(at: server.baseURL) { api in
                    let response = try await api.stream("x").open()
                    var last: Image?
                    for try await image in ImageDecoder().images(from: response.body) { last = image }
                    #expect(last?.bitmap == bitmap)
                    #expect(last?.metadata.isPartial == false)
                }
            }
        }
    }
#endif
