import BenchmarkSupport
import Foundation

/// `JSONSerialization` and `JSONDecoder`; queries and forms written as Alamofire writes them, which
/// is built on Foundation.
struct FoundationSerialization: SerializationClient {
    func value(_ document: Data) throws -> Int {
        let value = try JSONSerialization.jsonObject(with: document)
        if let array = value as? [Any] { return array.count }
        // A dictionary has no first key: take the value that is an array, of which each document
        // has one at the top.
        return (value as? [String: Any])?.values.lazy.compactMap { $0 as? [Any] }.first?.count ?? 0
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value {
        try JSONDecoder().decode(type, from: document)
    }

    func query() throws -> Int {
        var parameters: [String: Any] = [:]
        for (index, person) in EncodedSamples.people.enumerated() {
            parameters["person\(index)"] = [
                "name": person.name, "age": person.age, "isActive": person.isActive, "tags": person.tags,
            ]
        }
        let pairs = parameters.keys.sorted().flatMap { Self.components($0, parameters[$0] ?? "") }
        return pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&").utf8.count
    }

    /// Characters that stay as they are in a query (RFC 3986 §3.4), without the delimiters.
    private static let allowed = CharacterSet.urlQueryAllowed.subtracting(
        CharacterSet(charactersIn: ":#[]@!$&'()*+,;=")
    )

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }

    private static func components(_ key: String, _ value: Any) -> [(String, String)] {
        switch value {
        case let dictionary as [String: Any]:
            dictionary.keys.sorted().flatMap { components("\(key)[\($0)]", dictionary[$0] ?? "") }
        case let array as [Any]: array.flatMap { components("\(key)[]", $0) }
        case let flag as Bool: [(escape(key), flag ? "1" : "0")]
        default: [(escape(key), escape("\(value)"))]
        }
    }

    func multipart() throws -> Int {
        let boundary = "boundary.\(UInt64.random(in: .min ... .max))"
        var body = Data()
        func append(_ text: String) { body.append(Data(text.utf8)) }
        for (index, text) in EncodedSamples.texts.enumerated() {
            append("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n")
            append("Content-Disposition: form-data; name=\"\(text.name)\"\r\n\r\n")
            append(text.value)
        }
        append("\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n")
        append("Content-Type: application/octet-stream\r\n\r\n")
        body.append(EncodedSamples.file)
        append("\r\n--\(boundary)--\r\n")
        return body.count - (EncodedSamples.texts.count + 2) * boundary.utf8.count
    }
}
