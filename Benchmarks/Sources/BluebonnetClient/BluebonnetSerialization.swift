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
