import Bluebonnet
import Foundation
import Testing

/// The entries of `.netrc` files.
struct NetrcTests {
    @Test func `machines and the default have their passwords`() throws {
        let netrc = try Netrc(
            parsing: """
                # a comment
                machine example.com login ada password secret # another one
                machine API.example.com
                    login bob
                    account acc
                    password "pass \\"word\\" \\\\ #\\t"
                macdef init
                cd /tmp
                machine evil.example login x password y

                machine nopass.example login carl
                default login anonymous password me@example.com
                machine later.example login x password y
                """
        )
        let ada = netrc.credential(forHost: "EXAMPLE.com")
        #expect(ada?.user == "ada" && ada?.password == "secret")
        let bob = netrc.credential(forHost: "api.example.com")
        #expect(bob?.user == "bob" && bob?.password == "pass \"word\" \\ #\t")
        #expect(netrc.account(forHost: "api.example.com") == "acc")
        #expect(netrc.credential(forHost: "nopass.example") == nil)
        for host in ["evil.example", "later.example", "sub.example.com"] {
            #expect(netrc.credential(forHost: host)?.user == "anonymous")
        }
    }

    @Test func `the first entry of a host counts, or that of the user`() throws {
        let netrc = try Netrc(
            parsing: "machine h login a password 1\nmachine h login b password 2 machine h password 3"
        )
        #expect(netrc.credential(forHost: "h")?.password == "1")
        #expect(netrc.credential(forHost: "h", user: "b")?.password == "2")
        let other = netrc.credential(forHost: "h", user: "c")
        #expect(other?.user == "c" && other?.password == "3")
        #expect(netrc.credential(forHost: "other") == nil)
    }

    @Test func `names and passwords that are not UTF-8 are sent as they are in the file`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "netrc")
            // “ä” in ISO-8859-1.
            let text = Array("machine h login jX password \"pX\"".utf8).map { $0 == UInt8(ascii: "X") ? 0xE4 : $0 }
            try Data(text).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let found = try Netrc(contentsOf: file).credential(forHost: "h")
            #expect(found == Credential(user: [0x6A, 0xE4], password: [0x70, 0xE4]))
        }
    }

    @Test func `its passwords have its schemes`() throws {
        var netrc = try Netrc(parsing: "machine h login a password b")
        #expect(netrc.credential(forHost: "h")?.schemes == nil)
        netrc.schemes = [.digest]
        #expect(netrc.credential(forHost: "h")?.schemes == [.digest])
    }

    @Test func `nothing that shows it shows its passwords`() throws {
        var configuration = SessionConfiguration()
        configuration.netrc = try Netrc(parsing: "machine h login mallory password hunter2 account acc0unt")
        var shown = ["\(configuration)", String(reflecting: configuration), "\(configuration.netrc as Any)"]
        for value in [configuration, configuration.netrc as Any] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            shown.append(dumped)
        }
        for text in shown {
            #expect(!text.contains("mallory") && !text.contains("hunter2") && !text.contains("acc0unt"))
        }
    }

    @Test(arguments: [
        ("machine", "line 1"), ("machine h login", "line 1"), ("login a", "line 1"), ("machine h\nhunter2", "line 2"),
        ("machine h password \"hunter2", "line 1"), ("\n\nmacdef", "line 3"),
    ])
    func `a fault is told with its line and without a value`(text: String, place: String) throws {
        do {
            _ = try Netrc(parsing: text)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .storeFailed && error.message.contains(place))
            #expect(!error.message.contains("hunter2"))
        }
    }

    @Test func `a password may begin with the sign of a comment`() throws {
        let netrc = try Netrc(parsing: "machine h login #a password #b")
        #expect(netrc.credential(forHost: "h")?.user == "#a" && netrc.credential(forHost: "h")?.password == "#b")
    }

    @Test func `a file that others can read is refused, unless that is allowed`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "netrc")
            try Data("machine h login a password b".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(throws: NetworkingError(.storeFailed, "")) { try Netrc(contentsOf: file) }
            #expect(try Netrc(contentsOf: file, allowsOtherReaders: true).credential(forHost: "h")?.user == "a")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(try Netrc(contentsOf: file).credential(forHost: "h")?.user == "a")
            #expect(throws: NetworkingError(.storeFailed, "")) {
                try Netrc(contentsOf: folder.appending(path: "missing"))
            }
        }
    }
}
