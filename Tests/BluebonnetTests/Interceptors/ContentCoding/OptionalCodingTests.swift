import NIOCore
import Testing

@testable import Bluebonnet

/// Rules of Brotli and zstd only, in a build with their package traits.
@Suite struct OptionalCodingTests {
    #if Brotli
        @Test func `a Brotli bomb is stopped after ten megabytes, and passes where it is allowed`() throws {
            let (count, error) = try ContentDecoder.run("br", EncodedSample.brotliBomb)
            #expect(error?.code == .contentDecodingLimitExceeded)
            #expect(count <= 10 << 20)
            let whole = try ContentDecoder.run("br", EncodedSample.brotliBomb, limits: Limits(decodingRatio: .max))
            #expect(whole == (64 << 20, nil))
        }

        @Test func `Brotli with a large window is refused`() throws {
            // RFC 7932 §9.1 has no window of this kind; the extension marks it with this first
            // byte.
            let (_, error) = try ContentDecoder.run("br", [0x11, 0x1E] + EncodedSample.brotli)
            #expect(error?.code == .contentDecodingFailed)
            #expect(error?.message.hasPrefix("The response body is not valid brotli: it is corrupt (") == true)
        }

        @Test func `an empty text as Brotli is an empty body, and no byte may follow it`() throws {
            #expect(try ContentDecoder.run("br", EncodedSample.emptyBrotli) == (0, nil))
            let (_, error) = try ContentDecoder.run("br", EncodedSample.emptyBrotli + EncodedSample.emptyBrotli)
            #expect(error?.message == "The response body is not valid brotli: bytes follow its end.")
        }
    #endif

    #if Zstd
        @Test func `a zstd bomb is stopped after ten megabytes, and passes where it is allowed`() throws {
            let (count, error) = try ContentDecoder.run("zstd", EncodedSample.zstdBomb)
            #expect(error?.code == .contentDecodingLimitExceeded)
            #expect(count <= 10 << 20)
            let whole = try ContentDecoder.run("zstd", EncodedSample.zstdBomb, limits: Limits(decodingRatio: .max))
            #expect(whole == (64 << 20, nil))
        }

        @Test func `a zstd window above 8 MiB is refused, one of 8 MiB is not`() throws {
            #expect(try ContentDecoder.run("zstd", EncodedSample.widestZstd) == (EncodedSample.text.utf8.count, nil))
            let (count, error) = try ContentDecoder.run("zstd", EncodedSample.wideZstd)
            #expect(count == 0)
            #expect(error?.code == .contentDecodingFailed)
            #expect(error?.message.contains("too much memory") == true)
        }

        @Test func `an empty zstd frame is an empty body`() throws {
            #expect(try ContentDecoder.run("zstd", EncodedSample.emptyZstd) == (0, nil))
            #expect(
                try ContentDecoder.run("zstd", EncodedSample.emptyZstd + EncodedSample.zstd) == (
                    EncodedSample.text.utf8.count, nil
                )
            )
        }

        @Test func `a zstd frame that is shorter than it says is refused, however it is cut`() throws {
            // It declares 182 bytes and ends with an empty block and the check value of nothing.
            let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0xB6, 0x01, 0x00, 0x00, 0x99, 0xE9, 0xD8, 0x51]
            for cut in 0...frame.count {
                let decoder = ContentDecoder(try #require(try ContentCoding(contentEncoding: "zstd")), limits: Limits())
                #expect(throws: NetworkingError.self) {
                    decoder.push(ByteBuffer(bytes: frame[..<cut]))
                    #expect(try decoder.nextBlock() == nil)
                    decoder.push(ByteBuffer(bytes: frame[cut...]))
                    #expect(try decoder.nextBlock() == nil)
                    try decoder.finish()
                }
            }
        }

        @Test func `a zstd frame that needs a dictionary is refused`() throws {
            // RFC 8878 §3.1.1: a frame of one raw block whose descriptor names dictionary 7.
            let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x21, 0x07, 0x01, 0x09, 0x00, 0x00, 0x61]
            let (_, error) = try ContentDecoder.run("zstd", frame)
            #expect(error?.message == "The response body is not valid zstd: dictionary mismatch.")
        }
    #endif
}
