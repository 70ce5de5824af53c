import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import bluebonnet

@Suite struct HeadTextTests {
    private let text = HeadText(paint: Paint(isOn: false))

    @Test func `a request is shown with what the engine adds`() throws {
        let url = try #require(URL(string: "http://example.org:8080/a%20b?c=d#e"))
        let request = Request(method: .post, url: url, headerFields: [.accept: "*/*"], body: .string("hello"))
        #expect(
            text.request(request) == [
                "POST /a%20b?c=d HTTP/1.1", "Host: example.org:8080", "Accept: */*", "Content-Length: 5",
            ]
        )
    }

    @Test func `a POST without a body says so`() throws {
        let url = try #require(URL(string: "http://example.org"))
        #expect(
            text.request(Request(method: .post, url: url)) == [
                "POST / HTTP/1.1", "Host: example.org", "Content-Length: 0",
            ]
        )
    }

    @Test func `a Host of the user is shown in its place, once`() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let host = try #require(HTTPField.Name("host"))
        let request = Request(url: url, headerFields: [.accept: "*/*", host: "example.org"])
        #expect(text.request(request) == ["GET / HTTP/1.1", "Host: example.org", "Accept: */*"])
    }

    @Test func `credentials can be left out`() throws {
        let url = try #require(URL(string: "http://example.org"))
        let text = HeadText(paint: Paint(isOn: false), hidesCredentials: true)
        let request = Request(url: url, headerFields: [.authorization: "Basic dTpw", .proxyAuthorization: "secret"])
        #expect(text.request(request).dropFirst(2) == ["Authorization: Basic ***", "Proxy-Authorization: ***"])
    }

    @Test func `a response is its status line and its fields`() {
        let head = ResponseHead(status: .notFound, headerFields: [.server: "x"])
        #expect(text.response(head) == ["HTTP/1.1 404 Not Found", "Server: x"])
    }

    @Test func `timings name what happened`() {
        var timings = Timings()
        timings.connect = .microseconds(310)
        timings.total = .milliseconds(1304)
        #expect(text.timings(timings) == "connect 0.31 ms, total 1304 ms (new connection)")
    }
}
