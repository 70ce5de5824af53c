import BenchmarkSupport
import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `JSONValue`, `JSONBodyDecoder`, `QueryString` and `MultipartFormData`.
struct BluebonnetSerialization: SerializationClient {
    private static let parameters: JSONValue = .object(
        JSONObject(
            EncodedSamples.people.enumerated().map { index, person in
                (
                    key: "person\(index)",
                    value: [
                        "name": .string(person.name), "age": JSONValue(person.age), "isActive": .bool(person.isActive),
                        "tags": .array(person.tags.map { .string($0) }),
                    ]
                )
            }
        )
    )

    /// 10,000 cookies of 1,000 sites, of which each has ten with the usual attributes; one of them
    /// is for another path.
    private static let jar: CookieJar = {
        let jar = CookieJar()
        for site in 0..<1_000 {
            let host = "site\(site).com"
            for (number, attributes) in [
                "", "; Secure", "; HttpOnly", "; Domain=\(host)", "; Path=/", "; Path=/a", "; Path=/a/b",
                "; Path=/other", "; Max-Age=86400", "; SameSite=Lax",
            ].enumerated() {
                guard let url = URL(string: "https://\(host)/a/b/c") else { continue }
                _ = jar.set("name\(number)=0123456789abcdef\(attributes)", from: url)
            }
        }
        return jar
    }()
    private static let page = URL(string: "https://site500.com/a/b/page?query=1")

    func cookies() throws -> Int {
        Self.page.map { Self.jar.cookies(for: $0).count } ?? 0
    }

    func value(_ document: Data) throws -> Int {
        let value = try JSONValue(parsing: document)
        return value.array?.count ?? value.object?.values.first?.array?.count ?? 0
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value {
        try JSONBodyDecoder().decode(type, from: document)
    }

    func query() throws -> Int {
        try QueryString().encode(Self.parameters).utf8.count
    }

    func multipart() throws -> Int {
        var form = MultipartFormData()
        for text in EncodedSamples.texts { form.append(text.value, name: text.name) }
        form.append(EncodedSamples.file, name: "file", fileName: "a.bin", mimeType: "application/octet-stream")
        let count = try form.makeBody().length ?? 0
        return count - (EncodedSamples.texts.count + 2) * form.boundary.utf8.count
    }
}
