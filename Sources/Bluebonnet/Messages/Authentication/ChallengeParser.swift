/// Reads a list of challenges (RFC 9110 §11.6.1), and the parameters of `Authentication-Info`
/// (§11.6.3).
///
/// A comma separates both challenges and parameters: `Basic realm="a", Digest realm="b", qop=auth`
/// has two of the former. What follows a comma begins a challenge, unless it is a name with an
/// equals sign behind it.
struct ChallengeParser {
    static let mostChallenges = 32
    static let mostParameters = 64

    private struct Malformed: Error {}

    private let bytes: [UInt8]
    private let limit: Int
    private var position = 0

    init(_ text: String, limit: Int = Self.mostChallenges) {
        self.init(Array(text.utf8), limit: limit)
    }

    init(_ bytes: [UInt8], limit: Int = Self.mostChallenges) {
        self.bytes = bytes
        self.limit = limit
    }

    /// The challenges up to the first one that is malformed.
    mutating func challenges() -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        skipCommas()
        while position < bytes.count, challenges.count < limit {
            do {
                if let challenge = try challenge() { challenges.append(challenge) }
            } catch {
                return challenges
            }
            skipCommas()
        }
        return challenges
    }

    /// A list that has only parameters, as `Authentication-Info` is (RFC 7615 §3); nil for anything
    /// else.
    mutating func parameterList() -> [HTTPChallenge.Parameter]? {
        skipCommas()
        guard let parameters = try? parameters(), position == bytes.count else { return nil }
        return parameters
    }

    // MARK: Challenges

    /// The next challenge; nil for one that has a parameter twice.
    private mutating func challenge() throws(Malformed) -> HTTPChallenge? {
        let scheme = AuthenticationScheme(try token())
        // The scheme stands alone, or one space or more are behind it (RFC 9110 §11.3).
        guard position < bytes.count, bytes[position] == ASCII.space else {
            guard isAtEndOfElement else { throw Malformed() }
            return HTTPChallenge(scheme: scheme)
        }
        skipBlanks()
        if let token = token68() { return HTTPChallenge(scheme: scheme, token: token) }
        let start = position
        let found = try parameters()
        guard isAtEndOfElement || isAtToken && position > start else { throw Malformed() }
        guard let found else { return nil }
        return HTTPChallenge(scheme: scheme, parameters: found)
    }

    /// The parameters up to the end or to the next scheme; nil when one of them is there twice.
    private mutating func parameters() throws(Malformed) -> [HTTPChallenge.Parameter]? {
        var parameters: [HTTPChallenge.Parameter] = []
        var names: Set<String> = []
        var hasAllOnce = true
        while isAtToken {
            let start = position
            let name = try token()
            skipBlanks()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
                // It is the scheme of the next challenge.
                position = start
                break
            }
            position += 1
            skipBlanks()
            let parameter = HTTPChallenge.Parameter(name: name, bytes: try value())
            guard parameters.count < Self.mostParameters else { throw Malformed() }
            if !names.insert(parameter.name).inserted { hasAllOnce = false }
            parameters.append(parameter)
            guard isAtEndOfElement else { throw Malformed() }
            skipCommas()
        }
        return hasAllOnce ? parameters : nil
    }

    /// Base64 and its like (RFC 9110 §11.2), if that is all that follows up to a comma.
    private mutating func token68() -> String? {
        let start = position
        var end = start
        while end < bytes.count, Self.isToken68(bytes[end]) { end += 1 }
        guard end > start else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        position = end
        guard isAtEndOfElement else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    // MARK: Parts

    private mutating func token() throws(Malformed) -> String {
        String(decoding: try tokenBytes(), as: UTF8.self)
    }

    private mutating func tokenBytes() throws(Malformed) -> ArraySlice<UInt8> {
        let start = position
        while isAtToken { position += 1 }
        guard position > start else { throw Malformed() }
        return bytes[start..<position]
    }

    /// A token or a quoted string (RFC 9110 §5.6.4).
    private mutating func value() throws(Malformed) -> [UInt8] {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return Array(try tokenBytes()) }
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return value
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { throw Malformed() }
                value.append(bytes[position])
                position += 1
            default: value.append(byte)
            }
        }
        throw Malformed()
    }

    private var isAtToken: Bool { position < bytes.count && ASCII.isToken(bytes[position]) }

    /// Whether there is nothing more, or a comma.
    private var isAtEndOfElement: Bool {
        guard let next = bytes[position...].first(where: { !ASCII.isBlank($0) }) else { return true }
        return next == UInt8(ascii: ",")
    }

    private mutating func skipBlanks() {
        while position < bytes.count, ASCII.isBlank(bytes[position]) { position += 1 }
    }

    /// RFC 9110 §5.6.1.2: a recipient accepts empty elements.
    private mutating func skipCommas() {
        while position < bytes.count, ASCII.isBlank(bytes[position]) || bytes[position] == UInt8(ascii: ",") {
            position += 1
        }
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
