import Crypto
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads whose bytes are compared with digests.
@Suite(.timeLimit(.minutes(5)))
struct DownloadDigestTests {
    private let bytes = RangeResponses.bytes(300_000)

    private static func hex(_ digest: some Sequence<UInt8>) -> String {
        digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private var sha256: String { Self.hex(SHA256.hash(data: bytes)) }
    private var sha512: String { Self.hex(SHA512.hash(data: bytes)) }

    private static func field(_ bytes: some Sequence<UInt8>) -> String {
        let data = Data(bytes)
        let (short, long) = (Data(SHA256.hash(data: data)), Data(SHA512.hash(data: data)))
        return "sha-256=:\(short.base64EncodedString()):, sha-512=:\(long.base64EncodedString()):"
    }

    private func withServer(
        _ responses: RangeResponses,
        _ body: (HTTPSessionManager, URL, FaultServer, borrowing Mutex<RangeResponses>) async throws -> Void
    ) async throws {
        let box = Box(responses)
        try await FaultServer.run(.requests { request in box.value.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { try await body(api, $0.appending(path: "a"), server, box.value) }
            }
        }
    }

    private final class Box: Sendable {
        let value: Mutex<RangeResponses>

        init(_ value: RangeResponses) {
            self.value = Mutex(value)
        }
    }

    /// Expects that a download fails, and leaves nothing behind.
    private func expectMismatch(_ file: URL, _ subject: String, _ work: () async throws -> URL) async throws {
        let error = try await networkingError { try await work() }
        #expect(error.code == .digestMismatch)
        #expect(error.message.contains(subject), "\(error)")
        #expect(error.resumeData == nil)
        #expect(error.response != nil)
        #expect(try names(in: file.deletingLastPathComponent()).isEmpty)
    }

    // MARK: The checksum

    @Test func `a file has the checksum that was asked for`() async throws {
        try await withServer(RangeResponses(bytes: bytes)) { api, file, _, _ in
            for checksum in [Checksum.sha256(sha256), .sha256(sha256.uppercased()), .sha512(sha512)] {
                try await api.download("a", to: file, checksum: checksum)
                #expect(try Data(contentsOf: file) == Data(bytes))
            }
            let task = try api.downloadTask(.get, "a", to: file, checksum: .sha256(sha256))
            _ = try await task.value
            let request = try Request(to: api.baseURL?.absoluteString ?? "")
            try await api.session.download(request, to: file, checksum: .sha512(sha512))
        }
    }

    @Test func `a file with another checksum is an error, and is not kept`() async throws {
        try await withServer(RangeResponses(bytes: bytes)) { api, file, _, _ in
            let wrong = Checksum.sha256(String(repeating: "0", count: 64))
            try await expectMismatch(file, "The checksum") { try await api.download("a", to: file, checksum: wrong) }
            let (errors, continuation) = AsyncStream.makeStream(of: NetworkingError.self)
            api.download("a", to: file, checksum: wrong, success: nil) { _, error in continuation.yield(error) }
            for await error in errors {
                #expect(error.code == .digestMismatch)
                break
            }
        }
    }

    @Test(arguments: [
        Checksum.sha256("abc"), .sha512(String(repeating: "a", count: 64)), .sha256(String(repeating: "g", count: 64)),
    ])
    func `a checksum that is none is an error before anything is sent`(checksum: Checksum) async throws {
        try await withServer(RangeResponses(bytes: bytes)) { api, file, server, _ in
            let error = try await networkingError { try await api.download("a", to: file, checksum: checksum) }
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains("hexadecimal digits"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `the checksum counts all bytes of a download that is continued`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, file, server, box in
            for isRight in [true, false] {
                box.withLock { $0.cut = 120_000 }
                let error = try await networkingError {
                    try await api.download("a", to: file, checksum: .sha256(sha256))
                }
                #expect(error.resumeData?.byteCount == 120_000)
                box.withLock { $0.cut = nil }
                if isRight {
                    try await api.download("a", to: file, resuming: error.resumeData, checksum: .sha256(sha256))
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    try FileManager.default.removeItem(at: file)
                } else {
                    let partial = try #require(error.resumeData?.partialFile)
                    let handle = try FileHandle(forWritingTo: partial)
                    try handle.write(contentsOf: bytes[1...1])
                    try handle.close()
                    try await expectMismatch(file, "The checksum") {
                        try await api.download("a", to: file, resuming: error.resumeData, checksum: .sha256(sha256))
                    }
                }
                #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
            }
        }
    }

    @Test func `a file that changed has the checksum of the new version`() async throws {
        try await withServer(RangeResponses(bytes: RangeResponses.bytes(300_000, seed: 9), cut: 120_000)) {
            api,
            file,
            _,
            box in
            let error = try await networkingError { try await api.download("a", to: file) }
            box.withLock { $0 = RangeResponses(bytes: bytes, tag: "\"v2\"") }
            try await api.download("a", to: file, resuming: error.resumeData, checksum: .sha512(sha512))
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `what went to a device is compared too`() async throws {
        try await withServer(RangeResponses(bytes: bytes)) { api, _, _, _ in
            let null = URL(filePath: "/dev/null")
            try await api.download("a", to: null, checksum: .sha256(sha256))
            let error = try await networkingError {
                try await api.download("a", to: null, checksum: .sha256(String(repeating: "0", count: 64)))
            }
            #expect(error.code == .digestMismatch)
        }
    }

    @Test(arguments: ["sha256:", "SHA-256=", "sha-256:"])
    func `a checksum is read from text`(name: String) throws {
        let checksum = try #require(Checksum(name + sha256.uppercased()))
        #expect(checksum == .sha256(sha256))
        #expect(checksum.description == "sha256:\(sha256)")
        #expect(Checksum(checksum.description) == checksum)
    }

    @Test(arguments: ["", "sha256", "sha256:", "md5:d41d8cd98f00b204e9800998ecf8427e", "sha512:abcd", ":"])
    func `other text is no checksum`(text: String) {
        #expect(Checksum(text) == nil)
    }

    // MARK: The digests of the server

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func `a digest that the server sends is compared`(name: String) async throws {
        let right = RangeResponses(bytes: bytes, headers: [(name, Self.field(bytes))])
        try await withServer(right) { api, file, _, box in
            try await api.download("a", to: file)
            #expect(try Data(contentsOf: file) == Data(bytes))
            try FileManager.default.removeItem(at: file)
            box.withLock { $0.headers = [(name, Self.field([1]))] }
            try await expectMismatch(file, name) { try await api.download("a", to: file) }
            // One of two is wrong.
            let half = Self.field(bytes).split(separator: ", ")[0] + ", " + Self.field([1]).split(separator: ", ")[1]
            box.withLock { $0.headers = [(name, String(half))] }
            try await expectMismatch(file, "sha-512") { try await api.download("a", to: file) }
        }
    }

    @Test(arguments: [
        "md5=:AAAAAAAAAAAAAAAAAAAAAA==:", "sha-256=:AAAA:", "sha-256=1", "sha-256", "sha-256=:AAA", "sha-256=:AAAA:,",
        "SHA-256=:AAAA:", "", "unixsum=?1;a=2, sha=\"x\"", "id-sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
    ])
    func `a field without a digest that is known is ignored`(value: String) async throws {
        let headers = [("Repr-Digest", value), ("Content-Digest", value)]
        try await withServer(RangeResponses(bytes: bytes, headers: headers)) { api, file, _, _ in
            try await api.download("a", to: file)
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `the digest of the whole holds for a download that is continued`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, file, server, box in
            for isRight in [true, false] {
                box.withLock { $0.cut = 120_000 }
                let error = try await networkingError { try await api.download("a", to: file) }
                let field = ("Repr-Digest", Self.field(isRight ? bytes : [1]))
                box.withLock { $0 = RangeResponses(bytes: bytes, headers: [field]) }
                if isRight {
                    try await api.download("a", to: file, resuming: error.resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    try FileManager.default.removeItem(at: file)
                } else {
                    try await expectMismatch(file, "Repr-Digest") {
                        try await api.download("a", to: file, resuming: error.resumeData)
                    }
                }
                #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
            }
        }
    }

    @Test func `the digest of the content is that of a part`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, file, _, box in
            for isRight in [true, false] {
                box.withLock { $0.cut = 120_000 }
                let error = try await networkingError { try await api.download("a", to: file) }
                let field = ("Content-Digest", Self.field(isRight ? bytes[120_000...] : bytes[...]))
                box.withLock { $0 = RangeResponses(bytes: bytes, headers: [field]) }
                if isRight {
                    try await api.download("a", to: file, resuming: error.resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    try FileManager.default.removeItem(at: file)
                } else {
                    try await expectMismatch(file, "Content-Digest") {
                        try await api.download("a", to: file, resuming: error.resumeData)
                    }
                }
                box.withLock { $0.headers = [] }
            }
        }
    }

    @Test func `the digests of an encoded body are left out`() async throws {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C, 0x4A, 6, 0, 0xC2, 0x41, 0x24, 0x35, 3, 0, 0, 0,
        ]
        let headers = [
            ("Content-Encoding", "gzip"), ("Repr-Digest", Self.field([1])), ("Content-Digest", Self.field([1])),
        ]
        try await withServer(RangeResponses(bytes: gzip, headers: headers)) { api, file, _, _ in
            let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            try await api.download("a", headers: [.acceptEncoding: "gzip"], to: file, checksum: .sha256(abc))
            #expect(try String(contentsOf: file, encoding: .utf8) == "abc")
        }
    }

    @Test func `a part that the user asks for has no digest of the whole`() async throws {
        let headers = [("Repr-Digest", Self.field([1]))]
        try await withServer(RangeResponses(bytes: bytes, headers: headers)) { api, file, _, _ in
            try await api.download("a", headers: [.range: "bytes=10-"], to: file)
            #expect(try Data(contentsOf: file) == Data(bytes[10...]))
        }
    }
}
