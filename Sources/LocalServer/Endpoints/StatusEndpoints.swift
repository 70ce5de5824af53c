import HTTPTypes
import Hummingbird

/// Endpoints that respond with the status in the path.
enum StatusEndpoints {
    static let all: [Endpoint] = [
        Endpoint("status/:codes", nil) { exchange in
            respond(try choose(from: exchange.parameter("codes")))
        }
    ]

    /// One of the statuses in `200,500` or, with weights, `200:3,500:1`.
    private static func choose(from text: String) throws -> Int {
        let choices = try text.split(separator: ",").map { choice in
            let parts = choice.split(separator: ":")
            let weight = parts.count > 1 ? Double(parts[1]) : 1
            guard let code = parts.first.flatMap({ Int($0) }), 200..<1000 ~= code, let weight, weight >= 0 else {
                throw EndpointError(.badRequest, "Invalid status code: a final status must be 200 to 999.")
            }
            return (code: code, weight: weight)
        }
        var rest = Double.random(in: 0..<1) * choices.reduce(0) { $0 + $1.weight }
        for choice in choices {
            rest -= choice.weight
            if rest < 0 {
                return choice.code
            }
        }
        guard let last = choices.last else { throw EndpointError(.badRequest, "Invalid status code.") }
        return last.code
    }

    /// The response with the fields that the definition of its status requires.
    private static func respond(_ code: Int) -> Response {
        let status = HTTPResponse.Status(code: code)
        switch code {
        case 301, 302, 303, 305, 307, 308:
            return Response(status: status, headers: [.location: "/redirect/1"])
        case 401:
            return Response(status: status, headers: [.wwwAuthenticate: "Basic realm=\"Fake Realm\""])
        case 407:
            return Response(status: status, headers: [.proxyAuthenticate: "Basic realm=\"Fake Realm\""])
        case 402:
            return .text("The test server needs a payment.\n", status: status)
        case 406:
            return .json(
                ["message": "No representation you accept.", "accept": ["image/png", "application/json"]],
                status: status
            )
        case 418:
            return .text("I am a teapot. A short one.\n", status: status)
        case 304:
            return Response(status: status)
        default:
            var response = Response(status: status)
            response.headers[.contentType] = "text/html; charset=utf-8"
            return response
        }
    }
}
