import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EchoEndpointsTests {
    @Test func `the get endpoint returns arguments, headers, origin and URL`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(
                "/get?a=1&b=2&b=3&c%20d=%C3%A9+x",
                headers: [("user-agent", "raw"), ("X-Twice", "1"), ("x-twice", "2")],
                from: server
            )
            #expect(response.status == 200)
            #expect(response.value(of: "content-type") == "application/json")
            #expect(response.value(of: "server") == "bluebonnet")
            #expect(response.value(of: "access-control-allow-origin") == "*")
            #expect(response.value(of: "content-length") == "\(response.body.count)")
            let object = try response.object()
            #expect(Set(object.keys) == ["args", "headers", "origin", "url"])
            let arguments = try #require(object["args"] as? [String: Any])
            #expect(arguments["a"] as? String == "1")
            #expect(arguments["b"] as? [String] == ["2", "3"])
            #expect(arguments["c d"] as? String == "é x")
            let headers = try #require(object["headers"] as? [String: String])
            #expect(headers["User-Agent"] == "raw")
            #expect(headers["X-Twice"] == "1,2")
            #expect(headers["Host"] == "localhost:\(server.port)")
            #expect(object["origin"] as? String == "127.0.0.1")
            #expect(object["url"] as? String == "http://localhost:\(server.port)/get?a=1&b=2&b=3&c%20d=%C3%A9+x")
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `the echo endpoints return a JSON body as text and as JSON`(method: String) async throws {
        try await LocalServer.run { server in
            let text = #"{"big":12345678901234567890123,"list":[1.50,true,null,"ü"]}"#
            let response = try await RawResponse.fetch(
                "/\(method.lowercased())",
                method: method,
                headers: [("Content-Type", "application/json")],
                body: Array(text.utf8),
                from: server
            )
            let object = try response.object()
            #expect(Set(object.keys) == ["args", "data", "files", "form", "headers", "json", "origin", "url"])
            #expect(object["data"] as? String == text)
            #expect(response.text.contains(#""json": {"big":12345678901234567890123,"#))
            let json = try #require(object["json"] as? [String: Any])
            #expect((json["list"] as? [Any])?.count == 4)
        }
    }

    @Test(
        arguments: [
            "{", "{\"a\":01}", "nonsense", "[1,]", "{\"a\":1,}", "[1 2]", "\"\\x\"", "\"\\u12g4\"", "-", "1.", "1e",
            "tru",
            "[] []", "{1:2}", "\"\n\"",
        ]
    )
    func `the echo endpoints return null as the JSON of a body that is not JSON`(text: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/post", method: "POST", body: Array(text.utf8), from: server)
            #expect(try response.object()["data"] as? String == text)
            #expect(response.text.contains(#""json": null"#))
        }
    }

    @Test func `the echo endpoints return the fields of a form`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(
                "/post",
                method: "POST",
                headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
                body: Array("name=a+b&tag=1&tag=2&empty=&half=%zz".utf8),
                from: server
            )
            let object = try response.object()
            let form = try #require(object["form"] as? [String: Any])
            #expect(form["name"] as? String == "a b")
            #expect(form["tag"] as? [String] == ["1", "2"])
            #expect(form["empty"] as? String == "")
            #expect(form["half"] as? String == "%zz")
            #expect(object["data"] as? String == "")
        }
    }

    @Test func `the echo endpoints return the fields and files of a multipart form`() async throws {
        try await LocalServer.run { server in
            let lines = [
                "--b", "Content-Disposition: form-data; name=\"field\"", "", "one\r\ntwo",
                "--b", "Content-Disposition: form-data; name=\"text\"; filename=\"a.txt\"",
                "Content-Type: text/plain", "", "file text",
                "--b", "Content-Disposition: form-data; name=\"binary\"; filename=\"b.bin\"",
                "Content-Type: image/x", "", "",
            ]
            let body = Array(lines.joined(separator: "\r\n").utf8) + [0xFF, 0x00] + Array("\r\n--b--\r\n".utf8)
            let response = try await RawResponse.fetch(
                "/post",
                method: "POST",
                headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: body,
                from: server
            )
            let object = try response.object()
            #expect(object["form"] as? [String: String] == ["field": "one\r\ntwo"])
            #expect(
                object["files"] as? [String: String] == ["text": "file text", "binary": "data:image/x;base64,/wA="]
            )
        }
    }

    @Test func `the echo endpoints return bytes that are not text as a data URL`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/put", method: "PUT", body: [0xFF, 0x00], from: server)
            #expect(try response.object()["data"] as? String == "data:application/octet-stream;base64,/wA=")
        }
    }

    @Test(arguments: ["GET", "POST", "PROPFIND"]) func `the anything endpoint accepts any method`(method: String)
        async throws
    {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/anything/else/here", method: method, from: server)
            #expect(try response.object()["method"] as? String == method)
        }
    }

    @Test func `the headers, ip and user-agent endpoints return what their names say`() async throws {
        try await LocalServer.run { server in
            let headers = try await RawResponse.fetch("/headers", headers: [("accept-encoding", "br")], from: server)
            let members = try #require(try headers.object()["headers"] as? [String: String])
            #expect(members["Accept-Encoding"] == "br")
            #expect(try await RawResponse.fetch("/ip", from: server).text == "{\n  \"origin\": \"127.0.0.1\"\n}\n")
            let agent = try await RawResponse.fetch("/user-agent", headers: [("User-Agent", "raw/1")], from: server)
            #expect(try agent.object()["user-agent"] as? String == "raw/1")
            let missing = try await RawResponse.fetch("/user-agent", from: server)
            #expect(missing.text == "{\n  \"user-agent\": null\n}\n")
        }
    }

    @Test func `the sink endpoint counts and hashes the body`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/sink", method: "PUT", body: Array("abc".utf8), from: server)
            let object = try response.object()
            #expect(object["bytes"] as? Int == 3)
            #expect(
                object["sha256"] as? String
                    == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            )
        }
    }

    @Test func `the echo endpoints refuse a body above the limit of the server`() async throws {
        try await LocalServer.run(.init(maximumBodySize: 10)) { server in
            let body = [UInt8](repeating: 97, count: 11)
            let response = try await RawResponse.fetch("/post", method: "POST", body: body, from: server)
            #expect(response.status == 413)
            let other = try await RawResponse.fetch("/sink", method: "POST", body: body, from: server)
            #expect(other.status == 200)
        }
    }

    @Test(.needs("python3"), arguments: ["gzip", "deflate"])
    func `the compressed endpoints name their content coding`(coding: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/\(coding)", from: server)
            #expect(response.value(of: "content-encoding") == coding)
            #expect(Array(response.body.prefix(2)) == (coding == "gzip" ? [0x1F, 0x8B] : [0x78, 0x9C]))
            let flag = coding == "gzip" ? "gzipped" : "deflated"
            let text = try Inflater.inflate(response.body)
            #expect(text.contains("\"\(flag)\": true"))
            #expect(text.contains("\"method\": \"GET\""))
        }
    }
}
