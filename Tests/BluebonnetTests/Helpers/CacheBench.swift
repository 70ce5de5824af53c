import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// A session with a cache, a clock that the test moves, and a stub for the server, which counts the
/// requests from 1.
final class CacheBench: Sendable {
    typealias Respond = @Sendable (_ request: Request, _ number: Int) async throws -> StubResponse

    /// The time at which it begins.
    static let start = 1_800_000_000

    /// The clock of the cache.
    private final class Time: Sendable {
        let seconds = Mutex(CacheBench.start)
    }

    private let time = Time()
    let failures = EventLog<NetworkingError>()
    let cache: HTTPCache
    let transport: StubTransport
    let session: SessionManager

    init(
        isShared: Bool = false,
        store: any CacheStore = MemoryCacheStore(),
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        respond: @escaping Respond
    ) {
        let (failures, count, time) = (failures, Counter(), time)
        cache = HTTPCache(
            store: store,
            isShared: isShared,
            whenStoreFails: { failures.append($0) },
            now: { Date(timeIntervalSince1970: Double(time.seconds.withLock { $0 })) }
        )
        transport = StubTransport { try await respond($0, count.increment()) }
        var configuration = SessionConfiguration()
        configuration.cache = cache
        change(&configuration)
        session = SessionManager(configuration: configuration, transport: transport)
    }

    var now: Int { time.seconds.withLock { $0 } }

    /// Moves the clock.
    func move(by seconds: Int) {
        time.seconds.withLock { $0 += seconds }
    }

    /// The number of requests that the server got.
    var requestCount: Int { transport.requests.count }

    func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/a",
        _ fields: HTTPFields = [:],
        policy: CachePolicy? = nil
    ) throws -> Request {
        var request = try Request(method, to: "http://x.test\(path)", headerFields: fields)
        request.properties.cachePolicy = policy
        return request
    }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/a",
        _ fields: HTTPFields = [:],
        policy: CachePolicy? = nil
    ) async throws -> Response<Data> {
        try await session.data(for: request(method, path, fields, policy: policy))
    }
}

/// A moment as HTTP writes it.
func httpDate(_ seconds: Int) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let date = Date(timeIntervalSince1970: Double(seconds))
    let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    let day = "\(days[(parts.weekday ?? 1) - 1]), \(two(parts.day)) \(months[(parts.month ?? 1) - 1])"
    return "\(day) \(parts.year ?? 0) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
}

extension StubResponse {
    /// A response with these fields, and with a body that has the number of its request.
    static func numbered(_ number: Int, _ fields: HTTPFields, status: HTTPResponse.Status = .ok) -> StubResponse {
        StubResponse(status: status, headerFields: fields, body: Data("body \(number)".utf8))
    }
}

extension Response<Data> {
    /// The body as text.
    var text: String { String(decoding: value, as: UTF8.self) }
}
