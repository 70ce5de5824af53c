import Bluebonnet
import Foundation
import Testing

/// The system's lookup of names with a name server that sends nothing.
@Suite(.needsNamespaces, .timeLimit(.minutes(1))) struct SilentNameServerTests {
    @Test func `a silent name server has an error of its own, and delays no other request`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        // The other end forwards nothing, and does not say so.
        try await namespace.ip("route add default via 10.9.0.2")
        try namespace.replace("resolv.conf", with: "nameserver 198.51.100.53\n")
        try namespace.replace("hosts", with: "127.0.0.1 good.test\n")
        let server = try NamespaceProcess(namespace.process(["serve", "--port", "0"]))
        var address = ""
        while !address.contains("\n") {
            let more = await server.nextText()
            try #require(!more.isEmpty, "the server has ended")
            address += more
        }
        let port = try #require(address.firstMatch(of: /:([0-9]+)/)?.1)
        try await withDirectory { folder in
            let file = folder.appending(path: "lines")
            let places = ["silent.test", "mute.test", "good.test:\(port)/get"]
            let lines = places.map { #"{"id":"\#($0)","url":"http://\#($0)"}"# }
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let arguments = ["batch", file.path(percentEncoded: false), "--connect-timeout", "2"]
            let batch = try NamespaceProcess(namespace.process(arguments))
            var text = ""
            while case let more = await batch.nextText(), !more.isEmpty { text += more }
            let results = try text.split(separator: "\n").map { try JSONValue(parsing: $0) }
            try #require(results.count == 3)
            // Results come in the order in which requests finish.
            #expect(results[0]["id"]?.string?.hasPrefix("good.test") == true)
            #expect(results[0]["status"] == 200)
            #expect(results.dropFirst().allSatisfy { $0["error"]?["code"] == "dns-lookup-timeout" }, "\(text)")
        }
        withExtendedLifetime(server) {}
    }
}
