import Bluebonnet
import Dispatch
import Foundation
import LocalServer

// What the tests of ported code share. This folder mirrors none of Sources: its tests are about
// code that comes from other libraries, of every part of this one.
//
// A pair begins with `// Original (AFNetworking):` or `// Original (Alamofire):` and the code as
// their users write it, then `// Ported:`, the port and `// End`. scripts/lint counts the lines and
// the characters of both, without white space and comments; see scripts/lib/ports.py. On both sides
// the manager is there already, and is called `api`, `session` or `manager`; values have the same
// names, and calls are broken into lines in the same way. Closures stay closures, but for
// streams, which are loops here; what was awaited is awaited. `url` is a whole URL.

/// The members of an echo endpoint's response.
struct Echo: Decodable, Sendable {
    var method: String?
    var url: String
    var args: JSONValue
    var form: JSONValue?
    var files: JSONValue?
    var json: JSONValue?
    var data: String?
    var headers: [String: String]

    var query: String? { URL(string: url)?.query(percentEncoded: true) }
}

/// A model as programs have them.
struct User: Codable, Sendable, Equatable {
    var name: String
    var age: Int
}

/// Where the closures of a snippet leave their results; the test waits for them.
final class Screen<Value: Sendable>: Sendable {
    private let values: AsyncThrowingStream<Value, any Error>
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

    init() {
        (values, continuation) = AsyncThrowingStream.makeStream()
    }

    func show(_ value: Value) {
        continuation.yield(value)
    }

    func fail(_ error: any Error) {
        continuation.finish(throwing: error)
    }

    /// The first value from now on; throws the error that was shown in its place.
    var shown: Value {
        get async throws {
            for try await value in values { return value }
            throw Unmet(description: "nothing is shown any more")
        }
    }
}

/// Runs a snippet with a manager for the embedded server, and with the URL of its root.
func withSnippet(
    _ configuration: SessionConfiguration = SessionConfiguration(),
    _ body: (inout HTTPSessionManager, _ base: String) async throws -> Void
) async throws {
    try await LocalServer.run { server in
        try await withSnippet(at: server.baseURL + "/", configuration) { try await body(&$0, $1) }
    }
}

/// Runs a snippet with a manager for a server whose responses are all the same.
func withResponse(
    _ contentType: String,
    _ text: String,
    status: Int = 200,
    _ body: (inout HTTPSessionManager, _ base: String) async throws -> Void
) async throws {
    let response = FaultStep.respond(status, headers: [("Content-Type", contentType)], body: text)
    try await FaultServer.run(.requests { _ in [response] }) { server in
        try await withSnippet(at: server.baseURL + "/") { try await body(&$0, $1) }
    }
}

/// Runs a snippet with a manager whose closures need no main queue.
func withSnippet(
    at base: String,
    _ configuration: SessionConfiguration = SessionConfiguration(),
    _ body: (inout HTTPSessionManager, _ base: String) async throws -> Void
) async throws {
    try await withAPI(at: base, configuration) { manager in
        var api = manager
        api.completionQueue = DispatchQueue(label: "snippets")
        try await body(&api, base)
    }
}
