import FoundationEssentials

/// Makes `oneTwoThree` of `one_two_three`, as Foundation's `convertFromSnakeCase` does.
enum JSONSnakeCase {
    /// The key without underscores inside; those at both ends stay.
    static func camelCase(_ key: String) -> String {
        asciiCamelCase(key) ?? foundationCamelCase(key)
    }

    /// The key without underscores inside, or nil when it has other bytes than letters and `_`.
    private static func asciiCamelCase(_ key: String) -> String? {
        let bytes = Array(key.utf8)
        let underscore = UInt8(ascii: "_")
        guard bytes.contains(underscore), let first = bytes.firstIndex(where: { $0 != underscore }),
            let last = bytes.lastIndex(where: { $0 != underscore })
        else { return key }
        guard bytes[first...last].contains(underscore) else { return key }
        var result = Array(bytes[..<first])
        result.reserveCapacity(bytes.count)
        var startsWord = false
        for byte in bytes[first...last] {
            let letter = byte | 0x20
            if letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") {
                result.append(startsWord ? letter ^ 0x20 : letter)
            } else if byte != underscore {
                return nil
            }
            startsWord = byte == underscore
        }
        result += bytes[(last + 1)...]
        return String(decoding: result, as: UTF8.self)
    }

    /// Converts any key. Foundation capitalises each part, where a word also starts behind digits
    /// and punctuation: `change_24h` becomes `change24H`.
    private static func foundationCamelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let parts = key[first...last].split(separator: "_")
        guard parts.count > 1 else { return key }
        let rest = parts.dropFirst().map { $0.capitalized }
        return key[..<first] + parts[0].lowercased() + rest.joined() + key[key.index(after: last)...]
    }
}
