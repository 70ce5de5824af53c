import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RequestTests {
    @Test func `a request is a GET without a body by default`() throws {
        let request = try Request(to: "http://example.com/")
        #expect(request.method == .get)
        #expect(request.headerFields.isEmpty)
        #expect(request.body == nil)
        #expect(request.timeouts == nil)
        #expect(request.redirectPolicy == nil)
    }

    @Test func `what is printed of requests, headers, serializers and settings shows no values`() throws {
        let secret = "hunter2"
        let url = "http://ada:\(secret)@x/a?key=\(secret)#\(secret)"
        var request = try Request(to: url, headerFields: [.authorization: secret], body: .string(secret))
        request.headerFields[.accept] = "text/plain"
        var serializer = HTTPRequestSerializer()
        try serializer.setAuthorization(bearerToken: secret)
        var appended = RequestHeaders([.cookie: secret])
        appended.append(secret, for: .authorization)
        var configuration = SessionConfiguration()
        configuration.additionalHeaderFields[.authorization] = secret
        var json = JSONRequestSerializer()
        json.settings = serializer.settings
        let values: [Any] = [
            request, serializer, serializer.settings, json, appended,
            RequestHeaders.authorization(bearerToken: secret), configuration, BaseURL("http://ada:\(secret)@x/"),
            ResponseHead(status: .ok, headerFields: [.setCookie: secret]),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret), "\(text)") }
        }
        var dumped = ""
        dump(request, to: &dumped)
        #expect(dumped.contains("[Authorization, Accept]") && "\(serializer)".contains("Authorization"))
        #expect("\(appended)" == "[Cookie, Authorization]")
    }

    private static let descriptions: [(String, String)] = [
        ("http://x/a", "GET http://x/a"),
        ("http://x/a?token=secret&b=1&c", "GET http://x/a?token=…&b=…&c"),
        ("http://ada:secret@x:81/a", "GET http://x:81/a"),
        ("http://x/a#secret", "GET http://x/a"),
    ]

    @Test(arguments: descriptions)
    func `the description of a request has neither credentials nor values`(url: String, expected: String) throws {
        let request = try Request(to: url)
        #expect(request.description == expected)
    }

    @Test func `a request body in memory knows its length and can be sent again`() {
        let text = RequestBody.string("grün")
        #expect(text.length == 5)
        #expect(text.isReplayable)
        #expect(text.data == Data("grün".utf8))
        let bytes = RequestBody.data(Data([1, 2, 3]))
        #expect(bytes.length == 3)
        #expect(bytes.data == Data([1, 2, 3]))
    }

    @Test func `a sequence as request body can be sent once, and one that is made anew as often as needed`() {
        let pieces = AsyncStream<[UInt8]> { $0.finish() }
        let once = RequestBody.stream(pieces)
        #expect(once.length == nil)
        #expect(!once.isReplayable)
        #expect(once.data == nil)
        let often = RequestBody.stream(length: 0) { AsyncStream<[UInt8]> { $0.finish() } }
        #expect(often.length == 0)
        #expect(often.isReplayable)
    }

    @Test func `a file as request body knows its length and can be sent again`() throws {
        let name = "bluebonnet-\(UUID().uuidString)"
        let file = FileManager.default.temporaryDirectory.appending(path: name)
        try Data(repeating: 7, count: 1000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try RequestBody.file(file)
        #expect(body.length == 1000)
        #expect(body.isReplayable)
        #expect(body.data == nil)
    }
}
