import HTTPTypes

/// A request that cannot be answered as it asks, with the status that says so.
struct EndpointError: Error {
    var status: HTTPResponse.Status
    var message: String

    init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
