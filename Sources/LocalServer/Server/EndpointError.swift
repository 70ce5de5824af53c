import HTTPTypes

/// The error of a request that an endpoint refuses, with the status of the response.
struct EndpointError: Error {
    var status: HTTPResponse.Status
    var message: String

    init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
