#if Redis
    public import Bluebonnet
    public import FoundationEssentials

    extension RedisServer {
        /// Reads the address of a server as a URL: `redis://user:password@host:port/database`, of
        /// which only the host is needed, or `redis+unix:///path/to/socket`.
        ///
        /// Percent-encoded characters of the user, the password and the path are decoded.
        ///
        /// - Parameters:
        ///   - url: The URL.
        ///   - prefix: The first part of all keys. Default: "bluebonnet".
        /// - Throws: ``NetworkingError`` with `invalidURL` for another scheme, a port or a database
        ///   that is not possible, and for `rediss`, Redis over TLS, which is not supported.
        public init(url: URL, prefix: String = RedisServer.defaultPrefix) throws(NetworkingError) {
            func refuse(_ message: String) -> NetworkingError { NetworkingError(.invalidURL, message) }
            switch url.scheme?.lowercased() {
            case "redis":
                guard let host = url.host(percentEncoded: false), !host.isEmpty else {
                    throw refuse("The URL of a Redis server has no host.")
                }
                let port = url.port ?? Self.defaultPort
                guard 1...65_535 ~= port else { throw refuse("The port of a Redis server is 1 to 65535.") }
                let path = url.path(percentEncoded: false).drop { $0 == "/" }
                guard let database = path.isEmpty ? 0 : Int(path), 0...65_535 ~= database else {
                    throw refuse("The path of the URL of a Redis server is the number of a database.")
                }
                self.init(
                    host: host,
                    port: port,
                    username: url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 },
                    password: url.password(percentEncoded: false),
                    database: database,
                    prefix: prefix
                )
            case "redis+unix":
                let path = url.path(percentEncoded: false)
                guard (url.host() ?? "").isEmpty, path.utf8.count > 1 else {
                    throw refuse("The URL of a Unix-domain socket is redis+unix:///path.")
                }
                self.init(address: .unix(path: path), prefix: prefix)
            case "rediss":
                throw refuse("Redis over TLS (rediss) is not supported: use a tunnel, or a Unix-domain socket.")
            default:
                throw refuse("The URL of a Redis server begins with redis:// or redis+unix://.")
            }
        }
    }
#endif
