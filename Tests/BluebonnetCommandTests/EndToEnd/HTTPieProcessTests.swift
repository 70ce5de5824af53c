import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The examples of HTTPie's documentation, run by HTTPie and by this command against one server.
/// Where they differ on purpose, the article "Coming from HTTPie and curl" says so.
@Suite(.timeLimit(.minutes(10)), .needsHTTPie) struct HTTPieProcessTests {
    @Test(arguments: HTTPieLines.same)
    func `an example of HTTPie sends what HTTPie sends, and ends with its status`(line: String) async throws {
        let (httpie, own) = try await runBoth(line)
        #expect(!httpie.requests.isEmpty, "\(httpie.output.errors)")
        #expect(own.requests == httpie.requests, "\(own.output.errors)")
        #expect(own.output.status == httpie.output.status, "\(own.output.errors)")
    }

    @Test(arguments: HTTPieLines.differing)
    func `an example of HTTPie differs in what the article names`(line: String, parts: [String]) async throws {
        let (httpie, own) = try await runBoth(line)
        try #require(httpie.requests.count == 1 && own.requests.count == 1, "\(httpie.output)\(own.output)")
        #expect(own.requests[0].differences(from: httpie.requests[0]) == parts)
    }

    @Test(arguments: HTTPieLines.translated)
    func `an option of HTTPie that is named otherwise here is answered with the other name`(
        line: String,
        translation: String,
        advice: String
    ) async throws {
        let (httpie, own) = try await runBoth(line, translation)
        #expect(own.requests == httpie.requests, "\(httpie.output.errors)\(own.output.errors)")
        let refused = try await run(line, by: Command.executable.path)
        #expect(refused.output.status == 2 && refused.requests.isEmpty)
        #expect(refused.output.errors.contains(advice), "\(refused.output.errors)")
    }

    @Test(arguments: HTTPieLines.refused)
    func `what HTTPie refuses is refused with a sentence`(line: String) async throws {
        let (httpie, own) = try await runBoth(line)
        #expect(httpie.output.status == 1 && httpie.requests.isEmpty, "\(httpie.output.errors)")
        #expect(own.output.status == 2 && own.requests.isEmpty, "\(own.output.errors)")
        #expect(own.output.errors.hasPrefix("bluebonnet: "))
    }

    @Test(arguments: [
        ("http --check-status URL/redirect/3", "http --no-follow URL/redirect/3", 3, 3),
        ("http --follow --max-redirects=2 URL/redirect/9", "http --max-redirects=2 URL/redirect/9", 6, 6),
        ("http --timeout=0.3 URL/stall", "http --timeout=0.3 URL/stall", 2, 28),
        ("http --nope URL", "http --nope URL", 1, 2),
        ("http http://127.0.0.1:1", "http http://127.0.0.1:1", 1, 1),
    ])
    func `the exit status is that of the article`(
        line: String,
        translation: String,
        theirs: Int32,
        ours: Int32
    ) async throws {
        let (httpie, own) = try await runBoth(line, translation)
        #expect(httpie.output.status == theirs, "\(httpie.output.errors)")
        #expect(own.output.status == ours, "\(own.output.errors)")
    }

    @Test(arguments: [
        "--print=H", "--print=B", "--print=h", "--print=b", "--print=Hh", "--print=HBhb", "--headers", "--body",
        "--quiet", "--all", "--offline", "--offline --print=B", "--offline --print=H",
    ])
    func `an output option shows the parts that it shows in HTTPie`(option: String) async throws {
        let (httpie, own) = try await runBoth("http \(option) PUT URL/put hello=world")
        let parts = ["PUT /put HTTP/1.1", #""hello""#, "HTTP/1.1 200", #""answer""#]
        func shown(_ run: Run) -> [Bool] { parts.map { run.output.text.contains($0) } }
        // `--all` says here that the heads are shown as well.
        let expected = option == "--all" ? [true, false, true, true] : shown(httpie)
        #expect(shown(own) == expected, "\(own.output.text)")
        #expect(own.output.status == 0)
    }

    @Test(arguments: [
        ("--verify=AUTHORITY", "--cacert=AUTHORITY", false), ("--verify=no", "--insecure", false),
        ("--verify=AUTHORITY --ssl=tls1.2", "--cacert=AUTHORITY --tls-min=1.2", false),
        (
            "--verify=AUTHORITY --cert=CLIENT.pem --cert-key=CLIENT.key",
            "--cacert=AUTHORITY --cert=CLIENT.pem --key=CLIENT.key", true
        ),
    ])
    func `over TLS an option of HTTPie and its counterpart let the same server through`(
        theirs: String,
        ours: String,
        asksClient: Bool
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = ServerTLS(certificates.localhost, clientAuthorities: asksClient ? [certificates.authority] : [])
        try await certificates.withFiles { files in
            func filled(_ options: String) -> String {
                let words = options.replacing("AUTHORITY", with: files.authority)
                    .replacing("CLIENT", with: String(files.path("client.pem").dropLast(".pem".count)))
                return "http \(words) URL/get"
            }
            let httpie = try await run(filled(theirs), by: try #require(HTTPieProgram.path), tls: tls)
            let own = try await run(filled(ours), by: Command.executable.path, tls: tls)
            #expect(httpie.output.status == 0 && httpie.requests.count == 1, "\(httpie.output.errors)")
            #expect(own.output.status == 0 && own.requests == httpie.requests, "\(own.output.errors)")
            // Without the options neither sends anything.
            let strict = try await run("http URL/get", by: try #require(HTTPieProgram.path), tls: tls)
            #expect(strict.output.status == 1 && strict.requests.isEmpty, "\(strict.output.errors)")
            let ownStrict = try await run("http URL/get", by: Command.executable.path, tls: tls)
            #expect(ownStrict.output.status == 60 && ownStrict.requests.isEmpty, "\(ownStrict.output.errors)")
        }
    }

    // MARK: Helpers

    /// What a program has sent for a line, and how it has ended.
    private struct Run {
        var requests: [Meaning]
        var output: Command.Output
    }

    /// Runs a line by HTTPie, and it or its translation by this command.
    private func runBoth(_ line: String, _ translation: String? = nil) async throws -> (httpie: Run, own: Run) {
        let httpie = try await run(line, by: try #require(HTTPieProgram.path))
        return (httpie, try await run(translation ?? line, by: Command.executable.path))
    }

    /// Runs a line by bash, as a person does, with a program in place of `http`.
    private func run(_ line: String, by program: String, tls: ServerTLS? = nil) async throws -> Run {
        try await withFiles { folder in
            try await FaultServer.run(.requests(Self.respond), options: .init(tls: tls)) { server in
                let process = Process()
                process.executableURL = URL(filePath: "/bin/bash")
                let host = server.baseURL.replacing(/^https?:\/\//, with: "")
                let port = String(host.drop { $0 != ":" }.dropFirst())
                var words = line.replacing("URL", with: server.baseURL).replacing("HOST", with: host)
                    .replacing("PORT", with: port)
                // Where nothing is piped into the line, a person's terminal is the input.
                if !line.contains("| http"), !line.contains("<") {
                    words = words.replacing("http ", with: "http --ignore-stdin ")
                }
                let name = folder.appending(path: "bin/http")
                try FileManager.default.createSymbolicLink(atPath: name.path, withDestinationPath: program)
                process.arguments = ["-c", "PATH=\"$PWD/bin:$PATH\"\n\(words)"]
                process.currentDirectoryURL = folder
                // No settings of the user, and proxies as the line has them.
                process.environment = ProcessInfo.processInfo.environment.merging([
                    "HTTPIE_CONFIG_DIR": folder.path, "XDG_CONFIG_HOME": folder.path, "HOME": folder.path,
                    "no_proxy": "",
                ]) { $1 }
                let output = try await Command.run(process, input: "")
                return Run(requests: server.requests.map { Meaning(of: $0, port: port) }, output: output)
            }
        }
    }

    /// The responses of the examples' server.
    private static func respond(_ request: FaultServer.Request) -> [FaultStep] {
        let names = request.target.split(separator: "/", omittingEmptySubsequences: true)
        let hasCredentials = request.value(of: "authorization") != nil
        switch names.first {
        case "redirect":
            let count = names.last.flatMap { Int($0) } ?? 0
            guard count > 0 else { break }
            return [.respond(302, headers: [("Location", "/redirect/\(count - 1)")])]
        case "digest-auth" where !hasCredentials:
            return [.respond(401, headers: [("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)])]
        case "status": return [.respond(names.last.flatMap { Int($0) } ?? 500)]
        case "stall": return [.stall]
        case "cookies" where names.last == "set": return [.respond(headers: [("Set-Cookie", "a=b; Path=/")])]
        default: break
        }
        return [.respond(headers: [("Content-Type", "application/json")], body: #"{"answer": 42}"#)]
    }

    private func withFiles<Value>(_ test: (URL) async throws -> Value) async throws -> Value {
        let tls = ServerTLS(try TestCertificates.shared().client)
        return try await withDirectory { folder in
            for name in ["files", "bin"] {
                let place = folder.appending(path: name)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            let contents: [String: Data] = [
                "files/text.txt": Data("John is a nice guy who likes pies.\n".utf8),
                "files/data.xml": Data("<a>x</a>\n".utf8),
                "files/data.json": Data(#"{"HTTPie": "https://httpie.org"}"#.utf8), "files/data.bin": Data([0, 0xFF]),
                "ca.pem": Data((tls.chainPEM + tls.privateKeyPEM).utf8),
            ]
            for (name, content) in contents { try content.write(to: folder.appending(path: name)) }
            return try await test(folder)
        }
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

    /// - Parameters:
    ///   - request: The request.
    ///   - port: The port of the server, which is another one for each program.
    init(of request: FaultServer.Request, port: String) {
        line = Self.spaced(request.requestLine).replacing(port, with: "PORT")
        let type = request.value(of: "content-type") ?? ""
        let boundary = type.firstMatch(of: /boundary=(.*)$/).map { String($0.1) }
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        let own = ["user-agent", "accept-encoding", "connection", "content-length", "proxy-connection"]
        fields = request.headers.compactMap { name, value in
            let name = name.lowercased()
            let isOfProgram = value.hasPrefix("HTTPie/") || value.hasPrefix("bluebonnet/")
            guard !own.contains(name) || name == "user-agent" && !isOfProgram else { return nil }
            let value = value.replacing(port, with: "PORT")
            switch name {
            case "content-type" where boundary != nil:
                return "\(name): \(value.replacing(boundary ?? "", with: boundary == "xoxo" ? "xoxo" : "boundary"))"
            case "content-type" where isForm: return "\(name): form"
            // The digest is over a random text.
            case "authorization" where value.hasPrefix("Digest "): return "\(name): Digest"
            default: return "\(name): \(value)"
            }
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

    /// The names of the fields that differ, and `line` and `body` where these do.
    func differences(from other: Meaning) -> [String] {
        let different = Set(fields).symmetricDifference(other.fields).map { String($0.prefix { $0 != ":" }) }
        var names = Set(different)
        if line != other.line { names.insert("line") }
        if body != other.body || json != other.json { names.insert("body") }
        return names.sorted()
    }

    private static func spaced(_ text: String) -> String { text.replacing("+", with: "%20") }
}
