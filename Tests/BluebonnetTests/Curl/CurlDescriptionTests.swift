import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The command for curl, run by a shell, sends what the engine sends.
@Suite(.timeLimit(.minutes(5)))
struct CurlDescriptionTests {
    /// The exit status of a shell, and the text of its standard error.
    private struct Outcome {
        var status: Int32
        var errors: String
    }

    private static func run(_ command: String, input: Data = Data()) async throws -> Outcome {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        // A file, because a script may be longer than a command line.
        let script = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString).sh")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        shell.arguments = [script.path(percentEncoded: false)]
        // No proxy and no curl configuration of this machine.
        shell.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"]
        let (stdin, stderr) = (Pipe(), Pipe())
        shell.standardInput = stdin
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = stderr
        try shell.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        return await Task.detached {
            let errors = String(decoding: stderr.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            // Kept by `Process` otherwise, as long as the test program runs.
            try? stderr.fileHandleForReading.close()
            shell.waitUntilExit()
            return Outcome(status: shell.terminationStatus, errors: errors)
        }.value
    }

    /// The request as a server receives it from the engine, and from curl when the shell runs the
    /// description.
    private func sendWithEngineAndCurl(
        _ options: FaultServer.Options = .init(),
        script: FaultServer.Script = [.readRequest, lastResponse, .close],
        input: Data = Data(),
        _ make: (String) throws -> Request
    ) async throws -> (engine: FaultServer.Request, curl: FaultServer.Request, command: String) {
        try await FaultServer.run(script, options: options) { server in
            let configuration = SessionConfiguration { $0.decodesContent = false }
            return try await withSession(configuration) { session in
                let base = options.socketPath.map {
                    "http+unix://" + $0.replacingOccurrences(of: "/", with: "%2F")
                }
                let request = try make(base ?? server.baseURL)
                _ = try await session.data(for: request)
                let command = request.curlDescription(redacting: false)
                let outcome = try await Self.run(command, input: input)
                #expect(outcome.status == 0, "\(command)\n\(outcome.errors)")
                try #require(server.requests.count == 2, "\(command)")
                return (server.requests[0], server.requests[1], command)
            }
        }
    }

    private static let lastResponse = FaultStep.respond(headers: [("Connection", "close")])

    /// The lines of a head, the fields sorted, because curl writes its own fields first.
    private static func head(_ request: FaultServer.Request) -> [String] {
        let fields = request.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return [request.requestLine] + fields
    }

    private func expectSameRequest(
        _ options: FaultServer.Options = .init(),
        script: FaultServer.Script = [.readRequest, lastResponse, .close],
        input: Data = Data(),
        _ make: (String) throws -> Request
    ) async throws {
        let (engine, curl, command) = try await sendWithEngineAndCurl(options, script: script, input: input, make)
        #expect(Self.head(engine) == Self.head(curl), "\(command)")
        #expect(engine.body == curl.body, "\(command)")
    }

    // MARK: What is sent

    private struct Sample: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method: HTTPRequest.Method = .get
        var path = "/"
        var headerFields: HTTPFields = [:]
        var body: RequestBody?
    }

    private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .via }

    private static let samples = [
        Sample(testDescription: "GET"),
        Sample(testDescription: "a query", path: "/a%20b/c?x=1&y=a%26b&z#fragment"),
        Sample(testDescription: "patterns", path: "/a%5B1-3%5D%7Bx,y%7D?a[]=1&b={2}"),
        Sample(testDescription: "dots", path: "/a/../b/./c"),
        Sample(
            testDescription: "quotes and dollars",
            path: "/it's?$(id)=`id`!\"",
            headerFields: [
                name("X-Quoted"): #"it's "$HOME" `id` \ !x *"#, name("X-Empty"): "",
            ]
        ),
        Sample(
            testDescription: "fields",
            headerFields: [
                .accept: "text/plain", .userAgent: "me/1", .acceptEncoding: "gzip", .authorization: "Basic YTpi",
                .cookie: "a=b; c=d", name("Host"): "example.com",
            ]
        ),
        Sample(testDescription: "HEAD", method: .head),
        Sample(testDescription: "DELETE", method: .delete),
        Sample(testDescription: "OPTIONS", method: .options),
        Sample(testDescription: "POST without a body", method: .post),
        Sample(testDescription: "PUT without a body", method: .put),
        Sample(
            testDescription: "a text",
            method: .post,
            headerFields: [.contentType: "text/plain"],
            body: .string("it's\n@x\n$1 ü\\")
        ),
        Sample(testDescription: "a text that looks like a file", method: .post, body: .string("@/etc/hostname")),
        Sample(testDescription: "an empty body", method: .delete, body: .string("")),
        Sample(testDescription: "GET with a body", method: .get, body: .string("{}")),
        Sample(testDescription: "PUT of a text", method: .put, body: .string("a")),
        Sample(testDescription: "PATCH of a text", method: .patch, body: .string("a")),
        Sample(
            testDescription: "a large text",
            method: .post,
            body: .string(String(repeating: "it's ", count: 60_000))
        ),
        Sample(testDescription: "bytes", method: .post, body: .data(Data((0...255).map { UInt8($0) }))),
        Sample(
            testDescription: "odd values",
            headerFields: [
                name("X-At"): "@/etc/hostname", name("X-Dash"): "-H", name("X-Tab"): "a\tb\u{1}\u{1B}[0m",
                name("X-Accent"): "'\u{301}; exit 1 #",
            ]
        ),
        Sample(testDescription: "encoded dots", path: "/a/%2e%2E/%2e/b"),
        Sample(testDescription: "a text that looks like an option", method: .post, body: .string("--version")),
        Sample(testDescription: "an accent on an apostrophe", method: .post, body: .string("'\u{301}; exit 1 #")),
        Sample(testDescription: "control characters", method: .put, body: .string("a\tb\r\nc\u{1B}[0m")),
        Sample(testDescription: "many bytes", method: .post, body: .data(Data(repeating: 0xFF, count: 1 << 20))),
    ]

    @Test(.needs("curl"), arguments: samples) private func `a curl description sends what the engine sends`(
        sample: Sample
    ) async throws {
        try await expectSameRequest { base in
            Request(
                method: sample.method,
                url: try #require(URL(string: base + sample.path)),
                headerFields: sample.headerFields,
                body: sample.body
            )
        }
    }

    @Test(.needs("curl"), arguments: [HTTPRequest.Method.put, .post], ["/", "/name", "/na%5Bm%5De?x=1"])
    func `a curl description sends a file`(method: HTTPRequest.Method, path: String) async throws {
        try await withDirectory { directory in
            for (name, count) in [("body", 5000), ("it's a [1-3] {x,y} body", 5000), ("short", 8)] {
                let file = directory.appending(path: name)
                try Data((0..<count).map { UInt8($0 % 256) }).write(to: file)
                try await expectSameRequest { try Request(method, to: $0 + path, body: .file(file)) }
            }
        }
    }

    @Test(.needs("curl"), arguments: [nil, 6] as [Int?])
    func `a curl description of a body from a sequence sends its standard input`(length: Int?) async throws {
        try await expectSameRequest(input: Data("abcdef".utf8)) { base in
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield(Array("abcdef".utf8))
                continuation.finish()
            }
            return try Request(.post, to: base, body: .stream(pieces, length: length))
        }
    }

    @Test(.needs("curl")) func `a curl description names the Unix-domain socket of its request`() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "a socket").path(percentEncoded: false)
            try await expectSameRequest(.init(socketPath: path)) { base in
                try Request(to: base.replacingOccurrences(of: " ", with: "%20") + "/x?y=1")
            }
        }
    }

    /// A request that waits for 100 Continue for this time.
    private static func expecting(_ base: String, wait: Duration) throws -> Request {
        var request = try Request(.post, to: base, body: .string("abc"))
        request.expectsContinue = true
        request.timeouts = Timeouts(continueWait: wait)
        return request
    }

    @Test(.needs("curl")) func `a curl description sends the body after 100 Continue as the engine does`() async throws
    {
        try await expectSameRequest(script: [.readHead, .informational(100), .readRequest, Self.lastResponse, .close]) {
            try Self.expecting($0, wait: .seconds(1000))
        }
    }

    @Test(.needs("curl")) func `a curl description does not send the body before 100 Continue, nor does the engine`()
        async throws
    {
        try await FaultServer.run([.readHead, .respond(403), .stall]) { server in
            try await withSession { session in
                let request = try Self.expecting(server.baseURL, wait: .seconds(1000))
                let response = try await session.data(for: request)
                #expect(response.status == .forbidden)
                let outcome = try await Self.run(request.curlDescription())
                #expect(outcome.status == 0, "\(outcome.errors)")
                // Both have left by then, so that no bytes are on their way.
                try await server.waitForClosed(2)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test(.needs("curl")) func `a curl description sends the body when the wait is over as the engine does`()
        async throws
    {
        try await expectSameRequest { try Self.expecting($0, wait: .milliseconds(50)) }
        let command = try Self.expecting("http://x/", wait: .milliseconds(50)).curlDescription()
        #expect(command.contains("--expect100-timeout 0.050 "), "\(command)")
    }

    // MARK: Proxies

    @Test(.needs("curl"), arguments: [nil, ProxyScripts.eagerAda, Credential(token: "abc")])
    func `a curl description uses the proxy of the request as the engine does`(credential: Credential?) async throws {
        var credential = credential
        credential?.isPreemptive = true
        let (engine, curl, command) = try await sendWithEngineAndCurl { base in
            var proxy = try Proxy(base)
            proxy.credential = credential
            var request = try Request(to: "http://server.example/path")
            request.proxies = .proxy(proxy, except: ProxyExceptions("other.example 10.0.0.0/8 a.example:80"))
            return request
        }
        #expect(Self.head(curl) == Self.head(engine), "\(command)")
        #expect(engine.target == "http://server.example/path")
        #expect(engine.value(of: "Proxy-Authorization") != nil || credential == nil)
        #expect(command.contains("--noproxy 'other.example,10.0.0.0/8'"), "\(command)")
    }

    @Test func `a curl description says how the request is authenticated to its proxy`() throws {
        var request = try Self.request("https://server.example/")
        #expect(!request.curlDescription().contains("proxy"))
        request.proxies = .direct
        #expect(request.curlDescription().contains("--noproxy '*'"))
        request.proxies = .proxy(try Proxy("socks5h://a%3Ab:hunter2@[::1]:1081"))
        #expect(request.curlDescription().contains("--proxy 'socks5h://a%3Ab:REDACTED@[::1]:1081'"))
        #expect(request.curlDescription().contains("--noproxy ''"))
        #expect(request.curlDescription(redacting: false).contains("a%3Ab:hunter2@"))
        var credential = Credential(user: "ada", password: "hunter2")
        let host = "proxy.example"
        request.proxies = .proxy(try Proxy(.https, host: host, credential: credential))
        #expect(request.curlDescription().contains("--proxy https://ada:REDACTED@proxy.example:443"))
        #expect(request.curlDescription().contains("--proxy-anyauth"))
        credential.schemes = [.digest]
        request.proxies = .proxy(try Proxy(.http, host: host, credential: credential))
        #expect(request.curlDescription().contains("--proxy-digest"))
        // SOCKS would send it readably.
        request.proxies = .proxy(try Proxy(.socks5, host: host, credential: credential))
        #expect(!request.curlDescription(redacting: false).contains("hunter2"))
        request.proxies = .proxy(try Proxy(.http, host: host, credential: Credential(token: "hunter2")))
        #expect(request.curlDescription().contains("--proxy-header 'Proxy-Authorization: Bearer REDACTED'"))
        request.proxies = .resolver { _ in nil }
        #expect(request.curlDescription().hasPrefix("# Code chooses the proxy"))
        request.proxies = .environment(["https_proxy": "nothing://x"])
        #expect(request.curlDescription().hasPrefix("# The proxy of this request is none"))
        #expect(request.curlDescription().contains("--proxy PROXY"))
    }

    // MARK: The text of the command

    private static func request(
        _ url: String,
        _ headerFields: HTTPFields = [:],
        _ body: String? = nil
    ) throws -> Request {
        Request(
            method: body == nil ? .get : .post,
            url: try #require(URL(string: url)),
            headerFields: headerFields,
            body: body.map { .string($0) }
        )
    }

    @Test func `a curl description reads like a command that a person wrote`() throws {
        var request = try Self.request(
            "https://example.com/a?b=c",
            [.accept: "*/*", .userAgent: "me", .contentType: "text/plain"],
            "it's"
        )
        request.timeouts = Timeouts(connect: .seconds(2), request: .milliseconds(1250))
        request.redirectPolicy = .follow
        #expect(
            request.curlDescription()
                == #"""
                curl \
                  --header 'accept: */*' \
                  --header 'user-agent: me' \
                  --header 'content-type: text/plain' \
                  --data-raw 'it'\''s' \
                  --location \
                  --connect-timeout 2 \
                  --max-time 1.250 \
                  'https://example.com/a?b=c'
                """#.replacingOccurrences(of: "accept", with: HTTPField.Name.accept.rawName)
                .replacingOccurrences(of: "user-agent", with: HTTPField.Name.userAgent.rawName)
                .replacingOccurrences(of: "content-type", with: HTTPField.Name.contentType.rawName)
        )
    }

    @Test func `a curl description omits secrets unless they are asked for`() throws {
        let request = try Self.request(
            "https://user:hunter2@example.com/?page=2&api_key=hunter2&X-Amz-Signature=hunter2",
            [
                .authorization: "Bearer hunter2", .proxyAuthorization: "hunter2", .cookie: "id=hunter2",
                Self.name("X-Api-Key"): "hunter2", .accept: "text/plain",
            ]
        )
        let text = request.curlDescription()
        #expect(!text.contains("hunter2") && !text.contains("user"))
        #expect(
            text.contains("Bearer REDACTED") && text.contains("page=2&api_key=REDACTED") && text.contains("text/plain")
        )
        let open = request.curlDescription(redacting: false)
        #expect(open.contains("Bearer hunter2") && open.contains("api_key=hunter2") && open.contains("id=hunter2"))
        #expect(!open.contains("user:"), "the engine does not send the user of a URL")
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded; charset=utf-8", "name=Ada&user%5Bpassword%5D=hunter2&x"),
        ("application/json", #"{"name": "Ada", "login": [{"password": "hunter2"}]}"#),
        ("application/vnd.api+json", #"{"access_token": {"value": "hunter2"}, "name": "Ada"}"#),
    ])
    func `a curl description omits secrets in bodies by their names`(type: String, body: String) throws {
        let request = try Self.request("http://x/", [.contentType: type], body)
        let text = request.curlDescription()
        #expect(!text.contains("hunter2") && text.contains("REDACTED") && text.contains("Ada"))
        #expect(request.curlDescription(redacting: false).contains(body))
    }

    // MARK: Forms

    /// The parts of the form that was sent, read with the boundary of its `Content-Type`.
    private static func parts(of request: FaultServer.Request) throws -> ParsedMultipart {
        let type = try #require(request.value(of: "content-type"))
        let boundary = try #require(type.split(separator: "boundary=").last)
        return try ParsedMultipart(Array(request.body), boundary: String(boundary))
    }

    @Test(.needs("curl"), arguments: [HTTPRequest.Method.post, .put])
    func `a form becomes curl options with the same parts`(method: HTTPRequest.Method) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: #"it's a "file" \; x=y.png"#)
            try Data(repeating: 7, count: 3000).write(to: file)
            var form = MultipartFormData()
            form.append("it's; @x\n$1 ü\\\"", name: "text")
            form.append("@/etc/hostname", name: "at")
            form.append("", name: "empty \"quoted\"")
            for text in ["(;", "<x", "-", "\"q\",x;type=a/b", "a\tb\r\n\n", ";filename=x", "'\u{301}"] {
                form.append(text, name: "t")
                form.append(text, name: "-@<;", fileName: "-.txt", mimeType: "a/b")
            }
            try form.append(fileURL: file, name: "file[]")
            try form.append(fileURL: file, name: "named", fileName: #"a"b\c;d.txt"#, mimeType: "text/x-own")
            form.append(Data("<p>; \"x\" \\".utf8), name: "page", fileName: "p.html", mimeType: "text/html")
            let (engine, curl, command) = try await sendWithEngineAndCurl { base in
                var request = try Request(method, to: base + "/upload")
                try request.setBody(multipart: form)
                return request
            }
            #expect(try Self.parts(of: engine) == Self.parts(of: curl), "\(command)")
            #expect(engine.requestLine == curl.requestLine)
            #expect(command.contains("--form-string 'at=@/etc/hostname'"), "\(command)")
        }
    }

    @Test(.needs("curl")) func `a curl description pipes a form that curl options cannot carry into curl`()
        async throws
    {
        try await expectSameRequest { base in
            var form = MultipartFormData()
            form.append(Data([0, 0xFF]), name: "bytes", fileName: "b")
            form.append("x", name: "a=b")
            var request = try Request(.post, to: base)
            try request.setBody(multipart: form)
            return request
        }
    }

    @Test(arguments: [Data("Ada".utf8), Data([0xFF])])
    func `a curl description omits secrets in forms by the names of their parts`(name: Data) throws {
        var form = MultipartFormData()
        form.append(name, name: "name")
        form.append("hunter2", name: "password")
        var request = try Request(.post, to: "http://x/")
        try request.setBody(multipart: form)
        let hidden = try Self.readable(request.curlDescription())
        #expect(hidden.contains("REDACTED") && !hidden.contains("hunter2"), "\(hidden)")
        #expect(try Self.readable(request.curlDescription(redacting: false)).contains("hunter2"))
    }

    /// The command; if it pipes base64 into curl, the decoded bytes.
    private static func readable(_ command: String) throws -> String {
        guard let start = command.range(of: "printf %s "), let end = command.range(of: " | base64") else {
            return command
        }
        let encoded = String(command[start.upperBound..<end.lowerBound])
        return String(decoding: try #require(Data(base64Encoded: encoded)), as: UTF8.self)
    }

    @Test func `a form with another content type is not a form in a curl description`() throws {
        var form = MultipartFormData()
        form.append("hunter2", name: "password")
        var request = try Request(.post, to: "http://x/")
        try request.setBody(multipart: form)
        request.headerFields[.contentType] = "multipart/mixed; boundary=x"
        #expect(!request.curlDescription().contains("--form"))
        let text = try Self.readable(request.curlDescription())
        #expect(text.contains("REDACTED") && !text.contains("hunter2"), "\(text)")
    }

    @Test(
        arguments: [
            ([HTTPField.Name.contentType: "application/json", .contentEncoding: "gzip"], #"{"password": "hunter2"}"#),
            ([.contentType: "application/x-www-form-urlencoded", .contentEncoding: "br"], "password=hunter2"),
            ([.contentType: "application/json"], #"{"password": "hunter2""#),
        ] as [([HTTPField.Name: String], String)]
    )
    func `a curl description omits a body whose secrets cannot be found`(fields: [HTTPField.Name: String], body: String)
        throws
    {
        var request = try Self.request("http://x/", [:], body)
        for (name, value) in fields { request.headerFields[name] = value }
        let text = request.curlDescription()
        #expect(text.hasPrefix("# The body may hold secrets") && text.contains("--data-binary @-"))
        #expect(!text.contains("hunter2") && !text.contains("base64"))
        #expect(request.curlDescription(redacting: false).contains("hunter2"))
    }

    @Test func `a curl description keeps a body without secrets`() throws {
        let body = #"{ "name" : "Ada" }"#
        let text = try Self.request("http://x/", [.contentType: "application/json"], body).curlDescription()
        #expect(text.contains(body), "\(text)")
    }

    @Test func `a curl description omits a body that is too large, and says so`() throws {
        var request = try Request(.post, to: "http://x/")
        request.body = .data(Data(count: (1 << 20) + 1))
        let text = request.curlDescription()
        #expect(text.hasPrefix("# The body of 1048577 bytes is not shown") && text.contains("--data-binary @-"))
    }

    @Test func `a request that cannot be sent still has a curl description`() throws {
        let text = try Self.request("ftp://user:hunter2@x/?token=hunter2").curlDescription()
        #expect(text.contains("ftp://x/") && !text.contains("hunter2"))
    }
}
