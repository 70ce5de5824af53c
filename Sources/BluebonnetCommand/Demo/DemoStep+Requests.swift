import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Requests: parameters and bodies.
extension DemoStep {
    /// The request as the server received it.
    private struct Echo: Decodable, Sendable {
        var args: [String: String]
        var url: String
    }

    private struct User: Codable, Sendable {
        var name: String
        var age: Int
    }

    static let decodable = DemoStep(
        title: "JSON, decoded into a type of your own",
        code: #"let echo: Echo = try await api.get("get", parameters: ["page": 2])"#
    ) { stage in
        let echo: Echo = try await stage.api.get("get", parameters: ["page": 2])
        try DemoFailure.unless(echo.args == ["page": "2"], expected: #"["page": "2"]"#, got: echo.args)
        return "Echo(args: \(echo.args), …)"
    }

    static let jsonValue = DemoStep(
        title: "JSON without a type",
        code: #"let json = try await api.get("json", as: .json); json["slideshow"]?["title"]?.string"#
    ) { stage in
        let title = try await stage.api.get("json", as: .json)["slideshow"]?["title"]?.string
        try DemoFailure.unless(title == "A field in spring", expected: "“A field in spring”", got: title)
        return "“\(title ?? "")”"
    }

    static let query = DemoStep(
        title: "Parameters become a query, nested ones too",
        code: #"try await api.get("get", parameters: ["tags": ["a", "b"], "user": ["name": "Ada L."]])"#
    ) { stage in
        let parameters: Parameters = ["tags": ["a", "b"], "user": ["name": "Ada L."]]
        let response = try await stage.api.response(.get, "get", parameters: parameters, as: .json)
        let query = response.url.query(percentEncoded: true)
        let expected = "tags%5B%5D=a&tags%5B%5D=b&user%5Bname%5D=Ada%20L."
        try DemoFailure.unless(query == expected, expected: expected, got: query)
        return "?\(query ?? "")"
    }

    static let postJSON = DemoStep(
        title: "POST an Encodable value as JSON",
        code: #"api.requestSerializer = JSONRequestSerializer(); try await api.post("post", body: user, as: .json)"#
    ) { stage in
        var api = stage.api
        api.requestSerializer = JSONRequestSerializer()
        let json = try await api.post("post", body: User(name: "Ada", age: 36), as: .json)
        let type = json["headers"]?["Content-Type"]?.string
        try DemoFailure.unless(json["json"] == ["name": "Ada", "age": 36], expected: "the user", got: json["json"])
        try DemoFailure.unless(type == "application/json", expected: "application/json", got: type)
        return "the server read \(json["json"] ?? nil) as \(type ?? "")"
    }

    static let postForm = DemoStep(
        title: "POST a form",
        code: #"try await api.post("post", parameters: ["name": "Ada", "city": "Nürnberg"], as: .json)"#
    ) { stage in
        let form: JSONValue = ["name": "Ada", "city": "Nürnberg"]
        let json = try await stage.api.post("post", parameters: form, as: .json)
        try DemoFailure.unless(json["form"] == form, expected: "\(form)", got: json["form"])
        return "the server read \(json["form"] ?? nil)"
    }
}
