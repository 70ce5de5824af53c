import Bluebonnet
import FoundationEssentials
import HTTPTypes
import LocalServer

/// Responses: redirects, content coding, streams and files.
extension DemoStep {
    static let redirects = DemoStep(
        title: "Redirects are followed, and counted",
        code: #"try await api.response(.get, "redirect/3", as: .json).redirects"#
    ) { stage in
        let response = try await stage.api.response(.get, "redirect/3", as: .json)
        try DemoFailure.unless(response.redirects.count == 3, expected: "3 redirects", got: response.redirects)
        return "3 redirects, the last one to \(response.url)"
    }

    static let gzip = DemoStep(
        title: "Content coding is undone; the header field names the one that was sent",
        code: #"try await api.response(.get, "gzip", as: .json)"#
    ) { stage in
        let response = try await stage.api.response(.get, "gzip", as: .json)
        let coding = response.headerFields[.contentEncoding]
        try DemoFailure.unless(response.value["gzipped"] == true, expected: "gzipped: true", got: response.value)
        try DemoFailure.unless(coding == "gzip", expected: "Content-Encoding: gzip", got: coding)
        return "Content-Encoding: gzip, \(response.body.count) bytes of JSON"
    }

    static let lines = DemoStep(
        title: "A stream, line by line as it comes",
        code: #"for try await line in try await session.open(request).body.lines { … }"#
    ) { stage in
        var ids: [Int?] = []
        for try await line in try await stage.session.open(Request(url: stage.url("/stream/20"))).body.lines {
            ids.append(try JSONValue(parsing: line)["id"]?.int)
        }
        try DemoFailure.unless(ids == Array(0..<20), expected: "the ids 0 to 19", got: ids)
        return "20 lines, ids 0 to 19"
    }

    static let backPressure = DemoStep(
        title: "Back-pressure: a client that does not read slows the server down",
        code: #"var pieces = try await session.open(endless).body.makeAsyncIterator(); _ = try await pieces.next()"#
    ) { stage in
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        return try await FaultServer.run([.readRequest, .send(head), .fill(UInt8(ascii: "x"), count: .max)]) { server in
            let response = try await stage.session.open(Request(url: DemoStage.url(server.baseURL + "/endless")))
            var pieces = response.body.makeAsyncIterator()
            _ = try await pieces.next()
            let sent = try await standstill { server.record.connections[0].bytesSent }
            try DemoFailure.unless(sent < 64 << 20, expected: "less than 64 MB", got: sent)
            return "an endless body: the server sent \(sent >> 10) KB, and now waits"
        }
    }

    /// The first value of a count that does not change for a quarter of a second.
    private static func standstill(_ count: () -> Int) async throws -> Int {
        var last = -1
        for _ in 0..<40 {
            let now = count()
            if now == last { return now }
            last = now
            try await Task.sleep(for: .milliseconds(250))
        }
        throw DemoFailure(description: "expected the server to be slowed down, and it went on sending: \(last) bytes")
    }

    static let download = DemoStep(
        title: "A download is written to a file, never collected in memory",
        code: #"try await session.download(request, to: file)"#
    ) { stage in
        let directory = FileManager.default.temporaryDirectory
        let file = directory.appending(path: "bluebonnet-demo-\(UInt32.random(in: .min ... .max)).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        let request = Request(url: try stage.url("/bytes/8388608?seed=1"))
        let saved = try await stage.session.download(request, to: file)
        let size = try Data(contentsOf: saved).count
        try DemoFailure.unless(size == 8_388_608, expected: "8388608 bytes", got: size)
        return "\(size) bytes in \(saved.path(percentEncoded: false))"
    }
}
