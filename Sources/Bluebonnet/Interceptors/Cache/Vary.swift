import Crypto
import FoundationEssentials
import HTTPTypes

/// The header fields of a request that a response depends on (RFC 9111 §4.1).
enum Vary {
    /// The fields that a response names, with their values in the request; nil for `*`, which no
    /// request matches, and for more names than are kept.
    static func fields(of head: ResponseHead, for request: Request) -> [CacheRecord.VaryingField]? {
        guard head.contains(.vary) else { return [] }
        var names: Set<String> = []
        for value in head.values(for: .vary) {
            for name in value.split(separator: ",") {
                let name = name.trimmingBlanks.lowercased()
                if name == "*" { return nil }
                if !name.isEmpty { names.insert(name) }
                guard names.count <= HTTPCache.mostVaryingFields else { return nil }
            }
        }
        return names.sorted().map { CacheRecord.VaryingField(name: $0, value: value(of: $0, in: request)) }
    }

    /// Whether a stored response is for a request.
    static func matches(_ record: CacheRecord, _ request: Request) -> Bool {
        record.varying.allSatisfy { value(of: $0.name, in: request) == $0.value }
    }

    /// The value of a field, in a form in which values are the same that mean the same: several
    /// fields are one list, without white space around its members. The names of codings and
    /// languages have no case (RFC 9110 §8.4.1, RFC 5646 §2.1.1).
    ///
    /// A store may be on a disk: of a secret it gets the hash.
    private static func value(of name: String, in request: Request) -> String? {
        guard let fieldName = HTTPField.Name(name) else { return nil }
        let values = request.headerFields[values: fieldName]
        guard !values.isEmpty else { return nil }
        let list = values.joined(separator: ",")
        if SecretNames.contains(name) {
            return SHA256.hash(data: Data(list.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
        }
        let text = list.split(separator: ",").map(\.trimmingBlanks).filter { !$0.isEmpty }.joined(separator: ",")
        return name.hasPrefix("accept-") ? text.lowercased() : text
    }
}
