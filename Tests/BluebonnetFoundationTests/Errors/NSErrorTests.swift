import Bluebonnet
import BluebonnetFoundation
import Foundation
import HTTPTypes
import Testing

/// `error as NSError` for errors that were made by hand.
struct NSErrorTests {
    private typealias Key = NetworkingError.UserInfoKey

    private static let secret = "hunter2"

    /// An error with everything that an error can have.
    private static func full(_ code: NetworkingError.Code = .unacceptableStatusCode) throws -> NetworkingError {
        var request = try Request(to: "http://ada:\(secret)@example.com/users?token=\(secret)#\(secret)")
        request.headerFields[.authorization] = "Bearer \(secret)"
        let head = ResponseHead(status: .notFound, headerFields: [.setCookie: "id=\(secret)"])
        let cause = NetworkingError(.unacceptableContentType, "The type is wrong.", request: request)
        return NetworkingError(
            code,
            "It failed.",
            request: request,
            response: head,
            body: Data(secret.utf8),
            underlying: cause
        )
    }

    // MARK: Domain and code

    @Test(arguments: NetworkingError.Code.all)
    func `an NSError has the domain and number of each error code`(code: NetworkingError.Code) throws {
        let error = try Self.full(code)
        let converted = error as NSError
        #expect(converted.domain == error.domain && converted.code == error.number)
        #expect(converted.localizedDescription == "It failed.")
        let untyped: any Error = error
        #expect(untyped._domain == error.domain && untyped._code == error.number)
        let coerced = untyped as NSError
        #expect(coerced.domain == error.domain && coerced.code == error.number)
        #expect(coerced.localizedDescription == "It failed.")
    }

    @Test func `AFNetworking's constants have AFNetworking's values`() {
        #expect(NetworkingError.Domain.url == NSURLErrorDomain)
        #expect(NetworkingError.Domain.cocoa == NSCocoaErrorDomain)
        #expect(NetworkingError.Domain.requestSerialization == "com.alamofire.error.serialization.request")
        #expect(NetworkingError.Domain.responseSerialization == "com.alamofire.error.serialization.response")
        #expect(Key.request == "com.alamofire.serialization.request.error.response")
        #expect(Key.response == "com.alamofire.serialization.response.error.response")
        #expect(Key.resumeData == "NSURLSessionDownloadTaskResumeData")
        #expect(Key.body == "com.alamofire.serialization.response.error.data")
    }

    // MARK: Any Error

    @Test func `the localized description of any error is its sentence`() throws {
        let error: any Error = try Self.full(.connectionLost)
        #expect(error.localizedDescription == "It failed.")
    }

    @Test func `any error can be caught as an NSError with its values`() throws {
        let error: any Error = try Self.full()
        do {
            throw error
        } catch let error as NSError {
            #expect(error.domain == NetworkingError.Domain.responseSerialization && error.code == -1011)
            #expect(error.userInfo[Key.body] as? Data == Data(Self.secret.utf8))
            #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -1016)
        }
        switch error {
        case let error as NSError where error.code == NSURLErrorBadServerResponse:
            #expect(error.userInfo[Key.response] is ResponseHead)
        default: Issue.record("\(error) is not an NSError with the code -1011")
        }
    }

    @Test func `an NSError can be cast back`() throws {
        let error = try Self.full()
        let converted = error as NSError
        let back = try #require(converted as? NetworkingError)
        #expect(back == error && back.message == error.message && back.request?.url == error.request?.url)
        #expect((converted as any Error) as? NetworkingError == error)
        let other: any Error = NSError(domain: NSURLErrorDomain, code: -999)
        #expect(other as? NetworkingError == nil)
    }

    @Test func `an error is converted to equal NSErrors`() throws {
        let first = try Self.full() as NSError
        let second = try Self.full() as NSError
        #expect(first == second && first.hash == second.hash)
        var changed = try Self.full()
        changed.message = "It failed again."
        #expect(first != changed as NSError)
        #expect(first != NSError(domain: first.domain, code: first.code))
    }

    // MARK: userInfo

    @Test func `the values of an error are under AFNetworking's keys`() throws {
        let error = try Self.full()
        let values = (error as NSError).userInfo
        #expect(values[NSLocalizedDescriptionKey] as? String == "It failed.")
        #expect(values[NSURLErrorFailingURLErrorKey] as? URL == error.request?.url)
        #expect(values[Key.response] as? ResponseHead == error.response)
        #expect(values[Key.body] as? Data == error.body)
        #expect((values[NSUnderlyingErrorKey] as? NSError)?.domain == NetworkingError.Domain.responseSerialization)
        // AFNetworking had no such values in this domain.
        #expect(values[Key.failingURLString] == nil)
        #expect(values[NSLocalizedFailureReasonErrorKey] == nil)
        #expect(values[Key.request] == nil)
    }

    @Test func `an error of the URL domain also has the URL as a text`() throws {
        let values = (try Self.full(.connectionLost) as NSError).userInfo
        let url = try #require(values[NSURLErrorFailingURLErrorKey] as? URL)
        #expect(values[Key.failingURLString] as? String == url.absoluteString)
    }

    @Test func `an error of request serialization has the reason and the request`() throws {
        let error = try Self.full(.requestSerializationFailed) as NSError
        #expect(error.domain == NetworkingError.Domain.requestSerialization && error.code == -1016)
        #expect(error.localizedFailureReason == "It failed.")
        #expect((error.userInfo[Key.request] as? Request)?.url.path() == "/users")
    }

    @Test func `an error without context has only its sentence`() {
        let values = (NetworkingError(.cancelled, "The request was cancelled.") as NSError).userInfo
        #expect(values.keys.sorted() == [NSLocalizedDescriptionKey])
    }

    @Test func `an NSError shows no secret, except in the failing URL`() throws {
        for code in [NetworkingError.Code.connectionLost, .unacceptableStatusCode, .requestSerializationFailed] {
            let error = try Self.full(code) as NSError
            #expect(!error.description.contains(Self.secret) && !error.debugDescription.contains(Self.secret))
            #expect(!"\(error)".contains(Self.secret) && !String(reflecting: error).contains(Self.secret))
            #expect(error.description.contains("It failed."))
            for (key, value) in error.userInfo
            where key != NSURLErrorFailingURLErrorKey && key != Key.failingURLString {
                #expect(!"\(value)".contains(Self.secret), "\(key)")
            }
            let url = try #require(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL)
            #expect(url.query() == "token=\(Self.secret)")
        }
    }

    @Test func `an NSError can be archived, without what archives cannot hold`() throws {
        let error = try Self.full() as NSError
        let data = try NSKeyedArchiver.archivedData(withRootObject: error, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSError.self, from: data))
        #expect(read.domain == error.domain && read.code == error.code)
        #expect(read.localizedDescription == "It failed.")
        #expect(read.userInfo[Key.response] == nil)
    }

    // MARK: Underlying errors

    private final class Instance: Error, CustomStringConvertible {
        var description: String { "an instance" }
    }

    private struct Value: LocalizedError {
        var errorDescription: String? { "A value." }
    }

    private struct Bare: Error {}

    private static func underlying(_ error: any Error) throws -> NSError {
        let outer = NetworkingError(.interceptorFailed, "", underlying: error) as NSError
        return try #require(outer.userInfo[NSUnderlyingErrorKey] as? NSError)
    }

    @Test func `an underlying error of any type is an NSError`() throws {
        // Foundation on Linux crashes for a class that is not NSError.
        #expect(try Self.underlying(Instance()).localizedDescription == "an instance")
        #expect(try Self.underlying(Value()).localizedDescription == "A value.")
        #expect(try Self.underlying(Bare()).localizedDescription == "Bare()")
        let custom = try Self.underlying(CocoaError(.fileNoSuchFile))
        #expect(custom.domain == NSCocoaErrorDomain && custom.code == 4)
        let own = NSError(domain: "own", code: 7)
        #expect(try Self.underlying(own) === own)
    }

    @Test func `a chain of errors is a chain of NSErrors`() throws {
        let first = NetworkingError(.connectionLost, "first")
        let second = NetworkingError(.unacceptableContentType, "second", underlying: first)
        let third = NetworkingError(.unacceptableStatusCode, "third", underlying: second) as NSError
        let inner = try #require(third.userInfo[NSUnderlyingErrorKey] as? NSError)
        let innermost = try #require(inner.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(third.code == -1011 && inner.code == -1016 && innermost.code == -1005)
        #expect(innermost.domain == NSURLErrorDomain)
    }
}
