import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The options and the variables for proxies of the command.
@Suite(.timeLimit(.minutes(3)))
struct ProxyProcessTests {
    private static let basic = "Basic YWRhOnNlY3JldA=="

    private static func withProxy(_ body: (FaultServer) async throws -> Void) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "proxy")] }, body)
    }

    /// Nothing of the environment of the tests.
    private static func clean(_ variables: [String: String] = [:]) -> [String: String] {
        let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        let empty = (names + names.map { $0.uppercased() }).map { ($0, "") }
        return Dictionary(uniqueKeysWithValues: empty).merging(variables) { $1 }
    }

    @Test func `--proxy, --proxy-user and --noproxy choose the proxy`() async throws {
        try await Self.withProxy { proxy in
            let address = "127.0.0.1:\(proxy.port)"
            let url = "http://one.example/a"
            for options in [
                ["--proxy", address, "--proxy-user", "ada:secret"], ["--proxy", "http://ada:secret@\(address)"],
            ] {
                let output = try await Command.run(["get", url] + options, environment: Self.clean())
                #expect(output.status == 0 && output.text.contains("proxy"), "\(output)")
            }
            #expect(proxy.requests.map(\.requestLine) == Array(repeating: "GET \(url) HTTP/1.1", count: 2))
            #expect(proxy.requests.map { $0.value(of: "Proxy-Authorization") } == [Self.basic, Self.basic])
            let direct = try await Command.run(
                ["get", "http://127.0.0.1:\(FaultServer.unusedPort)/", "--proxy", address, "--noproxy", "127.0.0.0/8"],
                environment: Self.clean()
            )
            #expect(direct.status == 1, "\(direct)")
            #expect(proxy.requests.count == 2)
        }
    }

    @Test func `the variables are read, and the options win over them`() async throws {
        try await Self.withProxy { proxy in
            let variables = Self.clean(["http_proxy": "127.0.0.1:\(proxy.port)", "no_proxy": "two.example"])
            for (arguments, status) in [
                (["http://one.example/"], 0), (["http://two.example/", "--noproxy", ""], 0),
                (["http://127.0.0.1:\(FaultServer.unusedPort)/", "--proxy", ""], 1),
                (["http://127.0.0.1:\(FaultServer.unusedPort)/", "--noproxy", "*"], 1),
            ] as [([String], Int32)] {
                let output = try await Command.run(["get"] + arguments, environment: variables)
                #expect(output.status == status, "\(output)")
            }
            #expect(proxy.requests.map(\.target) == ["http://one.example/", "http://two.example/"])
        }
    }

    @Test func `--proxy-digest holds for each source of the credential`() async throws {
        try await Self.withProxy { proxy in
            let address = "127.0.0.1:\(proxy.port)"
            for (options, variable) in [
                ([], "http://ada:secret@\(address)"), (["--proxy-user", "ada:secret"], address),
                (["--proxy", "http://ada:secret@\(address)"], ""),
                (["--proxy", address, "--proxy-user", "ada:secret"], ""),
            ] as [([String], String)] {
                let output = try await Command.run(
                    ["get", "http://one.example/", "--proxy-digest"] + options,
                    environment: Self.clean(["http_proxy": variable])
                )
                #expect(output.status == 0, "\(output)")
            }
            #expect(proxy.requests.map { $0.value(of: "Proxy-Authorization") } == [nil, nil, nil, nil])
        }
    }

    @Test func `a proxy that is none, or refuses, is an error that says so`() async throws {
        let wrong = try await Command.run(
            ["get", "http://one.example/", "--proxy", "ftp://ada:secret@x"],
            environment: Self.clean()
        )
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("proxy"))
        #expect(!wrong.errors.contains("secret"))
        try await FaultServer.run(.requests { _ in [.respond(403, body: "because")] }) { proxy in
            let refused = try await Command.run(
                ["get", "https://one.example/", "--proxy", "http://ada:secret@127.0.0.1:\(proxy.port)"],
                environment: Self.clean()
            )
            #expect(refused.status == 1)
            #expect(refused.errors.contains("refused to open a tunnel to one.example:443: 403"), "\(refused)")
            #expect(!refused.errors.contains("secret"))
        }
    }

    @Test func `-v and --timings show the proxy, and no credential`() async throws {
        try await Self.withProxy { proxy in
            let output = try await Command.run(
                [
                    "get", "http://one.example/", "-v", "--timings", "--proxy",
                    "http://ada:secret@127.0.0.1:\(proxy.port)",
                ],
                environment: Self.clean()
            )
            #expect(output.status == 0, "\(output)")
            #expect(output.errors.contains("through the proxy http://127.0.0.1:\(proxy.port)"), "\(output.errors)")
            #expect(output.errors.contains("proxy     http://127.0.0.1:\(proxy.port)"), "\(output.errors)")
            #expect(!(output.errors + output.text).contains("secret"))
            #expect(!(output.errors + output.text).contains(Self.basic))
        }
    }

    @Test func `a proxy that agrees to HTTP/2 gets it, except with --http1_1, and -v says so`() async throws {
        let tls = ServerTLS(try TestCertificates.shared().localhost, applicationProtocols: ["h2", "http/1.1"])
        let script = HTTP2FaultServer.Script.requests { _ in [.respond(body: "proxy")] }
        try await HTTP2FaultServer.run(script, options: .init(tls: tls)) { proxy in
            for (option, name) in [(nil, "h2"), ("--http1.1", "http/1.1")] as [(String?, String)] {
                let output = try await Command.run(
                    [
                        "get", "http://one.example/", "-v", "--timings", "--proxy", proxy.baseURL,
                        "--proxy-insecure",
                    ] + [option].compactMap(\.self),
                    environment: Self.clean()
                )
                #expect(output.status == 0, "\(output)")
                #expect(output.errors.contains("through the proxy \(proxy.baseURL) (\(name))"), "\(output.errors)")
                #expect(output.errors.contains("proxy     \(proxy.baseURL) (\(name))"), "\(output.errors)")
            }
        }
    }

    @Test func `batch sends its requests through the proxy`() async throws {
        try await Self.withProxy { proxy in
            let output = try await Command.run(
                ["batch", "--proxy", "127.0.0.1:\(proxy.port)", "--noproxy", ""],
                input: #"{"url":"http://one.example/1"}"# + "\n" + #"{"url":"http://two.example/2"}"#
            )
            #expect(output.status == 0, "\(output)")
            #expect(Set(proxy.requests.map(\.target)) == ["http://one.example/1", "http://two.example/2"])
        }
    }
}
