/// Marks, as the innermost cause, that a pooled connection had been closed by the server before the request reached it.
struct StaleConnectionError: Error, CustomStringConvertible {
    let cause: (any Error)?

    var description: String {
        cause.map { "the pooled connection was stale: \($0)" } ?? "the pooled connection was stale"
    }

    static func marking(_ error: NetworkingError) -> NetworkingError {
        var error = error
        error.underlying = StaleConnectionError(cause: error.underlying)
        return error
    }
}
