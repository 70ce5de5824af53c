import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ParameterEncodingTests {
    private struct Unwilling: Error, CustomStringConvertible {
        let description = "no such parameters"
    }

    private func serializer(_ encoding: ParameterEncoding) -> HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        serializer.parameterEncoding = encoding
        return serializer
    }

    @Test func `a parameter-encoding closure writes queries and bodies, and sees the request`() throws {
        let serializer = serializer(
            .custom { request, parameters in
                "\(request.method.rawValue)=\(parameters["a"]?.int ?? 0)"
            }
        )
        let got = try serializer.serialize(Request(to: "http://x/?q=1#top"), parameters: ["a": 1])
        #expect(got.url.absoluteString == "http://x/?q=1&GET=1#top")
        let posted = try serializer.serialize(Request(.post, to: "http://x/"), parameters: ["a": 2])
        #expect(posted.body?.data == Data("POST=2".utf8))
        let encoded = try serializer.serialize(Request(.post, to: "http://x/"), parameters: Parameters(["a": 3]))
        #expect(encoded.body?.data == Data("POST=3".utf8))
    }

    @Test func `a parameter-encoding closure is not called without parameters`() throws {
        let calls = Mutex(0)
        let serializer = serializer(
            .custom { _, _ in
                calls.withLock { $0 += 1 }
                return "a=1"
            }
        )
        let request = try serializer.serialize(Request(.post, to: "http://x/"))
        #expect(request.body == nil)
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `an error thrown by a parameter-encoding closure fails the request before the network`() async throws {
        var api = HTTPSessionManager(baseURL: "http://127.0.0.1:1/")
        api.requestSerializer = serializer(.custom { _, _ in throw Unwilling() })
        let error = await #expect(throws: NetworkingError.self) {
            _ = try await api.get("a", parameters: ["a": 1], as: .json)
        }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.underlying is Unwilling)
        #expect(error?.message.contains("no such parameters") == true)
        #expect(error?.request != nil)
    }

    @Test func `parameters can be put into the query or into the body for all methods`() throws {
        var serializer = HTTPRequestSerializer()
        serializer.parameterDestination = .queryString
        let posted = try serializer.serialize(Request(.post, to: "http://x/a"), parameters: ["b": 1])
        #expect(posted.url.absoluteString == "http://x/a?b=1")
        #expect(posted.body == nil)
        serializer.parameterDestination = .httpBody
        let got = try serializer.serialize(Request(.delete, to: "http://x/a"), parameters: ["b": 1])
        #expect(got.url.absoluteString == "http://x/a")
        #expect(got.body?.data == Data("b=1".utf8))
        #expect(got.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }
}
