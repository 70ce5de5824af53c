import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The examples of HTTPie's documentation, run by HTTPie and by this command against one server.
/// Where they differ on purpose, the article "Coming from HTTPie and curl" says so.
@Suite(.timeLimit(.minutes(10)), .needsHTTPie) struct HTTPieProcessTests {
    /// Arguments in which `URL` stands for that of the server.
    private static let examples: [[String]] = [
        ["URL/headers"], ["PUT", "URL/put", "X-API-Token:123", "name=John"],
        ["--form", "POST", "URL/post", "hello=World"],
        ["DELETE", "URL/delete"], ["get", "URL/get"], ["HEAD", "URL/"], ["URL/post", "hello=world"],
        ["URL/get", "q==HTTPie", "per_page==1"], ["URL/get?a=1", "b==c d"], ["URL/get", "q==ü&=#"],
        ["URL/get", "Cookie:a=b;c=d"], ["URL/get", "X-Date:today", "X-Date:tomorrow"], ["URL/get", "Accept:"],
        ["URL/get", "User-Agent:"], ["URL/get", "X-Empty;"], ["URL/get", "X-File:@line.txt"],
        ["URL/get", "Host:example.org"],
        ["URL/get", "Authorization: Bearer abc"], ["URL/post", "Content-Type:application/x+json", "a=1"],
        ["PUT", "URL/put", "name=John", "email=john@example.org"],
        [
            "PUT", "URL/put", "name=John", "age:=29", "married:=false", #"hobbies:=["http", "pies"]"#,
            #"favorite:={"tool": "HTTPie"}"#, "bookmarks:=@data.json", "description=@notes.txt",
        ],
        ["URL/post", "platform[name]=HTTPie", "platform[about][mission]=APIs", "platform[about][homepage]=httpie.io"],
        ["URL/post", "platform[apps][]=Terminal", "platform[apps][]=Desktop", "platform[apps][]=Web"],
        ["URL/post", "search[type]=keyword", "search[keywords][0]=a", "search[keywords][1]=b"],
        ["URL/post", "[]:=1", "[]:=2", "[]=three"], ["URL/post", "[0][type]=platform", "[0][stars]:=54000"],
        ["URL/post", #"foo\[bar\]:=1"#, #"baz[\[]:=2"#, #"baz[\]]:=3"#], ["URL/post", #"object[\1]=key"#],
        ["URL/post", "search[keywords][2]=late"],
        ["URL/post", #"foo\==bar"#], ["URL/post", #"foo\:bar=baz"#], ["URL/post", #"foo=a\=b\\c"#],
        ["URL/post", #"x\@y=z"#],
        ["URL/post", #"foo\\=bar"#], ["URL/post", "q=é ü"], ["URL/post", "a=", "b:=null"],
        ["--form", "URL/post", "name=John Smith", "email=john@example.org"],
        ["--form", "URL/post", "a=1", "a=2", "b=é&="],
        ["--form", "URL/post", "a:=1", "b=@notes.txt"], ["--form", "URL/post", "a[b]=c"],
        ["--form", "URL/post", "name=John", "cv@notes.txt"], ["--form", "URL/post", "cv@notes.txt", "name=John"],
        ["--form", "URL/post", "cv@data.bin;type=application/pdf"], ["--multipart", "URL/post", "hello=world", "x=é"],
        ["--raw", "Hello, world!", "URL/post"], ["--raw", "a=1", "--form", "URL/post"],
        ["PUT", "URL/put", "@notes.txt", "Accept:*/*"],
        ["URL/post", "@data.bin", "Content-Type:application/octet-stream", "Accept:*/*"],
        ["-a", "user:pass", "URL/basic"],
        ["-A", "bearer", "-a", "token", "URL/bearer"], ["--json", "URL/get", "Content-Type:application/json"],
        ["-j", "URL/post", "a=1"],
        ["OPTIONS", "URL/get"], ["URL/post", "--", "-name=x"], ["--chunked", "URL/post", "@notes.txt", "Accept:*/*"],
    ]

    @Test(arguments: examples)
    func `an example of HTTPie sends what HTTPie sends`(example: [String]) async throws {
        try await withFiles { folder in
            try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
                let arguments = example.map { $0.replacing("URL", with: server.baseURL) }
                let httpie = try await Self.httpie(["--ignore-stdin"] + arguments, in: folder)
                try #require(httpie.status == 0 && server.requests.count == 1, "\(httpie.errors)")
                let expected = Meaning(of: server.requests[0])
                let output = try await Command.run(["--ignore-stdin"] + arguments, in: folder)
                #expect(output.status == 0, "\(output.errors)")
                try #require(server.requests.count == 2)
                #expect(Meaning(of: server.requests[1]) == expected)
            }
        }
    }

    @Test(arguments: [["URL/post"], ["PUT", "URL/put", "X-API-Token:123"], ["--form", "POST", "URL/post"]])
    func `a body from a pipe is the same`(example: [String]) async throws {
        try await withFiles { folder in
            try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
                let arguments = example.map { $0.replacing("URL", with: server.baseURL) }
                let httpie = try await Self.httpie(arguments, in: folder, input: #"{"name": "John"}"#)
                try #require(httpie.status == 0 && server.requests.count == 1, "\(httpie.errors)")
                let output = try await Command.run(arguments, in: folder, input: #"{"name": "John"}"#)
                #expect(output.status == 0, "\(output.errors)")
                try #require(server.requests.count == 2)
                #expect(Meaning(of: server.requests[1]) == Meaning(of: server.requests[0]))
            }
        }
    }

    private func withFiles(_ test: (URL) async throws -> Void) async throws {
        try await withDirectory { folder in
            let files: [String: Data] = [
                "notes.txt": Data("one\ntwo\n".utf8), "line.txt": Data("one\n".utf8),
                "data.json": Data(#"{"a": [1, 2.5]}"#.utf8), "data.bin": Data([0, 0xFF]),
            ]
            for (name, content) in files { try content.write(to: folder.appending(path: name)) }
            try await test(folder)
        }
    }

    private static func httpie(_ arguments: [String], in folder: URL, input: String = "") async throws -> Command.Output
    {
        let process = Process()
        process.executableURL = URL(filePath: try #require(HTTPieProgram.path))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // No settings of the user.
        process.environment = ProcessInfo.processInfo.environment.merging(["HTTPIE_CONFIG_DIR": folder.path]) { $1 }
        return try await Command.run(process, input: input)
    }
}

/// HTTPie, where scripts/bootstrap --test has installed it.
private enum HTTPieProgram {
    private static let environment = ProcessInfo.processInfo.environment

    static let path = environment["BLUEBONNET_INTEROP_HTTPIE"]
    /// Whether the tests run: where it has to be there, they fail without it.
    static let isWanted = path != nil || environment["BLUEBONNET_INTEROP_REQUIRED"] == "1"
}

extension Trait where Self == ConditionTrait {
    fileprivate static var needsHTTPie: Self {
        .enabled(
            if: HTTPieProgram.isWanted,
            "HTTPie is installed by scripts/bootstrap --test, and named by the servers"
        )
    }
}

/// A request without what is the same for a server: white space in JSON, a space written in another
/// way, the boundary, and what a program says of itself.
private struct Meaning: Equatable {
    let line: String
    let fields: [String]
    let body: String
    let json: JSONValue?

    init(of request: FaultServer.Request) {
        line = Self.spaced(request.requestLine)
        let type = request.value(of: "content-type") ?? ""
        let boundary = type.firstMatch(of: /boundary=(.*)$/).map { String($0.1) }
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        let own = ["user-agent", "accept-encoding", "connection", "content-length"]
        fields = request.headers.compactMap { name, value in
            let name = name.lowercased()
            guard !own.contains(name) || name == "user-agent" && value.isEmpty else { return nil }
            guard name == "content-type" else { return "\(name): \(value)" }
            return boundary != nil ? "multipart" : isForm ? "form" : "\(name): \(value)"
        }.sorted()
        let text = request.bodyText
        json = type.hasSuffix("json") ? try? JSONValue(parsing: text) : nil
        if json != nil {
            body = ""
        } else if let boundary {
            body = text.replacing(boundary, with: "boundary")
        } else {
            body = isForm ? Self.spaced(text) : text
        }
    }

    private static func spaced(_ text: String) -> String { text.replacing("+", with: "%20") }
}
