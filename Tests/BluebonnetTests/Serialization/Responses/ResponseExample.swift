import Foundation
import HTTPTypes

@testable import Bluebonnet

/// A response to serialize.
struct ResponseExample {
    var body: Data
    var head: ResponseHead
    var request: Request

    init(
        _ status: Int = 200,
        _ contentType: String? = "application/json",
        _ body: String = "",
        method: HTTPRequest.Method = .get
    ) {
        self.init(status, contentType, Data(body.utf8), method: method)
    }

    init(_ status: Int, _ contentType: String?, _ body: Data, method: HTTPRequest.Method = .get) {
        self.body = body
        head = ResponseHead(
            status: HTTPResponse.Status(code: status, reasonPhrase: "Whatever the server says"),
            headerFields: contentType.map { [.contentType: $0] } ?? [:]
        )
        request = Request(method: method, url: URL(filePath: "/"))
    }

    func serialized<Serializer: ResponseSerializer>(as serializer: Serializer) throws(NetworkingError)
        -> Serializer.Output
    {
        try serializer.serialize(body, head: head, request: request)
    }

    /// The error of the serializer; nil if it succeeds.
    func error(as serializer: some ResponseSerializer) -> NetworkingError? {
        do {
            _ = try serialized(as: serializer)
            return nil
        } catch {
            return error
        }
    }
}
