import ArgumentParser
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct UserSettingsTests {
    private static let text = #"""
        {"hosts": {"api.example.org": ["--timeout=5", "X:host"], "*.example.org": ["--form"], "localhost:8080": ["-k"]},
         "default_options": ["--style=mono", "--json", "X:all", "Y:all"]}
        """#

    private func arguments(_ arguments: [String]) throws -> [String] {
        let settings = try UserSettings(parsing: Array(Self.text.utf8))
        let options = try RequestOptions.parse(arguments)
        let url = try #require(URL(string: options.url))
        return try UserSettings.arguments(arguments, options, with: settings.rules(for: url))
    }

    @Test(
        arguments: [
            (["http://a/"], ["--style=mono", "--json", "http://a/", "X:all", "Y:all"]),
            // A host counts more than the defaults, and its --form more than their --json.
            (
                ["http://api.example.org/"],
                [
                    "--host-header=x", "--style=mono", "--form", "--timeout=5", "http://api.example.org/", "Y:all",
                    "X:host",
                ]
            ),
            (["http://EXAMPLE.org/"], ["--style=mono", "--json", "http://EXAMPLE.org/", "X:all", "Y:all"]),
            (
                ["http://localhost:8080/"],
                ["--host-trust=none", "--style=mono", "--json", "-k", "http://localhost:8080/", "X:all", "Y:all"]
            ),
            (
                ["http://localhost:8080/", "-k"],
                ["--style=mono", "--json", "-k", "http://localhost:8080/", "-k", "X:all", "Y:all"]
            ),
            (["http://localhost/"], ["--style=mono", "--json", "http://localhost/", "X:all", "Y:all"]),
            // The arguments count most.
            (["http://a/", "--form", "x:mine"], ["--style=mono", "http://a/", "--form", "x:mine", "Y:all"]),
            (["http://a/", "Y:"], ["--style=mono", "--json", "http://a/", "Y:", "X:all"]),
        ] as [([String], [String])]
    )
    func `a request has the options of its host, and its own first of all`(given: [String], expected: [String]) throws {
        #expect(try arguments(given) == expected)
    }

    @Test func `of two values of an option the one of the arguments is used`() throws {
        let options = try RequestOptions.parse(try arguments(["http://a/", "--style=dark"]))
        #expect(options.shown.style == .dark)
    }

    @Test(arguments: [
        ("[]", "must be an object"), ("{", "is not JSON"), (#"{"x":[]}"#, "unknown member “x”"),
        (#"{"default_options":"--json"}"#, "something else than a list"), (#"{"hosts":[]}"#, "not an object"),
        (#"{"default_options":["--timeout","5"]}"#, "“5”, which is neither an option"),
        (#"{"default_options":["a=1"]}"#, "neither an option"), (#"{"default_options":[1]}"#, "than a string"),
        (#"{"hosts":{"https://a.example":[]}}"#, "“https://a.example”, which is not a host"),
        (#"{"hosts":{"a*.example":[]}}"#, "“a*.example”, which is not a host"),
        (#"{"default_options":["--json-errors"]}"#, "“--json-errors”, which is for the command line only"),
        (#"{"hosts":{"a":["--no-config"]}}"#, "“--no-config”, which is for the command line only"),
    ])
    func `a file with something else is a mistake that is described`(text: String, hint: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try UserSettings(parsing: Array(text.utf8)) }
        #expect(failure?.message.contains(hint) == true, "\(failure?.message ?? "")")
        #expect(failure?.status == .usage)
    }

    @Test(arguments: ["--timout=5", "--auth", "-a", "--timeout", "--", "-"])
    func `an option that does not exist, or has no value, is a mistake`(option: String) throws {
        let rule = UserSettings.Rule(hosts: "*", options: [option])
        let options = try RequestOptions.parse(["http://a/", "b==c"])
        let failure = #expect(throws: CommandFailure.self) {
            try UserSettings.arguments(["http://a/", "b==c"], options, with: [rule])
        }
        #expect(failure?.message.contains("“\(option)”") == true)
    }

    @Test(
        arguments: [
            ("http://a.example/", ["*", "*.example", "a.example", "a.example:80"]),
            ("https://A.example/", ["*", "*.example", "a.example"]),
            ("http://b.a.example/", ["*", "*.example", "*.a.example", "*.a.example:80"]),
            ("https://b.a.example/", ["*", "*.example", "*.a.example"]), ("http://example/", ["*"]),
            ("http://[::1]/", ["*", "::1"]), ("http://[::1]:8080/", ["*", "::1", "[::1]:8080"]),
            ("http://xa.example/", ["*", "*.example"]),
        ]
    )
    func `the more a rule says about the host, the more it counts`(url: String, expected: [String]) throws {
        let hosts = [
            "a.example:80", "a.example", "[::1]:8080", "[::1]", "*.a.example:80", "*.a.example", "*.example", "*",
        ]
        let members = hosts.map { #""\#($0)": ["--json"]"# }.joined(separator: ",")
        let settings = try UserSettings(parsing: Array("{\"hosts\":{\(members)}}".utf8))
        #expect(settings.rules(for: try #require(URL(string: url))).map(\.hosts) == expected)
    }

    @Test func `options that need each other are used together`() throws {
        let rule = UserSettings.Rule(hosts: "*", options: ["--cert=c.pem", "--key=k.pem"])
        let options = try RequestOptions.parse(["http://a/"])
        let arguments = try UserSettings.arguments(["http://a/"], options, with: [rule])
        #expect(arguments == ["--cert=c.pem", "--key=k.pem", "http://a/"])
    }

    @Test func `a transfer takes what is not about bodies and output, and headers as options`() throws {
        let options = ["--key=k.pem", "--style=mono", "-j", "--timeout=5", "--print=h", "--cert=c.pem", "--retry=2"]
        let rule = UserSettings.Rule(hosts: "a", options: options, headers: ["X-Host:1", "Accept:b"])
        let given = ["http://a/", "-H", "accept:c", "-j", "2"]
        let shared = ["--key=k.pem", "--timeout=5", "--cert=c.pem", "--retry=2"]
        let trust = ["--host-trust=none"]
        let headers = ["--host-header=x-host"]
        let download = try UserSettings.arguments(given, DownloadCommand.parse(given), with: [rule])
        #expect(download == trust + headers + shared + ["--header=X-Host:1"] + given)
        #expect(try DownloadCommand.parse(download).transfer.jobs == 2)
        let files = ["a.txt"] + given
        let upload = try UserSettings.arguments(files, UploadCommand.parse(files), with: [rule])
        #expect(upload == trust + headers + shared + ["--header=X-Host:1"] + files)
    }

    @Test func `a WebSocket takes the options that it has, and headers as items`() throws {
        let rule = UserSettings.Rule(hosts: "*", options: ["--retry=2", "--timeout=5"], headers: ["Origin:http://b"])
        let arguments = try UserSettings.arguments(["ws://a/"], WebSocketCommand.parse(["ws://a/"]), with: [rule])
        #expect(arguments == ["--timeout=5", "ws://a/", "Origin:http://b"])
    }

    @Test(arguments: [("ws://a/", true), ("wss://a/", false), ("http://a/", true), ("https://a/", false)])
    func `the port of a WebSocket is that of HTTP`(url: String, isPort80: Bool) throws {
        let settings = try UserSettings(parsing: Array(#"{"hosts": {"a:80": [], "a:443": []}}"#.utf8))
        let rules = settings.rules(for: try #require(URL(string: url)))
        #expect(rules.map(\.hosts) == [isPort80 ? "a:80" : "a:443"])
    }

    @Test(
        arguments: [
            ("--auth=u:p", true), ("-au:p", true), ("--bearer=x", true), ("--proxy=http://u:p@h", true),
            ("Authorization:Bearer x", true), ("Cookie:a=b", true), ("X-Api-Key:x", true),
            ("--auth-type=digest", false),
            ("Authorization:@~/token", false), ("Cookie:", false), ("Accept:text/html", false), ("--style=dark", false),
            ("--netrc", false),
        ]
    )
    func `passwords, tokens and cookies are secrets`(argument: String, isSecret: Bool) throws {
        let text = #"{"hosts":{"a":["\#(argument)"]}}"#
        #expect(try UserSettings(parsing: Array(text.utf8)).hasSecrets == isSecret)
    }
}
