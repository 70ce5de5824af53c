import Foundation
import Testing

@testable import Bluebonnet

/// Which proxy the variables of the environment choose.
struct ProxyConfigurationTests {
    private static func proxy(_ variables: [String: String], _ url: String) throws -> String? {
        let target = try RequestTarget(#require(URL(string: url)))
        return try ProxyRules(environment: variables).proxy(for: target.origin)?.description
    }

    @Test(
        arguments: [
            (["http_proxy": "a:1"], "http://x/", "http://a:1"),
            (["http_proxy": "a:1"], "https://x/", nil),
            (["https_proxy": "a:1"], "https://x/", "http://a:1"),
            (["HTTPS_PROXY": "a:1"], "https://x/", "http://a:1"),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:1"], "https://x/", "http://a:1"),
            (["https_proxy": "", "HTTPS_PROXY": "b:1"], "https://x/", "http://b:1"),
            (["HTTP_PROXY": "a:1"], "http://x/", nil),
            (["all_proxy": "a:1"], "http://x/", "http://a:1"),
            (["ALL_PROXY": "socks5h://a"], "https://x/", "socks5h://a:1080"),
            (["all_proxy": "a:1", "http_proxy": "b:1"], "http://x/", "http://b:1"),
            (["all_proxy": "a:1", "http_proxy": "b:1"], "https://x/", "http://a:1"),
            (["http_proxy": "a:1", "REQUEST_METHOD": "GET"], "http://x/", nil),
            (["https_proxy": "a:1", "REQUEST_METHOD": "GET"], "https://x/", "http://a:1"),
            (["http_proxy": "a:1", "no_proxy": "x"], "http://x/", nil),
            (["http_proxy": "a:1", "NO_PROXY": "x"], "http://x/", nil),
            (["http_proxy": "a:1", "no_proxy": "y", "NO_PROXY": "x"], "http://x/", "http://a:1"),
            (["http_proxy": "a:1", "no_proxy": "", "NO_PROXY": "x"], "http://x/", nil),
            (["all_proxy": "a:1"], "http+unix://%2Ftmp%2Fsocket/", nil),
        ] as [([String: String], String, String?)]
    )
    func `the variables are read with curl's rules`(
        variables: [String: String],
        url: String,
        proxy: String?
    ) throws {
        #expect(try Self.proxy(variables, url) == proxy)
    }

    @Test func `a variable that names no proxy fails only the requests that it is for`() throws {
        let variables = ["https_proxy": "ftp://user:secret@x", "no_proxy": "free"]
        let error = try #require(throws: NetworkingError.self) { try Self.proxy(variables, "https://x/") }
        #expect(error.code == .invalidProxy)
        #expect(error.message.contains("https_proxy"))
        #expect(!error.message.contains("secret"))
        #expect(try Self.proxy(variables, "http://x/") == nil)
        #expect(try Self.proxy(variables, "https://free/") == nil)
    }

    @Test func `a credential beside the variables takes the place of theirs`() throws {
        let credential = Credential(user: "ada", password: "secret")
        let rules = ProxyRules(environment: ["http_proxy": "http://x:y@a:1"], credential: credential)
        #expect(try rules.http?.get().credential == credential)
    }

    @Test func `schemes beside the variables limit every credential`() throws {
        let variables = ["http_proxy": "http://x:y@a:1", "https_proxy": "http://b:1", "no_proxy": "c"]
        let configuration = ProxyConfiguration.environment(variables, credential: nil, schemes: [.digest])
        guard case .rules(let rules) = configuration.source else {
            Issue.record("no rules")
            return
        }
        #expect(try rules.http?.get().credential?.schemes == [.digest])
        #expect(try rules.https?.get().credential == nil)
    }

    @Test func `a session without any variable asks nobody for a proxy`() {
        let request = Request(url: URL(filePath: "/"))
        #expect(!SessionProxies(SessionConfiguration { $0.proxies = .environment([:]) }).concerns(request))
        #expect(
            SessionProxies(SessionConfiguration { $0.proxies = .environment(["all_proxy": "a"]) }).concerns(request)
        )
        var own = request
        own.proxies = .direct
        #expect(SessionProxies(SessionConfiguration { $0.proxies = .direct }).concerns(own))
    }
}
