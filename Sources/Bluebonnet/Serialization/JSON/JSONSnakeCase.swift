/// Makes `oneTwoThree` of `one_two_three`, as Foundation's `convertFromSnakeCase` does.
enum JSONSnakeCase {
    /// The key without underscores inside; those at both ends stay.
    static func camelCase(_ key: String) -> String {
        asciiCamelCase(key) ?? unicodeCamelCase(key)
    }

    /// The same by bytes, or nil when there are others than ASCII.
    private static func asciiCamelCase(_ key: String) -> String? {
        let bytes = Array(key.utf8)
        let underscore = UInt8(ascii: "_")
        guard bytes.contains(underscore), let first = bytes.firstIndex(where: { $0 != underscore }),
            let last = bytes.lastIndex(where: { $0 != underscore })
        else { return key }
        guard bytes[first...last].contains(underscore) else { return key }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        var result = Array(bytes[..<first])
        result.reserveCapacity(bytes.count)
        var startsWord = false
        for byte in bytes[first...last] {
            let letter = byte | 0x20
            let isLetter = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
            if byte != underscore { result.append(!isLetter ? byte : startsWord ? letter ^ 0x20 : letter) }
            startsWord = byte == underscore
        }
        result += bytes[(last + 1)...]
        return String(decoding: result, as: UTF8.self)
    }

    private static func unicodeCamelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let parts = key[first...last].split(separator: "_")
        guard parts.count > 1 else { return key }
        let rest = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return key[..<first] + parts[0].lowercased() + rest.joined() + key[key.index(after: last)...]
    }
}
