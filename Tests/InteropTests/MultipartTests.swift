import Bluebonnet
import Crypto
import Foundation
import HTTPTypes
import Testing

/// Our forms, read by the parsers of other projects.
@Suite(.enabled(if: InteropServer.formParsers.isExpected, "the form parsers are not running"), .timeLimit(.minutes(5)))
struct MultipartTests {
    private enum Parser: String, CaseIterable {
        case multipart, werkzeug, go
        case pythonMultipart = "python-multipart"

        /// Go is not installed everywhere; the test of Go alone shows whether it is skipped.
        var isAvailable: Bool { self != .go || InteropServer.goFormParser.isAvailable }

        /// The name that this parser reads from a name that a browser wrote.
        func reading(_ name: String) -> String {
            switch self {
            case .multipart: name
            // Reads escapes of RFC 9110 §5.6.4, which browsers do not write, and so loses
            // backslashes.
            case .werkzeug: name.filter { $0 != "\\" }
            // These do not decode `%22`.
            case .go, .pythonMultipart:
                name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "%22")
            }
        }
    }

    /// A part, as it is sent and as a parser reads it.
    private struct Part: Decodable, Equatable, Sendable {
        var name: String
        var filename: String?
        var type: String?
        var size: Int
        var sha256: String

        init(_ name: String, _ content: Data, file filename: String? = nil, type: String? = nil) {
            self.name = name
            self.filename = filename
            self.type = type
            size = content.count
            sha256 = SHA256.hash(data: content).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        func read(by parser: Parser) -> Part {
            var copy = self
            copy.name = parser.reading(name)
            copy.filename = filename.map(parser.reading)
            return copy
        }
    }

    private static let names = [
        "plain", #"say "hi".txt"#, "semi;colon; name=x.txt", #"back\slash.txt"#, "emoji 🌸🐝.txt", "Grüße — 日本語.txt",
        "a=b&c.txt",
        "tab\tinside.txt", "'single'.txt", "dots...", "..", " spaces around ", "per%cent.txt", "com,ma.txt", "<b>.html",
        "e\u{301}.txt",
        String(repeating: "long", count: 60) + ".txt",
    ]

    /// Random bytes, with beginnings of delimiters among them.
    private static func bytes(_ count: Int) -> Data {
        var random = SeededGenerator(seed: 1)
        var data = Data(capacity: count + 8)
        while data.count < count {
            let number = random.next()
            data.append(contentsOf: number % 5 == 0 ? Array("\r\n--".utf8) : [UInt8(truncatingIfNeeded: number >> 8)])
        }
        return data.prefix(count)
    }

    /// Sends the form to every parser and compares the parts that it read.
    private func check(
        _ expected: [Part],
        _ build: @escaping @Sendable (inout MultipartFormData) throws -> Void
    ) async throws {
        let baseURL = try #require(URL(string: try InteropServer.formParsers.address))
        try await withSession { session in
            let api = HTTPSessionManager(baseURL: baseURL, session: session)
            for parser in Parser.allCases where parser.isAvailable {
                let parts: [Part] = try await api.post(parser.rawValue, body: .multipart(build))
                #expect(parts.count == expected.count, "read by \(parser.rawValue)")
                for (part, sent) in zip(parts, expected) {
                    #expect(part == sent.read(by: parser), "read by \(parser.rawValue)")
                }
            }
        }
    }

    @Test func `form parsers read unusual names and file names`() async throws {
        let content = Data("content".utf8)
        let expected = Self.names.flatMap { name in
            [Part(name, content), Part(name, content, file: name, type: "application/x-test")]
        }
        try await check(expected) { form in
            for name in Self.names {
                form.append(content, name: name)
                form.append(content, name: name, fileName: name, mimeType: "application/x-test")
            }
        }
    }

    @Test(.enabled(if: InteropServer.goFormParser.isAvailable, "Go is not installed"))
    func `the form parser of Go reads a form`() async throws {
        let parts: [Part] = try await withAPI(at: InteropServer.formParsers.address) { api in
            try await api.post(Parser.go.rawValue, body: .multipart { $0.append("text", name: "n") })
        }
        #expect(parts == [Part("n", Data("text".utf8))])
    }

    @Test func `form parsers read empty names, empty content and all bytes`() async throws {
        let all = Data((0...255).map { UInt8($0) })
        let contents = [Data(), all, Data("\r\n".utf8), Data("--".utf8), Data("\r\n--\r\n".utf8), Self.bytes(300_000)]
        let expected = contents.map { Part("", $0, file: "f", type: "a/b") } + contents.map { Part("n", $0) }
        try await check(expected) { form in
            for content in contents { form.append(content, name: "", fileName: "f", mimeType: "a/b") }
            for content in contents { form.append(content, name: "n") }
        }
    }

    @Test func `form parsers read files`() async throws {
        try await withDirectory { directory in
            let sizes = [0, 1, 65_535, 65_536, 1_048_575, 1_048_576, 1_048_577, 3_000_000]
            var expected: [Part] = []
            for size in sizes {
                let content = Self.bytes(size)
                try content.write(to: directory.appending(path: "\(size) \"ü\".txt"))
                expected.append(Part("file", content, file: "\(size) \"ü\".txt", type: "text/plain"))
            }
            try await check(expected) { form in
                for size in sizes {
                    try form.append(fileURL: directory.appending(path: "\(size) \"ü\".txt"), name: "file")
                }
            }
        }
    }

    @Test(arguments: [true, false]) func `form parsers read streams`(hasLength: Bool) async throws {
        let content = Self.bytes(500_000)
        try await check([
            Part("a", content), Part("s", content, file: "s.bin", type: "a/b"), Part("z", Data("end".utf8)),
        ]) { form in
            form.append(content, name: "a")
            let length = hasLength ? content.count : nil
            form.append(name: "s", fileName: "s.bin", length: length, mimeType: "a/b") {
                AsyncStream<Data> { continuation in
                    for start in stride(from: 0, to: content.count, by: 30_001) {
                        continuation.yield(content.dropFirst(start).prefix(30_001))
                    }
                    continuation.finish()
                }
            }
            form.append("end", name: "z")
        }
    }

    @Test func `form parsers read many parts`() async throws {
        let expected = (0..<5000).map { Part("part \($0)", Data("value \($0)".utf8)) }
        try await check(expected) { form in
            for number in 0..<5000 { form.append("value \(number)", name: "part \(number)") }
        }
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "\rb"]) func `a file name with a line end is an error`(name: String)
        async throws
    {
        let url = try #require(URL(string: try InteropServer.formParsers.address))
        await withSession { session in
            let api = HTTPSessionManager(baseURL: url, session: session)
            let error = await #expect(throws: NetworkingError.self) {
                try await api.post("multipart", body: .multipart { $0.append("x", name: "n", fileName: name) })
            }
            #expect(error?.code == .requestSerializationFailed)
        }
    }

    @Test func `a process that sends a form with a sparse file of 500 MB stays small`() async {
        // In a separate process, where other tests do not use memory.
        await #expect(processExitsWith: .success) {
            try await withDirectory { directory in
                let file = directory.appending(path: "sparse")
                try Data().write(to: file)
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 500_000_000)
                try handle.close()
                let before = try peakMemory()
                try await withAPI(at: InteropServer.formParsers.address) { api in
                    var form = MultipartFormData()
                    try form.append(fileURL: file, name: "f")
                    let ready = form
                    let count: Int = try await api.post("discard", body: .multipart { $0 = ready })
                    #expect(count == form.contentLength)
                    #expect(count > 500_000_000)
                }
                let growth = try peakMemory() - before
                #expect(growth < 40 << 20, "the process grew by \(growth) bytes")
            }
        }
    }

    // MARK: httpbin

    @Test(.enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"))
    func `httpbin shows the fields and the files of a form`() async throws {
        let baseURL = try #require(URL(string: try InteropServer.httpbin.address))
        try await withSession { session in
            let api = HTTPSessionManager(baseURL: baseURL, session: session)
            let parameters: Parameters = ["user": ["id": 1], "tags": ["a", "b"], "none": JSONValue.null]
            let form = RequestContent.multipart(parameters: parameters) { form in
                form.append("Grüße \"an\" alle", name: "say; \"hi\"")
                form.append(Data("file content".utf8), name: "upload", fileName: "ü;\"🌸\".txt")
            }
            let echo = try await api.post("post", body: form, as: .json)
            #expect(
                echo["form"] == [
                    "user[id]": "1", "tags[]": ["a", "b"], "none": "", "say; \"hi\"": "Grüße \"an\" alle",
                ]
            )
            #expect(echo["files"] == ["upload": "file content"])
            let put = try await api.put("put", body: .multipart { $0.append("1", name: "a") }, as: .json)
            #expect(put["form"] == ["a": "1"])
            let patch = try await api.patch("patch", body: .multipart { $0.append("1", name: "a") }, as: .json)
            #expect(patch["form"] == ["a": "1"])
        }
    }
}
