import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct FormProcessTests {
    private func withFile(_ name: String, _ text: String, _ test: (String) async throws -> Void) async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            try await test(file.path)
        }
    }

    @Test(arguments: ["--multipart", "--form"])
    func `a file item is sent as a part of a multipart form`(option: String) async throws {
        try await withFile("notes.txt", "from a file") { path in
            try await LocalServer.run { server in
                let output = try await Command.run(
                    "post",
                    server.baseURL + "/post",
                    option,
                    "user=ada",
                    "notes@\(path)"
                )
                #expect(output.status == 0, "\(output.errors)")
                let seen = try JSONValue(parsing: output.bytes)
                #expect(seen["form"] == ["user": "ada"])
                #expect(seen["files"] == ["notes": "from a file"])
                #expect(seen["headers"]?["Content-Type"]?.string?.hasPrefix("multipart/form-data; boundary=") == true)
            }
        }
    }

    @Test func `the type of a file item can be given`() async throws {
        try await withFile("a.bin", "x") { path in
            try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
                let output = try await Command.run("post", server.baseURL, "--form", "f@\(path);type=image/png")
                #expect(output.status == 0, "\(output.errors)")
                let request = try #require(server.requests.first)
                #expect(request.bodyText.contains("Content-Type: image/png\r\n"))
                #expect(request.bodyText.contains("name=\"f\"; filename=\"a.bin\""))
            }
        }
    }

    @Test func `a form without files is multipart with --multipart`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("post", server.baseURL + "/post", "--multipart", "a=1")
            let seen = try JSONValue(parsing: output.bytes)
            #expect(seen["form"] == ["a": "1"])
            #expect(seen["headers"]?["Content-Type"]?.string?.hasPrefix("multipart/form-data") == true)
        }
    }

    @Test(arguments: [
        ["f@/nowhere"], ["--form", "f@/nowhere"], ["--multipart", "a:=[1]"], ["--multipart"],
    ])
    func `items that cannot make a form are bad usage`(arguments: [String]) async throws {
        let output = try await Command.run(["post", "http://127.0.0.1:1/"] + arguments)
        #expect(output.status == 2)
        #expect(!output.errors.isEmpty)
    }

    @Test func `--compress sends the body as gzip`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let output = try await Command.run("post", server.baseURL, "--compress", "a=1")
            #expect(output.status == 0)
            let request = try #require(server.requests.first)
            #expect(request.value(of: "content-encoding") == "gzip")
            #expect(request.body.starts(with: [0x1F, 0x8B]))
        }
    }

    // MARK: batch

    private func batch(_ line: String) async throws -> JSONValue {
        let output = try await Command.run("batch", input: line + "\n")
        return try JSONValue(parsing: try #require(output.text.split(separator: "\n").first))
    }

    @Test func `a batch line sends a form with files`() async throws {
        try await withFile("notes.txt", "from a file") { path in
            try await LocalServer.run { server in
                let result = try await batch(
                    #"{"method":"POST","url":"\#(server.baseURL)/post","multipart":"#
                        + #"[{"name":"f","file":"\#(path)"},{"name":"n","value":"v"}]}"#
                )
                let seen = try JSONValue(parsing: result["body"]?.string ?? "")
                #expect(seen["files"] == ["f": "from a file"])
                #expect(seen["form"] == ["n": "v"])
            }
        }
    }

    @Test(arguments: [
        "multipart/form-data; boundary=chosen", "Multipart/Form-Data ;a=b; BOUNDARY=\"chosen\"",
        "multipart/form-data; a=\"; boundary=wrong\"; boundary=chosen",
        "multipart/form-data; a=\"\\\"; boundary=wrong\"; boundary=chosen",
    ])
    func `the boundary in a batch line's Content-Type is used`(type: String) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let result = try await batch(
                #"{"method":"POST","url":"\#(server.baseURL)","headers":{"Content-Type":\#(JSONValue.string(type))},"#
                    + #""multipart":[{"name":"n","value":"v"}]}"#
            )
            #expect(result["status"] == 200)
            let request = try #require(server.requests.first)
            #expect(request.values(of: "content-type") == [type])
            #expect(request.bodyText.hasSuffix("--chosen--\r\n"))
        }
    }

    private static let wrong: [(String, String)] = [
        (#"{}"#, "invalid-line"),
        (#"[1]"#, "invalid-line"),
        (#"[{"name":"n"}]"#, "invalid-line"),
        (#"[{"name":"n","value":"v","file":"f"}]"#, "invalid-line"),
        (#"[{"name":"n","value":1}]"#, "invalid-line"),
        (#"[{"value":"v"}]"#, "invalid-line"),
        (#"[{"name":"n","value":"v","size":"1"}]"#, "invalid-line"),
        (#"[{"name":"n","file":"/nowhere/at/all"}]"#, "request-body-failed"),
        (#"[{"name":"n\r\nX: 1","value":"v"}]"#, "request-serialization-failed"),
    ]

    @Test(arguments: wrong)
    func `invalid parts of a batch form are an error`(parts: String, code: String) async throws {
        let result = try await batch(#"{"method":"POST","url":"http://127.0.0.1:1/","multipart":\#(parts)}"#)
        #expect(result["error"]?["code"]?.string == code)
    }
}
