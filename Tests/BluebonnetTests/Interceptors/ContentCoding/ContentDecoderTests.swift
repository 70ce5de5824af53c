import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct ContentDecoderTests {
    /// Decodes a body that comes in pieces; checks that blocks are neither empty nor larger than
    /// promised.
    private static func decode(_ coding: String, _ pieces: [[UInt8]], limits: Limits = Limits()) throws -> String {
        let decoder = ContentDecoder(try #require(try ContentCoding(contentEncoding: coding)), limits: limits)
        var whole = ByteBuffer()
        for piece in pieces {
            decoder.push(ByteBuffer(bytes: piece))
            while var block = try decoder.nextBlock() {
                #expect((1...262_144).contains(block.readableBytes))
                whole.writeBuffer(&block)
            }
        }
        try decoder.finish()
        return String(buffer: whole)
    }

    private static func code(_ coding: String, _ pieces: [[UInt8]], limits: Limits = Limits()) -> NetworkingError.Code?
    {
        do {
            _ = try decode(coding, pieces, limits: limits)
            return nil
        } catch {
            return (error as? NetworkingError)?.code
        }
    }

    static let samples: [(String, [UInt8])] = zlibSamples + brotliSamples + zstdSamples

    /// The samples that a build without package traits decodes.
    private static let zlibSamples: [(String, [UInt8])] = [
        ("gzip", EncodedSample.gzip),
        ("gzip", EncodedSample.storedGzip),
        ("gzip", EncodedSample.members),
        ("gzip", EncodedSample.fullHeader),
        ("deflate", EncodedSample.zlib),
        ("deflate", EncodedSample.raw),
        ("gzip, deflate", EncodedSample.zlibOfGzip),
    ]

    private static var brotliSamples: [(String, [UInt8])] {
        #if Brotli
            [("br", EncodedSample.brotli)]
        #else
            []
        #endif
    }

    private static var zstdSamples: [(String, [UInt8])] {
        var samples: [(String, [UInt8])] = []
        #if Zstd
            samples += [
                ("zstd", EncodedSample.zstd), ("zstd", EncodedSample.uncheckedZstd), ("zstd", EncodedSample.zstdFrames),
                ("zstd", EncodedSample.widestZstd),
            ]
        #endif
        #if Brotli && Zstd
            samples.append(("br, zstd", EncodedSample.zstdOfBrotli))
        #endif
        return samples
    }

    /// Bodies that carry no check value, so that a changed byte may go unnoticed.
    private static let unchecked = [
        EncodedSample.raw, EncodedSample.brotli, EncodedSample.uncheckedZstd, EncodedSample.widestZstd,
    ]

    @Test(arguments: samples)
    func `an encoded body is decoded, whole and byte by byte`(_ coding: String, _ bytes: [UInt8]) throws {
        #expect(try Self.decode(coding, [bytes]) == EncodedSample.text)
        #expect(try Self.decode(coding, bytes.map { [$0] }) == EncodedSample.text)
    }

    @Test(arguments: samples)
    func `an encoded body may be split anywhere`(_ coding: String, _ bytes: [UInt8]) throws {
        for place in bytes.indices {
            try #require(
                try Self.decode(coding, [Array(bytes[..<place]), Array(bytes[place...])]) == EncodedSample.text
            )
        }
    }

    @Test(arguments: samples)
    func `a truncated encoded body is an error at every length`(_ coding: String, _ bytes: [UInt8]) throws {
        // A body that is cut between two members or frames is whole for a reader that does not know
        // of the second one.
        let beginnings: [[UInt8]] = [
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0], [0x28, 0xB5, 0x2F, 0xFD], [0x53, 0x2A, 0x4D, 0x18],
        ]
        let isSeries = bytes == EncodedSample.members || bytes == EncodedSample.zstdFrames
        for length in 1..<bytes.count where !isSeries || !beginnings.contains(where: bytes[length...].starts) {
            try #require(Self.code(coding, [Array(bytes[..<length])]) == .contentDecodingFailed, "\(length) bytes")
        }
    }

    @Test(arguments: ["gzip", "deflate", "gzip, deflate"])
    func `an encoded body of zero bytes is an empty body`(_ coding: String) throws {
        #expect(try Self.decode(coding, []) == "")
        #expect(try Self.decode(coding, [[], []]) == "")
    }

    @Test func `an encoded empty text is an empty body`() throws {
        #expect(try Self.decode("gzip", [EncodedSample.emptyGzip]) == "")
        #expect(try Self.decode("gzip", [EncodedSample.emptyGzip + EncodedSample.gzip]) == EncodedSample.text)
        #expect(try Self.decode("deflate", [EncodedSample.emptyRaw]) == "")
    }

    @Test(arguments: samples)
    func `bytes after the end of an encoded body are an error`(_ coding: String, _ bytes: [UInt8]) {
        for tail in [[0], Array("garbage".utf8)] as [[UInt8]] {
            #expect(Self.code(coding, [bytes + tail]) == .contentDecodingFailed)
            #expect(Self.code(coding, [bytes, tail]) == .contentDecodingFailed)
        }
    }

    @Test(
        arguments: [
            ("gzip", Array("{\"not\": \"gzip\"}".utf8), "The response body is not valid gzip: incorrect header check."),
            ("gzip", EncodedSample.zlib, "The response body is not valid gzip: incorrect header check."),
            ("deflate", EncodedSample.gzip, "The response body is not valid deflate: invalid block type."),
            ("deflate", EncodedSample.dictionary, "The response body is not valid deflate: it needs a dictionary."),
            ("gzip", Array(EncodedSample.gzip.dropLast()), "The response body is not valid gzip: it ends too early."),
            ("gzip", EncodedSample.gzip + [0], "The response body is not valid gzip: bytes follow its end."),
            (
                "gzip", EncodedSample.gzip.dropLast(8) + [UInt8](repeating: 0, count: 8),
                "The response body is not valid gzip: incorrect data check."
            ),
        ] as [(String, [UInt8], String)]
    )
    func `a content decoding error says what is wrong`(_ coding: String, _ bytes: [UInt8], _ message: String) throws {
        let error = #expect(throws: NetworkingError.self) { try Self.decode(coding, [bytes]) }
        #expect(error?.code == .contentDecodingFailed)
        #expect(error?.message == message)
    }

    @Test(arguments: samples.filter { !unchecked.contains($0.1) })
    func `a changed byte of an encoded body with a check value never silently yields other text`(
        _ coding: String,
        _ bytes: [UInt8]
    ) {
        // The gzip header has bytes that have no effect.
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x10
            let text = try? Self.decode(coding, [changed])
            #expect(text == nil || text == EncodedSample.text, "byte \(place)")
        }
    }

    @Test func `a content decoding error is final`() throws {
        let decoder = ContentDecoder(try #require(try ContentCoding(contentEncoding: "gzip")), limits: Limits())
        decoder.push(ByteBuffer(string: "not gzip"))
        for _ in 0..<3 {
            #expect(throws: NetworkingError.self) { try decoder.nextBlock() }
        }
        #expect(throws: NetworkingError.self) { try decoder.finish() }
    }
}
