import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct BatchResultTests {
    private func json(_ body: BatchResult.Body) throws -> JSONValue {
        try JSONValue(parsing: try result(body).line())
    }

    private func result(_ body: BatchResult.Body) throws -> BatchResult {
        let head = ResponseHead(
            status: .ok,
            headerFields: HTTPFields([
                try #require(HTTPField(name: .setCookie, latin1Value: "a=\u{E9}")),
                HTTPField(name: .setCookie, value: "b"),
            ])
        )
        var timings = Timings()
        timings.connect = .microseconds(1500)
        timings.total = .seconds(2)
        timings.isConnectionReused = true
        return BatchResult(
            id: #"{"k":1}"#,
            outcome: .response(
                BatchResult.Received(
                    head: head,
                    url: try #require(URL(string: "http://a/b")),
                    body: body,
                    trailers: [.eTag: "x"],
                    informational: [ResponseHead(status: HTTPResponse.Status(code: 103), headerFields: [.server: "s"])],
                    redirects: [try #require(URL(string: "http://a/b"))],
                    retries: 1,
                    timings: timings
                )
            )
        )
    }

    @Test func `a batch result of a response has all its members in the documented order`() throws {
        let line = String(decoding: try result(.inline(Data("h\"é".utf8))).line(), as: UTF8.self)
        #expect(
            line == """
                {"id":{"k":1},"status":200,"reason":"OK","httpVersion":"1.1","url":"http://a/b",\
                "headers":[["Set-Cookie","a=\u{E9}"],["Set-Cookie","b"]],"body":"h\\"é","bytes":4,\
                "trailers":[["ETag","x"]],"interim":[[103,[["Server","s"]]]],"fromCache":false,\
                "redirects":["http://a/b"],"retries":1,"timings":{"queue":0.0,"dns":0.0,"connect":0.0015,\
                "proxy":0.0,"tls":0.0,"firstByte":0.0,"total":2.0,"reused":true}}

                """
        )
    }

    @Test func `a body that is not UTF-8 is Base64 in a batch result`() throws {
        let json = try json(.inline(Data([0xFF, 0])))
        #expect(json["body"] == nil)
        #expect(json["bodyBase64"] == "/wA=")
        #expect(json["bytes"] == 2)
    }

    @Test func `an empty body is an empty text in a batch result`() throws {
        let json = try json(.inline(Data()))
        #expect(json["body"] == "")
        #expect(json["bytes"] == 0)
    }

    @Test func `a batch result has the length of a body in a file, but not the body`() throws {
        let json = try json(.written(bytes: 5))
        #expect(json["body"] == nil)
        #expect(json["bodyBase64"] == nil)
        #expect(json["bytes"] == 5)
    }

    @Test func `a batch result is one line whatever it contains`() throws {
        let line = try result(.inline(Data("a\nb\r\u{2028}".utf8))).line()
        #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        #expect(line.last == UInt8(ascii: "\n"))
    }

    @Test(arguments: [nil, 200])
    func `a batch result of an error has its code, and the status when there was one`(status: Int?) {
        let result = BatchResult(
            id: "8",
            outcome: .error(BatchError(code: "connection-lost", message: "m"), status: status)
        )
        let suffix = status.map { ",\"status\":\($0)" } ?? ""
        let expected = #"{"id":8,"error":{"code":"connection-lost","message":"m"}"# + suffix + "}\n"
        #expect(String(decoding: result.line(), as: UTF8.self) == expected)
        #expect(result.isError)
    }
}
