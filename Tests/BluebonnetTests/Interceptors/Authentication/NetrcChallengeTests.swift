import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// To which servers the passwords of a `.netrc` go, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct NetrcChallengeTests {
    private static func redirect(to url: String) -> FaultServer.Script {
        .requests { _ in [.respond(302, headers: [("Location", url)])] }
    }

    private func tls() throws -> FaultServer.Options {
        FaultServer.Options(tls: ServerTLS(try TestCertificates.shared().localhost))
    }

    /// A session that reaches `localhost` by https only, or learns that from a redirect.
    private func configuration(_ netrc: String, isKnown: Bool = true) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: try TestCertificates.shared().authority)
        configuration.netrc = try Netrc(parsing: netrc)
        let known = StrictTransportSecurity()
        if isKnown { known.add(.init("localhost")) }
        configuration.strictTransportSecurity = known
        return configuration
    }

    @Test(arguments: [true, false])
    func `nothing goes in the clear behind https, though the task was made for http`(isKnown: Bool) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { open in
            try await FaultServer.run(Self.redirect(to: open.baseURL + "/end"), options: try tls()) { secure in
                let middle = "https://localhost:\(secure.port)/"
                try await FaultServer.run(Self.redirect(to: middle)) { first in
                    var configuration = try configuration(
                        "machine 127.0.0.1 login ada password secret",
                        isKnown: isKnown
                    )
                    configuration.netrc?.isPreemptive = true
                    try await withSession(configuration) { session in
                        let url = isKnown ? "http://localhost:\(secure.port)/" : first.baseURL + "/"
                        let response = try await session.data(for: try Request(to: url))
                        #expect(response.status.code == 200 && response.url.path() == "/end")
                    }
                    #expect(secure.requests.count == 1 && first.requests.count == (isKnown ? 0 : 1))
                    #expect(first.requests.allSatisfy { $0.value(of: "Authorization") != nil })
                    #expect(open.requests.map { $0.value(of: "Authorization") } == [nil])
                }
            }
        }
    }

    @Test func `what is for every host goes to the one of the task when it is reached by https only`() async throws {
        try await FaultServer.run(ChallengeTests.basic, options: try tls()) { server in
            try await withSession(try configuration("default login ada password secret")) { session in
                let request = try Request(to: "http://localhost:\(server.port)/private/x")
                #expect(try await session.data(for: request).status.code == 200)
            }
            #expect(server.requests.map { $0.value(of: "Authorization") != nil } == [false, true])
        }
    }
}
