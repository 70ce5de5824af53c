/// A step of the tour: its title, the code that is shown, and the code that runs and checks the
/// response.
struct DemoStep: Sendable {
    let title: String
    /// The code of a program that does the same.
    let code: String
    /// Runs the step and returns a text about its response.
    let run: @Sendable (DemoStage) async throws -> String
}

extension DemoStep {
    /// The tour, in its order.
    static let all =
        [
            decodable, jsonValue, query, postJSON, postForm, redirects, gzip, lines, backPressure, download,
        ] + [errorWithBody, timeout, timeoutInBody, trusted, untrusted, expired, cancellation, manyRequests]
}
