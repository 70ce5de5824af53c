/// A step of the tour: what it is about, what is called, and the code that does it and checks what
/// comes back.
struct DemoStep: Sendable {
    let title: String
    /// What a program would write.
    let code: String
    /// Says what came back.
    let run: @Sendable (DemoStage) async throws -> String
}

extension DemoStep {
    /// The tour, in its order.
    static let all =
        [
            decodable, jsonValue, query, postJSON, postForm, redirects, gzip, lines, backPressure, download,
        ] + [errorWithBody, timeout, timeoutInBody, trusted, untrusted, expired, cancellation, manyRequests]
}
