import ArgumentParser
import HTTPTypes
import NIOCore

/// A command that sends one request: `get`, `post` and the like.
protocol RequestCommand: NamedCommand {
    /// The method of the request. In small letters it is the command's name.
    static var method: HTTPRequest.Method { get }

    var options: RequestOptions { get set }
}

extension RequestCommand {
    static var name: String { method.rawValue.lowercased() }

    /// Reads usual arguments without ArgumentParser; nil for others.
    init?(plain arguments: some Collection<String>) {
        guard let options = RequestOptions(plain: arguments) else { return nil }
        self.init()
        self.options = options
    }

    func run() async throws {
        try await RequestRunner(method: Self.method, options: options).runAlone()
    }
}

extension RequestRunner {
    /// Sends the only request of the process.
    func runAlone() async throws {
        // One request needs one event loop; by default there is one for every processor, each with
        // a thread to start.
        NIOSingletons.groupLoopCountSuggestion = 1
        try await run()
    }
}
