#if Redis
    import Bluebonnet
    import Crypto
    import FoundationEssentials

    /// The keys of a ``RedisCacheStore``.
    ///
    /// - `…:index:` and the hash of a cache key: a hash (Redis) of all responses of that key.
    /// - `…:body:` and the identifier of a response: a string, the bytes and their SHA-256.
    /// - `…:part:` and random digits: a body that is being written.
    /// - `…:lease:` and the hash of a cache key: the process that fetches it now.
    struct RedisCacheKeys: Sendable {
        let prefix: String

        init(_ server: RedisServer) {
            prefix = server.keys(for: "cache")
        }

        func index(_ key: String) -> Data { Data(prefix + "index:" + Self.digits(key)) }
        func lease(_ key: String) -> Data { Data(prefix + "lease:" + Self.digits(key)) }
        func body(_ identifier: UInt64) -> Data { Data(prefix + "body:" + String(identifier, radix: 16)) }

        func part() -> Data {
            Data(prefix + "part:" + String(UInt64.random(in: 0 ... .max), radix: 16))
        }

        /// The pattern of all indexes, and that of all keys, in which nothing of the prefix has a
        /// meaning of its own.
        var indexes: Data { Data(Self.escaped(prefix) + "index:*") }
        var all: Data { Data(Self.escaped(prefix) + "*") }

        static func escaped(_ text: String) -> String {
            var pattern = ""
            for character in text.unicodeScalars {
                if "*?[]\\^-".unicodeScalars.contains(character) { pattern.append("\\") }
                pattern.unicodeScalars.append(character)
            }
            return pattern
        }

        private static func digits(_ key: String) -> String {
            let hexadecimal = Array("0123456789abcdef".utf8)
            let hash = SHA256.hash(data: Data(key.utf8))
            let digits = hash.flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
            return String(decoding: digits, as: UTF8.self)
        }
    }
#endif
