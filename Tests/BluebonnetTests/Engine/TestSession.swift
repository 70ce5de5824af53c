import Foundation
import HTTPTypes
import LocalServer

@testable import Bluebonnet

/// Sessions, requests and conditions for tests against scripted servers.
enum TestSession {
    /// What a test counted on did not happen.
    struct Unmet: Error, CustomStringConvertible {
        var description: String
    }

    /// The default configuration with these changes.
    static func configuration(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }

    /// A configuration that trusts an authority, with these changes to its settings for TLS.
    static func trusting(
        _ authority: TestIdentity,
        _ change: (inout TLSSettings) -> Void = { _ in }
    ) -> SessionConfiguration {
        configuration { configuration in
            configuration.tls.trustRoots = .pem(authority.certificatePEM)
            change(&configuration.tls)
        }
    }

    /// Runs the body with a session of its own and its engine; every connection is closed before it returns.
    @discardableResult
    static func run<Result>(
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (SessionManager, Engine) async throws -> Result
    ) async throws -> Result {
        let engine = Engine(configuration: configuration)
        let session = SessionManager(configuration: configuration, transport: engine)
        do {
            let result = try await body(session, engine)
            await session.shutdown()
            return result
        } catch {
            await session.shutdown()
            throw error
        }
    }

    /// A request for a URL that must be valid.
    static func request(
        _ url: String,
        _ method: HTTPRequest.Method = .get,
        body: RequestBody? = nil,
        timeouts: Timeouts? = nil
    ) throws -> Request {
        guard let url = URL(string: url) else { throw Unmet(description: "no URL: \(url)") }
        var request = Request(method: method, url: url, body: body)
        request.timeouts = timeouts
        return request
    }

    /// The error that the work must end with.
    static func failure(of work: () async throws -> Void) async throws -> NetworkingError {
        do {
            try await work()
        } catch let error as NetworkingError {
            return error
        }
        throw Unmet(description: "a NetworkingError was expected, and there was none")
    }

    /// Returns when the condition holds; throws after thirty seconds.
    static func until(_ expectation: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw Unmet(description: "never: \(expectation)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Runs the work with longer and longer timeouts until it passes: a timer that runs when it must not fires with each of
    /// them, a machine that stands still for a second only with some.
    static func patiently(
        first timeouts: [Duration] = [.milliseconds(500), .seconds(3)],
        last: Duration = .seconds(10),
        _ work: (Duration) async throws -> Void
    ) async throws {
        for timeout in timeouts where (try? await work(timeout)) != nil { return }
        try await work(last)
    }

    /// The value once it has stopped changing.
    static func settled(_ value: () -> Int) async throws -> Int {
        var last = value()
        var calm = 0
        while calm < 20 {
            try await Task.sleep(for: .milliseconds(10))
            let now = value()
            calm = now == last ? calm + 1 : 0
            last = now
        }
        return last
    }

    /// Runs the body with a new directory, which is removed afterwards.
    static func withDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }
}
