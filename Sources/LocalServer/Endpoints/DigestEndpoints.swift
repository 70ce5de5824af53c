import Crypto
import HTTPTypes
import Hummingbird
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Endpoints that want Digest (RFC 7616), with the paths of httpbin: MD5, SHA-256 and SHA-512.
///
/// Each nonce is good for as many requests as the last part of the path says, and stale after that;
/// `never` is no limit. Unlike httpbin, which counts in cookies, the server remembers the nonces.
enum DigestEndpoints {
    static let all: [Endpoint] = [
        Endpoint("digest-auth/:qop/:user/:password", nil) {
            try await respond($0, algorithm: "MD5", staleAfter: "never")
        },
        Endpoint("digest-auth/:qop/:user/:password/:algorithm", nil) {
            try await respond($0, algorithm: $0.parameter("algorithm"), staleAfter: "never")
        },
        Endpoint("digest-auth/:qop/:user/:password/:algorithm/:stale", nil) {
            try await respond($0, algorithm: $0.parameter("algorithm"), staleAfter: $0.parameter("stale"))
        },
    ]

    /// The nonces that were given, and how often each was used.
    private static let nonces = Mutex<[String: Int]>([:])
    private static let mostNonces = 10_000

    private static func respond(_ exchange: Exchange, algorithm: String, staleAfter: String) async throws -> Response {
        let algorithm = ["MD5", "SHA-256", "SHA-512"].contains(algorithm) ? algorithm : "MD5"
        guard let fields = parameters(of: exchange), let nonce = fields["nonce"] else {
            return challenge(exchange, algorithm, isStale: false)
        }
        let limit = Int(staleAfter)
        let uses = nonces.withLock { nonces -> Int? in
            guard let uses = nonces[nonce] else { return nil }
            nonces[nonce] = uses + 1
            return uses
        }
        guard let uses else { return challenge(exchange, algorithm, isStale: true) }
        guard try await fields["response"] == expected(exchange, fields, algorithm) else {
            return challenge(exchange, algorithm, isStale: false)
        }
        if let limit, uses >= limit { return challenge(exchange, algorithm, isStale: true) }
        let result: JSON = .object(["authenticated": true, "user": .string(exchange.parameter("user"))])
        return .json(result)
    }

    /// The response that the password of the path gives (RFC 7616 §3.4.1).
    private static func expected(
        _ exchange: Exchange,
        _ fields: [String: String],
        _ algorithm: String
    ) async throws -> String {
        func hash(_ text: String) -> String { digest(Array(text.utf8), algorithm) }
        let (user, password) = (exchange.parameter("user"), exchange.parameter("password"))
        let key = hash("\(user):\(fields["realm"] ?? ""):\(password)")
        var message = "\(exchange.method.rawValue):\(exchange.request.head.path ?? "/")"
        if fields["qop"] == "auth-int" { message += ":" + digest(try await exchange.body(), algorithm) }
        guard let qop = fields["qop"] else { return hash("\(key):\(fields["nonce"] ?? ""):\(hash(message))") }
        let middle = [fields["nonce"], fields["nc"], fields["cnonce"], qop].map { $0 ?? "" }.joined(separator: ":")
        return hash("\(key):\(middle):\(hash(message))")
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: String) -> String {
        let digest: [UInt8] =
            switch algorithm {
            case "SHA-256": Array(SHA256.hash(data: bytes))
            case "SHA-512": Array(SHA512.hash(data: bytes))
            default: Array(Insecure.MD5.hash(data: bytes))
            }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func challenge(_ exchange: Exchange, _ algorithm: String, isStale: Bool) -> Response {
        let nonce =
            String(UInt64.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
        nonces.withLock { nonces in
            if nonces.count >= mostNonces { nonces.removeAll() }
            nonces[nonce] = 0
        }
        let qop = exchange.parameter("qop")
        let offered = qop == "auth" || qop == "auth-int" ? qop : "auth,auth-int"
        let field =
            #"Digest realm="me@kennethreitz.com", nonce="\#(nonce)", qop="\#(offered)", opaque="\#(nonce.prefix(16))", "#
            + "algorithm=\(algorithm), stale=\(isStale ? "TRUE" : "FALSE")"
        return Response(status: .unauthorized, headers: [.wwwAuthenticate: field])
    }

    /// The parameters of `Authorization`, if its scheme is Digest.
    private static func parameters(of exchange: Exchange) -> [String: String]? {
        guard let text = AuthenticationEndpoints.credentials(of: exchange, scheme: "digest") else { return nil }
        var fields: [String: String] = [:]
        var rest = text.utf8[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = String(Substring(rest[..<equals])).filter { $0 != " " && $0 != "," }
            rest = rest[rest.index(after: equals)...]
            var value: [UInt8] = []
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                    value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
                }
            } else {
                let word = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") }
                value = Array(word)
                rest = rest[word.endIndex...]
            }
            fields[name] = String(decoding: value, as: UTF8.self)
        }
        return fields
    }
}
