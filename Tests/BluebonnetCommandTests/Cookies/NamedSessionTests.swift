import Bluebonnet
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCommand

/// Cookies and headers that are kept by name.
struct NamedSessionTests {
    private func session(_ name: String = "ada", in directory: URL) throws -> NamedSession {
        try NamedSession(name, environment: ["XDG_CONFIG_HOME": directory.path, "HOME": "/nowhere"])
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a b", "ä", "a\n", String(repeating: "a", count: 101)])
    func `a name that could lead elsewhere is refused`(_ name: String) {
        #expect(throws: CommandFailure.self) { try NamedSession(name, environment: ["HOME": "/home/ada"]) }
    }

    @Test func `the folder is that of the user's configurations`() throws {
        let file = try NamedSession("a", environment: ["HOME": "/home/ada", "XDG_CONFIG_HOME": "x"]).cookieFile
        #expect(file.path == "/home/ada/.config/bluebonnet/sessions/a/cookies.txt")
        #expect(throws: CommandFailure.self) { try NamedSession("a", environment: ["HOME": ""]) }
    }

    @Test func `headers are kept for their origin`() async throws {
        try await withDirectory { directory in
            let named = try session(in: directory)
            _ = try named.jar()
            let server = try url("https://Example.com/a?b")
            #expect(try named.items(for: server, besides: [], hasCredentials: false).isEmpty)
            try named.keep(
                [.accept: "x", .authorization: "Bearer t", .contentType: "y", .ifMatch: "z", .range: "bytes=0-"],
                for: server
            )
            let again = try session(in: directory)
            #expect(
                try again.items(for: url("https://example.com:443/"), besides: [], hasCredentials: false) == [
                    .header(name: "Accept", value: .text("x")),
                    .header(name: "Authorization", value: .text("Bearer t")),
                ]
            )
            for other in ["http://example.com/", "https://example.com:8443/", "https://example.org/"] {
                #expect(try again.items(for: url(other), besides: [], hasCredentials: false).isEmpty)
            }
            let items = [RequestItem.unsetHeader(name: "ACCEPT")]
            #expect(try again.items(for: server, besides: items, hasCredentials: true).isEmpty)
            try again.keep([:], for: server)
            #expect(try named.items(for: server, besides: [], hasCredentials: false).isEmpty)
        }
    }

    @Test func `the files are for their owner alone`() async throws {
        try await withDirectory { directory in
            let named = try session(in: directory)
            let jar = try named.jar()
            jar.set(Cookie(name: "a", value: "b", domain: "example.com"))
            try await jar.flush()
            try named.keep([.accept: "x"], for: url("https://example.com/"))
            let folder = named.cookieFile.deletingLastPathComponent()
            #expect(try names(in: folder) == ["cookies.txt", "headers.json"])
            for name in try names(in: folder) {
                let path = folder.appending(path: name).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
            }
        }
    }

    @Test func `a file of something else is an error`() async throws {
        try await withDirectory { directory in
            let named = try session(in: directory)
            _ = try named.jar()
            let file = named.cookieFile.deletingLastPathComponent().appending(path: "headers.json")
            // Another command is making it.
            try Data().write(to: file)
            #expect(
                try named.items(for: url("https://example.com/"), besides: [], hasCredentials: false).isEmpty
            )
            for text in ["[]", #"{"version": 2, "origins": {}}"#] {
                try text.write(to: file, atomically: true, encoding: .utf8)
                let failure = #expect(throws: CommandFailure.self) {
                    try named.items(for: url("https://example.com/"), besides: [], hasCredentials: false)
                }
                #expect(failure?.status == .usage)
            }
        }
    }
}
