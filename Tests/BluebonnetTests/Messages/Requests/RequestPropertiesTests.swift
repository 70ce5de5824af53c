import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RequestPropertiesTests {
    private func serializers(_ properties: RequestProperties) -> [any RequestSerializer] {
        var http = HTTPRequestSerializer()
        var json = JSONRequestSerializer()
        var list = PropertyListRequestSerializer()
        http.properties = properties
        json.properties = properties
        list.properties = properties
        return [http, json, list]
    }

    @Test func `a request property that is not set changes nothing`() throws {
        for serializer in serializers(RequestProperties()) {
            let request = try serializer.serialize(Request(.post, to: "http://x/"), parameters: ["a": 1])
            #expect(request.properties == RequestProperties())
            #expect(request.timeouts == nil)
            #expect(request.headerFields[.priority] == nil)
            let session = ExchangeTimeouts(Timeouts())
            #expect(request.effectiveTimeouts(over: session) == session)
        }
    }

    @Test func `every serializer applies the request properties, with and without parameters`() throws {
        var properties = RequestProperties()
        properties.allowsExpensiveNetworkAccess = false
        properties.allowsCellularAccess = false
        properties.cachePolicy = .reload
        properties.handlesCookies = false
        properties.usesPipelining = true
        properties.priority = .background
        properties.timeoutInterval = .seconds(5)
        for serializer in serializers(properties) {
            for parameters in [[:], ["a": 1]] as [Parameters] {
                for method in [HTTPRequest.Method.get, .post] {
                    let request = try serializer.serialize(Request(method, to: "http://x/"), parameters: parameters)
                    #expect(request.properties == properties)
                    #expect(request.headerFields[.priority] == "u=7")
                }
            }
        }
    }

    @Test func `a request's own properties win over the serializer's`() throws {
        var serializer = HTTPRequestSerializer()
        serializer.properties.cachePolicy = .reload
        serializer.properties.handlesCookies = false
        serializer.properties.priority = .background
        var request = try Request(to: "http://x/")
        request.properties.cachePolicy = .forceCache
        request.headerFields[.priority] = "u=0"
        let serialized = try serializer.serialize(request)
        #expect(serialized.properties.cachePolicy == .forceCache)
        #expect(serialized.properties.handlesCookies == false)
        #expect(serialized.headerFields[.priority] == "u=0")
    }

    @Test func `the timeout interval sets the byte timeouts and limits the session's connect timeout`() throws {
        var configuration = SessionConfiguration()
        configuration.timeouts = Timeouts(connect: .seconds(3), request: .seconds(100))
        var request = try Request(to: "http://x/")
        request.properties.timeoutInterval = .seconds(5)
        let session = ExchangeTimeouts(configuration.timeouts)
        let timeouts = request.effectiveTimeouts(over: session)
        #expect(timeouts.firstByte.duration == .seconds(5) && timeouts.betweenBytes.duration == .seconds(5))
        #expect(timeouts.connect.duration == .seconds(3) && timeouts.request.duration == .seconds(100))
        request.properties.timeoutInterval = .seconds(2)
        #expect(request.effectiveTimeouts(over: session).connect.duration == .seconds(2))
        request.properties.timeoutInterval = .zero
        #expect(request.effectiveTimeouts(over: session) == session)
        request.timeouts = Timeouts(firstByte: .seconds(9))
        #expect(request.effectiveTimeouts(over: session).firstByte.duration == .seconds(9))
    }

    @Test(arguments: [
        (RequestPriority.normal, ""), (.responsive, "u=1"),
        (RequestPriority(urgency: 99, isIncremental: true), "u=7, i"),
        (RequestPriority(urgency: -1), "u=0"), (RequestPriority(isIncremental: true), "i"),
    ])
    func `a request priority is written as RFC 9218 says`(priority: RequestPriority, text: String) {
        #expect(priority.description == text)
    }

    @Test func `every setting can be changed behind any serializer`() throws {
        for serializer in serializers(RequestProperties()) {
            var serializer = serializer
            serializer.timeoutInterval = .seconds(20)
            serializer.cachePolicy = .reload
            serializer.priority = .responsive
            serializer.handlesCookies = false
            serializer.allowsExpensiveNetworkAccess = false
            serializer.allowsCellularAccess = false
            serializer.usesPipelining = true
            serializer.methodsEncodingParametersInURI.insert(.post)
            serializer.parameterEncoding = .custom { _, parameters in "n=\(parameters["a"]?.int ?? 0)" }
            serializer.headerFields[.accept] = "a/b"
            try serializer.setAuthorization(bearerToken: "t")
            let request = try serializer.serialize(Request(.post, to: "http://x/"), parameters: ["a": 1])
            #expect(request.url.absoluteString == "http://x/?n=1" && request.body == nil)
            #expect(request.headerFields[.accept] == "a/b" && request.headerFields[.authorization] == "Bearer t")
            #expect(request.headerFields[.priority] == "u=1")
            var expected = RequestProperties()
            expected.timeoutInterval = .seconds(20)
            expected.cachePolicy = .reload
            expected.priority = .responsive
            expected.handlesCookies = false
            expected.allowsExpensiveNetworkAccess = false
            expected.allowsCellularAccess = false
            expected.usesPipelining = true
            #expect(request.properties == expected && serializer.properties == expected)
            serializer.parameterDestination = .httpBody
            #expect(try serializer.serialize(Request(to: "http://x/"), parameters: ["a": 1]).body != nil)
        }
        var form: any RequestSerializer = HTTPRequestSerializer()
        form.stringEncoding = .latin1
        let request = try form.serialize(Request(.post, to: "http://x/"), parameters: ["a": "ü"])
        #expect(request.body?.data == Data("a=%FC".utf8))
    }

    /// A serializer as users write them.
    private struct Own: RequestSerializer {
        var settings = RequestSerializerSettings()

        func serialize(
            _ request: consuming Request,
            parameters: Parameters,
            to destination: ParameterDestination
        ) throws(NetworkingError) -> Request {
            var request = request
            applyDefaults(to: &request)
            if !parameters.isEmpty { request.body = .string("own") }
            return request
        }
    }

    @Test func `a serializer of one's own has the common settings`() throws {
        var api = HTTPSessionManager(baseURL: "http://x/")
        api.requestSerializer = Own()
        api.requestSerializer.timeoutInterval = .seconds(7)
        api.requestSerializer.headerFields[.accept] = "a/b"
        let request = try api.request(.post, "a", parameters: ["b": 1])
        #expect(request.timeoutInterval == .seconds(7) && request.headerFields[.accept] == "a/b")
        #expect(request.body?.data == Data("own".utf8))
    }

    // MARK: Header fields by name

    @Test func `header names are case-insensitive, and nil removes a field`() throws {
        var serializer = HTTPRequestSerializer()
        try serializer.setValue("1", forHeaderField: "X-Api-Key")
        try serializer.setValue("2", forHeaderField: "x-api-key")
        #expect(serializer.value(forHeaderField: "X-API-KEY") == "2")
        let name = try #require(HTTPField.Name("X-Api-Key"))
        #expect(serializer.headerFields[values: name] == ["2"])
        try serializer.setValue(nil, forHeaderField: "X-API-Key")
        #expect(serializer.value(forHeaderField: "X-Api-Key") == nil)
    }

    @Test(arguments: [("a b", "1"), ("", "1"), ("X", "1\r\nY: 2"), ("X", "\u{0}")])
    func `an invalid header name or value is refused`(name: String, value: String) {
        var serializer = HTTPRequestSerializer()
        let before = serializer.headerFields
        let error = #expect(throws: NetworkingError.self) { try serializer.setValue(value, forHeaderField: name) }
        #expect(error?.code == .invalidRequest)
        #expect(serializer.headerFields == before)
    }

    @Test func `an authorization token is quoted`() throws {
        var serializer = HTTPRequestSerializer()
        try serializer.setAuthorization(token: #"a"b\c"#)
        #expect(serializer.headerFields[.authorization] == #"Token token="a\"b\\c""#)
        serializer.clearAuthorization()
        #expect(serializer.headerFields[.authorization] == nil)
    }

    @Test func `a thousand tasks change the headers of their own copies of one manager`() async throws {
        var manager = HTTPSessionManager(baseURL: "http://x/")
        try manager.requestSerializer.setValue("common", forHeaderField: "X-Common")
        let shared = manager
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    var copy = shared
                    try? copy.requestSerializer.setValue("\(index)", forHeaderField: "X-Own")
                    await Task.yield()
                    return copy.requestSerializer.value(forHeaderField: "x-own") == "\(index)"
                        && copy.requestSerializer.value(forHeaderField: "x-common") == "common"
                        && shared.requestSerializer.value(forHeaderField: "x-own") == nil
                }
            }
            for await isOwn in group { #expect(isOwn) }
        }
    }
}
