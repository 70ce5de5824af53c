import Foundation
import Testing

@testable import Bluebonnet

/// Parts read from files.
struct MultipartFileTests {
    private func error(_ change: (inout MultipartFormData) throws -> Void) throws -> NetworkingError {
        var form = MultipartFormData()
        let error = #expect(throws: NetworkingError.self) { try change(&form) }
        #expect(form.isEmpty)
        #expect(throws: Never.self) { try form.makeBody() }
        return try #require(error)
    }

    @Test func `a form file is sent under its name with the type of its extension`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "Grüße an \"alle\".json")
            let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try content.write(to: file)
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "f")
            try form.append(fileURL: file, name: "g", fileName: "other.bin", mimeType: "x/y")
            let body = try form.makeBody()
            let bytes = try await body.bytes()
            #expect(body.length == bytes.count && body.isReplayable)
            let parsed = try ParsedMultipart(bytes, boundary: form.boundary)
            #expect(
                parsed.parts.map(\.headers) == [
                    [
                        "Content-Disposition: form-data; name=\"f\"; filename=\"Grüße an %22alle%22.json\"",
                        "Content-Type: application/json",
                    ],
                    ["Content-Disposition: form-data; name=\"g\"; filename=\"other.bin\"", "Content-Type: x/y"],
                ]
            )
            #expect(parsed.parts.allSatisfy { $0.content == Array(content) })
            #expect(try await body.bytes() == bytes)
        }
    }

    @Test func `many form files are read one after the other, and links are followed`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            let link = directory.appending(path: "link.txt")
            try Data("small".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            var form = MultipartFormData()
            // More than a process may have open at once.
            for number in 0..<5000 { try form.append(fileURL: link, name: "\(number)") }
            let body = try form.makeBody()
            let pieces = try await body.pieces()
            let parsed = try ParsedMultipart(pieces.reduce(into: []) { $0 += $1 }, boundary: form.boundary)
            #expect(parsed.parts.count == 5000)
            #expect(parsed.parts.allSatisfy { $0.content == Array("small".utf8) })
            #expect(parsed.parts.first?.headers.first?.hasSuffix("filename=\"link.txt\"") == true)
            #expect(pieces.count <= 4)
        }
    }

    @Test func `an empty form file is an empty part`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "empty")
            try Data().write(to: file)
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "")
            let parsed = try ParsedMultipart(try await form.makeBody().bytes(), boundary: form.boundary)
            #expect(parsed.parts.map(\.content) == [[]])
            #expect(parsed.parts.first?.headers.first?.contains("name=\"\"") == true)
        }
    }

    @Test func `a form part from anything but a readable regular file is refused`() async throws {
        let web = try #require(URL(string: "https://me:secret@example.com/a"))
        let noFile = try error { try $0.append(fileURL: web, name: "f") }
        #expect(noFile.code == .requestBodyFailed)
        #expect(noFile.message.hasPrefix("Expected URL to be a file URL"))
        #expect(!noFile.message.contains("secret"))
        let missing = try error { try $0.append(fileURL: URL(filePath: "/nonexistent/file"), name: "f") }
        #expect(missing.code == .requestBodyFailed)
        #expect(missing.failureReason == "File URL not reachable.")
        #expect(missing.message == "There is no file /nonexistent/file.")
        try await withDirectory { directory in
            let folder = try error { try $0.append(fileURL: directory, name: "f") }
            #expect(folder.code == .requestBodyFailed)
            #expect(folder.message.contains("is a directory"))
            let pipe = directory.appending(path: "pipe")
            #expect(unsafe mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
            let notRegular = try error { try $0.append(fileURL: pipe, name: "f") }
            #expect(notRegular.message.contains("not a regular file"))
            let named = directory.appending(path: "file")
            try Data("x".utf8).write(to: named)
            let badName = try error { try $0.append(fileURL: named, name: "a\r\nb") }
            #expect(badName.code == .requestSerializationFailed)
        }
    }

    /// Runs the body as a user without special permissions, on the calling thread only: root may
    /// read every file.
    private func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
        // The module for Glibc has no `setfsuid`. The cast keeps its type: it takes a `uid_t` and
        // returns an `int` (setfsuid(2)). It changes the calling thread only.
        guard let symbol = unsafe dlsym(nil, "setfsuid") else { throw Unmet(description: "there is no setfsuid") }
        let setfsuid = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
        let before = setfsuid(65_534)
        defer { _ = setfsuid(uid_t(before)) }
        return try body()
    }

    @Test func `a form file without permission to read is refused`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "locked")
            try Data("x".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o000],
                ofItemAtPath: file.path(percentEncoded: false)
            )
            let refused = try asNobody { try error { try $0.append(fileURL: file, name: "f") } }
            #expect(refused.code == .requestBodyFailed)
            #expect(refused.message.contains("not readable"))
        }
    }

    @Test(arguments: [(10, 9), (10, 11), (3_000_000, 2_999_999), (1_048_576, 1_048_577), (0, 1), (5, 0)])
    func `a form file that changed its size stops the body`(before: Int, after: Int) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "changing")
            try Data(repeating: 1, count: before).write(to: file)
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "big one")
            let body = try form.makeBody()
            try Data(repeating: 1, count: after).write(to: file)
            let error = try await networkingError { _ = try await body.bytes() }
            #expect(error.code == .requestBodyLengthMismatch)
            #expect(error.message.contains("big one") && error.message.contains("\(before) bytes"))
        }
    }

    @Test func `a form file that was removed stops the body`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "gone")
            try Data("x".utf8).write(to: file)
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "f")
            let body = try form.makeBody()
            try FileManager.default.removeItem(at: file)
            let error = try await networkingError { _ = try await body.bytes() }
            #expect(error.code == .requestBodyFailed)
            #expect(error.message.contains("No such file"))
        }
    }
}
