import BenchmarkSupport
import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `JSONValue` and `JSONBodyDecoder`.
struct BluebonnetJSON: JSONBenchmarkClient {
    func value(_ document: Data) throws -> Int {
        let value = try JSONValue(parsing: document)
        return value.array?.count ?? value.object?.values.first?.array?.count ?? 0
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value {
        try JSONBodyDecoder().decode(type, from: document)
    }
}
