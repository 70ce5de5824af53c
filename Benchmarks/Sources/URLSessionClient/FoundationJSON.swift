import BenchmarkSupport
import Foundation

/// `JSONSerialization` and `JSONDecoder`.
struct FoundationJSON: JSONBenchmarkClient {
    func value(_ document: Data) throws -> Int {
        let value = try JSONSerialization.jsonObject(with: document)
        if let array = value as? [Any] { return array.count }
        // A dictionary has no first key: the one array at the top of each document is asked for by its type.
        return (value as? [String: Any])?.values.lazy.compactMap { $0 as? [Any] }.first?.count ?? 0
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value {
        try JSONDecoder().decode(type, from: document)
    }
}
