#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(1)))
    struct JPEGScansTests {
        private func count(_ data: Data) -> Int {
            var scans = JPEGScans()
            scans.read(ImageBytes(data))
            return scans.count
        }

        /// The progressive sample, whose last scan is there so many times more.
        private func progressive(more: Int) throws -> Data {
            let data = SampleImage.progressiveJPEG
            let start = try #require(data.lastRange(of: [0xFF, 0xDA])).lowerBound
            let scan = data[start..<data.endIndex - 2]
            return data[..<start] + (0...more).map { _ in scan }.joined() + [0xFF, 0xD9]
        }

        @Test func `each scan is counted, also when it comes byte by byte`() throws {
            #expect(count(SampleImage.turnedJPEG) == 1)
            let usual = count(SampleImage.progressiveJPEG)
            #expect(usual > 3)
            let data = try progressive(more: 5)
            #expect(count(data) == usual + 5)
            var scans = JPEGScans()
            for end in 0...data.count { scans.read(ImageBytes(data.prefix(end))) }
            #expect(scans.count == usual + 5)
        }

        @Test func `a marker in a segment and one behind the end are not counted`() {
            let comment: [UInt8] = [0xFF, 0xFE, 0, 6, 0xFF, 0xDA, 0xFF, 0xDA]
            let data = SampleImage.turnedJPEG.prefix(2) + comment + SampleImage.turnedJPEG.dropFirst(2)
            #expect(count(data + SampleImage.turnedJPEG) == 1)
        }

        @Test func `the pixels of all scans together have a limit`() throws {
            var decoder = ImageDecoder()
            decoder.limits.maximumPixelCount = 24 * 16
            #expect(try decoder.decode(SampleImage.progressiveJPEG).width == 24)
            let data = try progressive(more: 30)
            #expect {
                _ = try decoder.decode(data)
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .tooManyPixels
            }
            let progressive = ProgressiveImageDecoder(decoder)
            #expect {
                for byte in data { _ = try progressive.append(Data([byte])) }
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .tooManyPixels
            }
        }
    }

    extension Data {
        fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? { range(of: Data(bytes), options: .backwards) }
    }
#endif
