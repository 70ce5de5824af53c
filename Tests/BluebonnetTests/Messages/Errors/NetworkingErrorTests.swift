import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct NetworkingErrorTests {
    private typealias Code = NetworkingError.Code

    // MARK: Codes

    @Test func `every error code has its own name in kebab-case`() {
        let names = Code.all.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 40)
        for name in names {
            let isKebab = name.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "-") }
            #expect(isKebab && !name.hasPrefix("-") && !name.hasSuffix("-") && !name.contains("--"), "\(name)")
        }
    }

    @Test func `an error code is found by its name`() {
        for code in Code.all {
            #expect(Code(rawValue: code.rawValue) == code)
            #expect(code.description == code.rawValue)
        }
        #expect(Code(rawValue: "no-such-code") == nil)
        #expect(Code(rawValue: "connectionLost") == nil)
    }

    private static let timeouts: Set<NetworkingError.Code> = [
        .dnsLookupTimeout, .waitingTimeout, .connectTimeout, .firstByteTimeout, .betweenBytesTimeout,
        .requestTimeout, .proxyTimeout, .webSocketPingTimeout,
    ]

    @Test func `exactly the timeout codes are timeouts`() {
        for code in Code.all {
            #expect(NetworkingError(code, "").isTimeout == Self.timeouts.contains(code))
            #expect(NetworkingError(code, "").isCancelled == (code == .cancelled))
        }
    }

    // MARK: The numbers of AFNetworking

    private static let url = "NSURLErrorDomain"
    private static let requestDomain = "com.alamofire.error.serialization.request"
    private static let responseDomain = "com.alamofire.error.serialization.response"

    private static let numbers: [(NetworkingError.Code, String, Int)] = [
        (.cancelled, url, -999),
        (.invalidURL, url, -1000),
        (.dnsLookupTimeout, url, -1001),
        (.waitingTimeout, url, -1001),
        (.connectTimeout, url, -1001),
        (.firstByteTimeout, url, -1001),
        (.betweenBytesTimeout, url, -1001),
        (.requestTimeout, url, -1001),
        (.unsupportedScheme, url, -1002),
        (.dnsLookupFailed, url, -1003),
        (.connectFailed, url, -1004),
        (.connectionLost, url, -1005),
        (.truncatedResponse, url, -1005),
        (.tooManyRedirects, url, -1007),
        (.malformedStatusLine, url, -1011),
        (.contentDecodingFailed, url, -1015),
        (.bodyTooLarge, url, -1103),
        (.tlsFailed, url, -1200),
        (.certificateExpired, url, -1201),
        (.certificateUntrusted, url, -1202),
        (.certificateHostMismatch, url, -1202),
        (.certificateNotYetValid, url, -1204),
        (.requestSerializationFailed, requestDomain, -1016),
        (.unacceptableStatusCode, responseDomain, -1011),
        (.unacceptableContentType, responseDomain, -1016),
        (.responseSerializationFailed, responseDomain, -1016),
    ]

    @Test(arguments: numbers)
    func `an error code has AFNetworking's domain and number`(code: NetworkingError.Code, domain: String, number: Int) {
        let error = NetworkingError(code, "")
        #expect(error.domain == domain)
        #expect(error.number == number)
    }

    @Test func `every error number is negative`() {
        #expect(Code.all.allSatisfy { NetworkingError($0, "").number < 0 })
    }

    @Test func `a body that no parser can read has Foundation's domain and number`() throws {
        let json = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: Data("{".utf8)) }
        let list = try #require(throws: PropertyListParsingError.self) {
            try PropertyListValue(parsing: Data("x".utf8))
        }
        let decoding = try #require(throws: DecodingError.self) {
            try JSONBodyDecoder().decode([Int].self, from: Data("[".utf8))
        }
        for cause in [json, list, decoding] as [any Error] {
            let error = NetworkingError(.responseSerializationFailed, "", underlying: cause)
            #expect(error.domain == "NSCocoaErrorDomain" && error.number == 3840, "\(cause)")
            // The same error below another one says nothing about that one.
            let other = NetworkingError(.responseRefused, "", underlying: cause)
            #expect(other.domain == Self.responseDomain && other.number == -1011)
        }
    }

    @Test func `a body that is parsed but not of the type has the domain of response serialization`() throws {
        let cause = try #require(throws: DecodingError.self) {
            try JSONBodyDecoder().decode([Int].self, from: Data("{}".utf8))
        }
        let error = NetworkingError(.responseSerializationFailed, "", underlying: cause)
        #expect(error.domain == Self.responseDomain && error.number == -1016)
    }

    @Test func `an error keeps the domain of its fault until it gets another code`() throws {
        let cause = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: Data("{".utf8)) }
        var error = NetworkingError(.responseSerializationFailed, "", underlying: cause)
        error.underlying = NetworkingError(.unacceptableStatusCode, "")
        #expect(error.number == 3840)
        error.code = .responseSerializationFailed
        #expect(error.domain == Self.responseDomain && error.number == -1016)
    }

    @Test func `only errors of request serialization and of files have a failure reason`() {
        for code in Code.all {
            let error = NetworkingError(code, "It failed.")
            #expect(error.failureReason == (code == .requestSerializationFailed ? "It failed." : nil), "\(code)")
        }
        let error = NetworkingError(unusableFile: "File URL not reachable.", "There is no file.")
        #expect(error.code == .requestBodyFailed && error.failureReason == "File URL not reachable.")
        #expect(error.domain == Self.requestDomain && error.number == -1000)
    }

    @Test func `Foundation gets the domain and number of an error`() {
        for code in Code.all {
            let error: any Error = NetworkingError(code, "")
            #expect(error._domain == NetworkingError(code, "").domain && error._code == code.number)
        }
    }

    // MARK: Chains

    @Test func `an error code is found anywhere in the chain of errors`() {
        let inner = NetworkingError(.unacceptableContentType, "inner")
        let middle = NetworkingError(.unacceptableStatusCode, "middle", underlying: inner)
        let outer = NetworkingError(.responseSerializationFailed, "outer", underlying: middle)
        #expect(outer.contains(.responseSerializationFailed))
        #expect(outer.contains(.unacceptableStatusCode))
        #expect(outer.contains(.unacceptableContentType))
        #expect(!outer.contains(.cancelled))
        #expect(!inner.contains(.unacceptableStatusCode))
    }

    @Test func `the description of an error has the code, the sentence and the chain`() {
        let inner = NetworkingError(.connectionLost, "It broke.")
        let outer = NetworkingError(.interceptorFailed, "It failed.", underlying: inner)
        #expect(inner.description == "connection-lost: It broke.")
        #expect(outer.description == "interceptor-failed: It failed. (connection-lost: It broke.)")
        #expect(outer.errorDescription == "It failed.")
    }

    @Test func `the description of an error names the reason of a failed system call, and only once`() {
        let reset = IOError(errnoCode: 104, reason: "connection reset (error set)")
        let reason = CInt(104).reason
        let error = NetworkingError(.connectionLost, "The connection was lost.", underlying: reset)
        #expect(error.description == "connection-lost: The connection was lost. (\(reason))")
        let repeated = NetworkingError(.connectFailed, "It could not be reached: \(reason)", underlying: reset)
        #expect(repeated.description == "connect-failed: It could not be reached: \(reason)")
    }

    @Test func `errors are equal when their codes are equal`() {
        #expect(NetworkingError(.cancelled, "a") == NetworkingError(.cancelled, "b"))
        #expect(NetworkingError(.cancelled, "a") != NetworkingError(.connectionLost, "a"))
    }

    // MARK: Filling in

    @Test func `completing an error keeps what it knows`() throws {
        let first = try Request(to: "http://first.example/")
        let second = try Request(to: "http://second.example/")
        let head = ResponseHead(status: .notFound)
        let error = NetworkingError(.connectionLost, "", request: first)
            .completed(request: second, response: head, body: Data("x".utf8))
        #expect(error.request?.url == first.url)
        #expect(error.response == head)
        #expect(error.bodyString == "x")
        let again = error.completed(request: second, response: ResponseHead(status: .ok), body: Data("y".utf8))
        #expect(again.response == head)
        #expect(again.bodyString == "x")
    }

    @Test func `the body string of an error is nil when it is not UTF-8`() {
        #expect(NetworkingError(.cancelled, "", body: Data([0xFF])).bodyString == nil)
        #expect(NetworkingError(.cancelled, "").bodyString == nil)
    }

    @Test func `every thrown error becomes a NetworkingError`() {
        struct Other: Error {}
        let known = NetworkingError(.connectionLost, "It broke.")
        #expect(NetworkingError.wrapping(known).message == "It broke.")
        #expect(NetworkingError.wrapping(CancellationError()).code == .cancelled)
        let other = NetworkingError.wrapping(Other())
        #expect(other.code == .interceptorFailed)
        #expect(other.underlying is Other)
    }

    // MARK: Bodies

    private struct Problem: Decodable, Equatable { var title: String }

    @Test func `the parsed body of an error is returned as its type`() {
        var error = NetworkingError(.unacceptableStatusCode, "")
        #expect(error.parsedBody(as: JSONValue.self) == nil)
        error.parsedBody = ["title": "x"] as JSONValue
        #expect(error.parsedBody(as: JSONValue.self)?["title"] == "x")
        #expect(error.parsedBody() as String? == nil)
    }

    @Test func `the body of an error is decoded as a given type`() {
        let body = Data(#"{"title": "x"}"#.utf8)
        let error = NetworkingError(.unacceptableStatusCode, "", body: body)
        #expect(error.decodedBody() == Problem(title: "x"))
        #expect(error.decodedBody(as: [Int].self) == nil)
        #expect(NetworkingError(.unacceptableStatusCode, "").decodedBody(as: Problem.self) == nil)
        let list = Data("<plist><dict><key>title</key><string>x</string></dict></plist>".utf8)
        let other = NetworkingError(.unacceptableStatusCode, "", response: ResponseHead(status: .notFound), body: list)
        #expect(other.decodedBody(as: Problem.self, decoder: PropertyListBodyDecoder()) == Problem(title: "x"))
    }

    @Test func `every error code has a family`() {
        let families = Set(Code.all.map(\.family))
        #expect(
            families == [
                .request, .transport, .timeout, .trust, .authentication, .framing, .limit, .validation, .ended,
            ]
        )
        #expect(Code.responseRefused.family == .validation)
        #expect(Code.connectTimeout.family.description == "timeout")
    }
}
