@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Challenges of servers.
extension FuzzTarget {
    /// Challenges that are written as RFC 9110 §11 has it are read as the same ones, and what
    /// Digest makes of one can be read, too.
    static func challenge(_ input: [UInt8]) throws(Violation) -> String {
        let challenges = HTTPChallenge.challenges(in: [String(decoding: input, as: UTF8.self)])
        for challenge in challenges where Set(challenge.parameters.map(\.name)).count != challenge.parameters.count {
            throw Violation(description: "a parameter is there twice: \(challenge)")
        }
        let again = HTTPChallenge.challenges(in: [challenges.map(text).joined(separator: ", ")])
        guard again == challenges else {
            throw Violation(description: "\(challenges) was written, and \(again) was read")
        }
        var digests = 0
        for challenge in challenges {
            guard let digest = DigestChallenge(challenge, from: URL(filePath: "/")) else { continue }
            digests += 1
            var session = DigestSession(digest)
            let message = DigestSession.Message(method: "GET", target: "/", bodyDigest: "")
            let field = session.authorization(user: Array("a\"b\\".utf8), password: [], message).field
            guard let own = HTTPChallenge.challenges(in: [field]).first, own["username"] == "a\"b\\",
                own.realmBytes == digest.realm, own["nonce"] == digest.nonce
            else { throw Violation(description: "the field cannot be read: \(field)") }
        }
        let names = challenges.map { "\($0.token == nil)\(min($0.parameters.count, 3))" }
        return "\(names.prefix(4)) \(digests)"
    }

    private static func text(_ challenge: HTTPChallenge) -> String {
        if let token = challenge.token { return "\(challenge.scheme) \(token)" }
        let parameters = challenge.parameters.map { parameter in
            let escaped = parameter.value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
            return "\(parameter.name)=\"\(escaped.joined())\""
        }
        return parameters.isEmpty ? challenge.scheme.name : "\(challenge.scheme) \(parameters.joined(separator: ", "))"
    }
}
