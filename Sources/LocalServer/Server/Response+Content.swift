import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response with a JSON text.
    static func json(_ json: JSON, status: HTTPResponse.Status = .ok) -> Response {
        content(json.pretty, type: "application/json", status: status)
    }

    /// A response with a page.
    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        content(text, type: "text/html; charset=utf-8", status: status)
    }

    /// A response with plain text.
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        content(text, type: "text/plain; charset=utf-8", status: status)
    }

    /// A response with a text of some type.
    static func content(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        content(Array(text.utf8), type: type, status: status)
    }

    /// A response with bytes of some type.
    static func content(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return Response(status: status, headers: [.contentType: type], body: body)
    }

    /// A redirect with a short page as its body, which clients must read and ignore.
    static func redirection(to location: String, status: HTTPResponse.Status = .found) -> Response {
        var response = Response.html("<!DOCTYPE html>\n<title>Redirecting</title>\n<p>Elsewhere.</p>\n", status: status)
        response.headers[.location] = location
        return response
    }
}
