import Foundation
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ServeProcessTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `serve prints its URL, responds, and exits with status 0 after a signal`(signal: Int32) async throws {
        let server = try Conversation("serve")
        let url = try #require(await server.read())
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try await Command.run("get", url + "/get").status == 0)
        #expect(await server.end(with: signal) == 0)
    }

    @Test func `serve listens on a Unix-domain socket, and its URL says so`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s\(UInt32.random(in: 0 ... .max))").path
        let server = try Conversation("serve", "--unix", path)
        let url = try #require(await server.read())
        #expect(url.hasPrefix("http+unix://%2F"))
        #expect(try await Command.run("get", url + "get").status == 0)
        #expect(await server.end(with: SIGTERM) == 0)
    }

    @Test func `serve with --tls responds over TLS`() async throws {
        let server = try Conversation("serve", "--tls")
        let url = try #require(await server.read())
        #expect(url.hasPrefix("https://localhost:"))
        #expect(try await Command.run("get", url + "/get", "--insecure").status == 0)
        #expect(await server.end(with: SIGTERM) == 0)
    }
}
