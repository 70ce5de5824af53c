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

    @Test(arguments: ["/tmp/a", "./a", "../a", "~/a"])
    func `the path of a folder is a session as well`(_ path: String) throws {
        let file = try NamedSession(path, environment: ["HOME": "/home/ada"]).cookieFile
        let expected = path.replacing("~", with: "/home/ada") + "/cookies.txt"
        #expect(file.path == URL(filePath: expected).path)
    }

    @Test func `a session that is only read makes no folder`() async throws {
        try await withDirectory { directory in
            let named = try NamedSession("ada", isReadOnly: true, environment: ["XDG_CONFIG_HOME": directory.path])
            let jar = try named.jar()
            jar.set(Cookie(name: "a", value: "b", domain: "example.com"))
            try await jar.flush()
            try named.keep([.accept: "x"], for: url("https://example.com/"))
            #expect(try names(in: directory) == [])
        }
    }

    @Test func `a folder that cannot be made is an error with its reason`() async throws {
        try await withDirectory { directory in
            try Data().write(to: directory.appending(path: "bluebonnet"))
            let named = try session(in: directory)
            let failure = #expect(throws: CommandFailure.self) { try named.jar() }
            #expect(failure?.message.hasSuffix("Not a directory.") == true, "\(failure?.message ?? "")")
        }
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
            let file = named.cookieFile.deletingLastPathComponent().appending(path: "headers.json")
            #expect(try String(contentsOf: file, encoding: .utf8).contains("example") == false)
            #expect(try named.items(for: server, besides: [], hasCredentials: false).isEmpty)
        }
    }

    @Test func `the files and folders are for their owner alone`() async throws {
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
            for folder in ["bluebonnet", "bluebonnet/sessions", "bluebonnet/sessions/ada"] {
                let path = directory.appending(path: folder).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o700, "\(folder)")
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
            for text in ["[]", "{", #"{"version": 2, "origins": {}}"#] {
                try text.write(to: file, atomically: true, encoding: .utf8)
                let failure = #expect(throws: CommandFailure.self) {
                    try named.items(for: url("https://example.com/"), besides: [], hasCredentials: false)
                }
                #expect(failure?.status == .usage)
                #expect(failure?.message.hasSuffix(". Without that file the session begins anew.") == true)
                #expect(failure?.message.contains("..") == false)
            }
        }
    }
}
