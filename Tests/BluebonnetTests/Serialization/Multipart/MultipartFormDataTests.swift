import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The bytes of form parts.
struct MultipartFormDataTests {
    private func form(_ boundary: String = "B") throws -> MultipartFormData {
        try MultipartFormData(boundary: boundary)
    }

    /// The header lines of the one part that the closure adds.
    private func headers(_ add: (inout MultipartFormData) throws -> Void) async throws -> [String] {
        var form = try form()
        try add(&form)
        let parsed = try ParsedMultipart(try await form.makeBody().bytes(), boundary: "B")
        #expect(parsed.parts.count == 1)
        return parsed.parts.first?.headers ?? []
    }

    // MARK: The shape

    @Test func `form parts are between delimiters, in their order`() async throws {
        var form = try form()
        form.append("42", name: "user")
        form.append(Data([0, 0xFF]), name: "raw", fileName: "r.bin", mimeType: "x/y")
        form.append(headers: [.contentType: "text/html", .contentLocation: "/a"], body: Data("<p>".utf8))
        let body = try form.makeBody()
        var expected = Array("--B\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\n42\r\n".utf8)
        expected += Array("--B\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"r.bin\"\r\n".utf8)
        expected += Array("Content-Type: x/y\r\n\r\n".utf8) + [0, 0xFF]
        expected += Array("\r\n--B\r\nContent-Type: text/html\r\nContent-Location: /a\r\n\r\n<p>".utf8)
        expected += Array("\r\n--B--\r\n".utf8)
        #expect(try await body.bytes() == expected)
        #expect(body.length == expected.count)
        #expect(form.contentLength == expected.count)
        #expect(form.count == 3 && !form.isEmpty)
        #expect(form.contentType == "multipart/form-data; boundary=B")
        #expect(body.isReplayable && form.isReplayable)
    }

    @Test func `a form without parts is the closing delimiter alone`() async throws {
        let form = try form()
        #expect(form.isEmpty)
        #expect(try await form.makeBody().text() == "--B--\r\n")
        #expect(form.contentLength == 7)
    }

    @Test func `copies of a form share nothing`() throws {
        var form = try form()
        form.append("1", name: "a")
        var copy = form
        copy.append("2", name: "b")
        #expect(form.count == 1 && copy.count == 2)
        #expect(copy.boundary == form.boundary)
    }

    @Test func `form content that looks like a delimiter stays content`() async throws {
        var form = MultipartFormData()
        let boundary = form.boundary
        let contents = [
            "", "\r\n", "--", "\r\n--", "\r\n--bluebonnet-", "--\(boundary.dropLast())",
            "\r\n--\(boundary.dropLast())x",
            boundary, "\n--\(boundary)", "\r\n\r\n", "\r\n-\(boundary)--\r\n",
        ]
        for content in contents { form.append(content, name: "n") }
        let parsed = try ParsedMultipart(try await form.makeBody().bytes(), boundary: boundary)
        #expect(parsed.parts.map { String(decoding: $0.content, as: UTF8.self) } == contents)
    }

    @Test(arguments: ["--B", "--Bx", "x\r\n--B", "a\r\n--B--\r\nb"])
    func `a chosen boundary that occurs in the form's content is refused`(content: String) throws {
        var form = try form()
        form.append("fine", name: "a")
        form.append(content, name: "b")
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try form.makeBody() }
    }

    // MARK: Names

    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a[b]", "a[b]"), (#"say "hi""#, "say %22hi%22"), ("se;mi=colon", "se;mi=colon"),
        (#"back\slash"#, #"back\slash"#), ("Grüße", "Grüße"), ("花🌸", "花🌸"), ("100%22", "100%22"),
        ("tab\there", "tab\there"),
        ("\"\u{301}", "%22\u{301}"),
    ]) func `part names and file names are written as browsers write them`(name: String, written: String) async throws {
        let lines = try await headers { $0.append("x", name: name, fileName: name, mimeType: "a/b") }
        let expected = "Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\""
        #expect(lines.first.map { Array($0.utf8) } == Array(expected.utf8))
        #expect(lines.last == "Content-Type: a/b")
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nX-Evil: 1", "\u{0}", "end\r\n"])
    func `line ends and NUL in part names, file names and types are refused`(bad: String) throws {
        let changes: [(inout MultipartFormData) -> Void] = [
            { $0.append("x", name: bad) }, { $0.append(Data(), name: bad) },
            { $0.append("x", name: "n", fileName: bad) }, { $0.append("x", name: "n", mimeType: bad) },
            { $0.append(stream: Pieces([String]()), name: bad) },
            { $0.append(name: bad) { Pieces([String]()) } },
        ]
        for change in changes {
            var form = try form()
            form.append("fine", name: "first")
            change(&form)
            form.append("fine", name: "last")
            #expect(form.count == 2)
            let error = #expect(throws: NetworkingError.self) { try form.makeBody() }
            #expect(error?.code == .requestSerializationFailed)
            #expect(
                error?.message.contains { "\r\n\u{0}".unicodeScalars.contains($0.unicodeScalars.first ?? "x") } == false
            )
        }
    }

    @Test func `an empty MIME type of a part is refused`() throws {
        var form = try form()
        form.append("x", name: "n", mimeType: "")
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try form.makeBody() }
    }

    @Test func `header fields that the caller gives a part are sent byte for byte`() async throws {
        let name = try #require(HTTPField.Name("X-A"))
        let fields: HTTPFields = [name: "é", .contentType: "a/b"]
        #expect(try await headers { $0.append(headers: fields, body: Data()) } == ["X-A: é", "Content-Type: a/b"])
        #expect(try await headers { $0.append(headers: [:], body: Data()) } == [])
    }

    @Test func `a form part of text or bytes without a file name has no content type`() async throws {
        #expect(try await headers { $0.append("x", name: "n") } == ["Content-Disposition: form-data; name=\"n\""])
        let typed = try await headers { $0.append("{}", name: "n", mimeType: "application/json") }
        #expect(typed == ["Content-Disposition: form-data; name=\"n\"", "Content-Type: application/json"])
    }

    @Test func `the file name of a form part decides its content type where none is given`() async throws {
        let lines = try await headers { $0.append(Data(), name: "n", fileName: "a.PNG") }
        #expect(lines.last == "Content-Type: image/png")
        let odd = try await headers { $0.append(Data(), name: "n", fileName: "a.no-such-extension") }
        #expect(odd.last == "Content-Type: application/octet-stream")
    }

    // MARK: Looking at parts

    @Test func `the parts of a form can be looked at`() async throws {
        var form = MultipartFormData()
        form.append("42", name: "user")
        form.append(Data([1, 2, 3]), name: #"a "b""#, fileName: "ü.png")
        form.append(stream: Pieces(["x"]), name: "s", fileName: "s.bin", mimeType: "x/y")
        form.append(stream: Pieces(["x"]), name: "t", length: 9)
        form.append(headers: [.contentType: "text/html; charset=x", .contentLocation: "/a"], body: Data("<p>".utf8))
        form.append(headers: [:], body: Data())
        try form.prepend(["p": ["q": 1]])
        let parts = form.parts
        #expect(parts.map(\.name) == ["p[q]", "user", #"a "b""#, "s", "t", nil, nil])
        #expect(parts.map(\.fileName) == [nil, nil, "ü.png", "s.bin", nil, nil, nil])
        #expect(parts.map(\.contentType) == [nil, nil, "image/png", "x/y", nil, "text/html; charset=x", nil])
        #expect(parts.map(\.length) == [1, 2, 3, nil, 9, 3, 0])
        #expect(parts[2].headerFields.count == 2)
        #expect(
            parts[2].headerFields[.contentDisposition] == #"form-data; name="a %22b%22"; filename="ü.png""#
        )
        #expect(parts[5].headerFields == [.contentType: "text/html; charset=x", .contentLocation: "/a"])
        #expect(parts[6].headerFields == [:])
    }

    // MARK: Parameters

    private func pairs(_ parameters: Parameters) async throws -> [String] {
        var form = try form()
        form.append("last", name: "own")
        try form.prepend(parameters)
        return try ParsedMultipart(try await form.makeBody().bytes(), boundary: "B").parts.map { part in
            let name = part.headers.first?.dropFirst("Content-Disposition: form-data; name=\"".count).dropLast() ?? ""
            return "\(name)=\(String(decoding: part.content, as: UTF8.self))"
        }
    }

    @Test func `parameters come first in a form, flattened, with unescaped names`() async throws {
        let parameters: Parameters = [
            "user": ["name": "Ä&=", "id": 7] as Parameters, "tags": ["b", "a"], "on": true, "off": false,
            "none": JSONValue.null, "gone": nil, "half": 0.5, "whole": 2.0, "deep": [["k": [1]]],
            "nothing": [String: Int](), "B": "upper", "ids": Set([3, 1, 2]), "raw": Data([0xFF, 0]),
        ]
        #expect(
            try await pairs(parameters) == [
                "B=upper", "deep[][k][]=1", "half=0.5", "ids=1", "ids=2", "ids=3", "none=", "off=0", "on=1",
                "raw=\u{FFFD}\0", "tags[]=b", "tags[]=a", "user[id]=7", "user[name]=Ä&=", "whole=2", "own=last",
            ]
        )
        #expect(try await pairs([:]) == ["own=last"])
        #expect(try await pairs(Parameters(JSONValue.null)) == ["own=last"])
        let json: JSONValue = ["n": ["a": [1.0, nil]], "B": true]
        #expect(try await pairs(Parameters(json)) == ["B=1", "n[a][]=1", "n[a][]=", "own=last"])
        // The empty key is a name, as in a query.
        #expect(try await pairs(["": ["x": 1]]) == ["[x]=1", "own=last"])
    }

    @Test(arguments: [[1], 1, "a", true] as [JSONValue])
    func `form parameters without names are refused`(parameters: JSONValue) throws {
        var form = try form()
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try form.prepend(Parameters(parameters)) }
        #expect(form.isEmpty)
    }
}
