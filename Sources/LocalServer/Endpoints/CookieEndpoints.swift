import HTTPTypes
import Hummingbird

/// Endpoints that set, show and delete cookies (RFC 6265).
enum CookieEndpoints {
    static let all: [Endpoint] = [
        Endpoint("cookies") { exchange in
            let members = cookies(of: exchange).map { ($0.name, JSON.string($0.value)) }
            return .json(["cookies": .object(Dictionary(members) { $1 })])
        },
        Endpoint("cookies/set") { exchange in
            try change(exchange.query.map { "\($0.name)=\($0.value); Path=/" })
        },
        Endpoint("cookies/set/:name/:value") { exchange in
            try change(["\(exchange.parameter("name"))=\(exchange.parameter("value")); Path=/"])
        },
        Endpoint("cookies/delete") { exchange in
            try change(exchange.query.map { "\($0.name)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/" })
        },
    ]

    /// The pairs of the Cookie fields (RFC 6265 §4.2.1).
    private static func cookies(of exchange: Exchange) -> [(name: String, value: String)] {
        exchange.request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    private static func change(_ values: [String]) throws -> Response {
        guard values.allSatisfy(HTTPField.isValidValue) else {
            throw EndpointError(.badRequest, "A cookie must not contain line ends or NUL.")
        }
        var response = Response.redirection(to: "/cookies")
        for value in values {
            response.headers.append(HTTPField(name: .setCookie, value: value))
        }
        return response
    }
}
