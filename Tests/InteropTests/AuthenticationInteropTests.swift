import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Basic and Bearer at nginx, Digest at Apache and httpbin.
@Suite(.timeLimit(.minutes(2)))
struct AuthenticationInteropTests {
    private static let ada = Credential(user: "ada", password: "secret")

    /// A session whose handler has the credential, and the number of its questions.
    private static func configuration(
        _ credential: Credential = ada
    ) -> (configuration: SessionConfiguration, asked: Counter) {
        let asked = Counter()
        var configuration = SessionConfiguration()
        configuration.hooks.taskDidReceiveChallenge = { _, _ in
            asked.increment()
            return .use(credential)
        }
        return (configuration, asked)
    }

    // MARK: nginx

    @Test(.enabled(if: InteropServer.nginx.isExpected, "nginx is not running"))
    func `nginx accepts Basic, and a redirect to its files`() async throws {
        let (configuration, asked) = Self.configuration()
        try await withAPI(at: InteropServer.nginx.address, configuration) { api in
            for path in ["private/tiny.txt", "redirect-private", "private/tiny.txt"] {
                let text: String = try await api.get(path, as: .string)
                #expect(text == "Hello, world!")
            }
            let metrics = try await api.response(.get, "private/tiny.txt", as: .string).metrics
            #expect(metrics.transactions.count == 1)
        }
        #expect(asked.value == 1)
        try await withAPI(at: InteropServer.nginx.address) { api in
            let wrong = Credential(user: "ada", password: "wrong")
            let error = try await networkingError {
                try await api.get("private/tiny.txt", options: [.credential(wrong)])
            }
            #expect(error.response?.status.code == 401)
        }
    }

    @Test(.enabled(if: InteropServer.nginx.isExpected, "nginx is not running"))
    func `nginx accepts a token`() async throws {
        let (configuration, _) = Self.configuration(Credential(token: "t0ken"))
        try await withAPI(at: InteropServer.nginx.address, configuration) { api in
            let text: String = try await api.get("token", as: .string)
            #expect(text == "a token\n")
        }
    }

    @Test(.enabled(if: InteropServer.nginxTLS.isExpected, "nginx is not running"))
    func `user and password of a URL are accepted by nginx over TLS`() async throws {
        var configuration = SessionConfiguration()
        configuration.tls.trustRoots = .file(try InteropServer.authority.address)
        let url = "https://ada:secret@" + (try InteropServer.nginxTLS.address).dropFirst("https://".utf8.count)
        try await withAPI(at: url, configuration) { api in
            let text: String = try await api.get("private/tiny.txt", as: .string)
            #expect(text == "Hello, world!")
        }
    }

    // MARK: Apache

    @Test(.enabled(if: InteropServer.apache.isExpected, "Apache is not running"))
    func `Apache accepts Digest, counts our requests and proves that it knows the password`() async throws {
        let (configuration, asked) = Self.configuration()
        try await withAPI(at: InteropServer.apache.address, configuration) { api in
            for _ in 0..<10 {
                let response = try await api.response(.get, "private/tiny.txt", as: .string)
                #expect(response.value == "Hello, world!")
                #expect(response.head[.authenticationInfo]?.contains("rspauth=") == true)
            }
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await api.get("private/tiny.txt", as: .string) } }
                for try await text in group { #expect(text == "Hello, world!") }
            }
        }
        #expect(asked.value == 1)
    }

    @Test(.enabled(if: InteropServer.apache.isExpected, "Apache is not running"))
    func `nonces of Apache that end after a second are replaced without a question`() async throws {
        let (configuration, asked) = Self.configuration()
        try await withAPI(at: InteropServer.apache.address, configuration) { api in
            let end = ContinuousClock.now + .seconds(4)
            while ContinuousClock.now < end {
                let text: String = try await api.get("brief/tiny.txt", as: .string)
                #expect(text == "Hello, world!")
                try await Task.sleep(for: .milliseconds(350))
            }
        }
        #expect(asked.value == 1)
    }

    @Test(.enabled(if: InteropServer.apache.isExpected, "Apache is not running"))
    func `a wrong password for Apache ends with its 401`() async throws {
        let (configuration, asked) = Self.configuration(Credential(user: "ada", password: "wrong"))
        try await withAPI(at: InteropServer.apache.address, configuration) { api in
            let error = try await networkingError { try await api.get("private/tiny.txt") }
            #expect(error.response?.status.code == 401)
        }
        // The second question is about the refused credential, which is not sent again.
        #expect(asked.value == 2)
    }

    // MARK: httpbin

    @Test(
        .enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"),
        arguments: ["MD5", "SHA-256"],
        ["auth", "auth-int", "both"]
    )
    func `httpbin accepts Digest with each algorithm and protection`(algorithm: String, qop: String) async throws {
        let (configuration, asked) = Self.configuration()
        try await withAPI(at: InteropServer.httpbin.address, configuration) { api in
            for _ in 0..<3 {
                let json = try await api.get("digest-auth/\(qop)/ada/secret/\(algorithm)/never", as: .json)
                #expect(json["user"]?.string == "ada")
            }
        }
        #expect(asked.value == 1)
    }

    @Test(.enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"))
    func `an httpbin that calls every nonce stale ends with its 401`() async throws {
        let (configuration, asked) = Self.configuration()
        try await withAPI(at: InteropServer.httpbin.address, configuration) { api in
            let error = try await networkingError {
                try await api.get("digest-auth/auth/ada/secret/MD5/0", headers: ["Cookie": "stale_after=0"])
            }
            #expect(error.response?.status.code == 401)
        }
        #expect(asked.value <= 2)
    }

    @Test(.enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"))
    func `httpbin accepts Basic and Bearer`() async throws {
        let (configuration, _) = Self.configuration()
        try await withAPI(at: InteropServer.httpbin.address, configuration) { api in
            let basic = try await api.get("basic-auth/ada/secret", as: .json)
            #expect(basic["authenticated"] == true)
            let token = [RequestOption.credential(Credential(token: "t0ken"))]
            let bearer = try await api.get("bearer", options: token, as: .json)
            #expect(bearer["token"]?.string == "t0ken")
        }
    }
}
