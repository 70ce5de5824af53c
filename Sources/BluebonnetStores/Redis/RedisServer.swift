#if Redis
    import FoundationEssentials

    /// Where a Redis or Valkey server is, and how this program uses it.
    ///
    /// ```
    /// let server = RedisServer(host: "cache.example.net", password: secret, prefix: "shop")
    /// ```
    ///
    /// The connection is not encrypted: use it within a network that is trusted, or through a
    /// tunnel. One server is used; Redis Cluster is not.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public struct RedisServer: Sendable, Hashable, CustomStringConvertible {
        /// Where the server listens.
        ///
        /// No counterpart in AFNetworking or Alamofire.
        public enum Address: Sendable, Hashable {
            /// A host name or an IP address, and a TCP port, 1 to 65535.
            case tcp(host: String, port: Int)
            /// The path of a Unix-domain socket.
            case unix(path: String)
        }

        /// The port of Redis: 6379.
        public static let defaultPort = 6379
        /// The first part of all keys by default: "bluebonnet".
        public static let defaultPrefix = "bluebonnet"

        /// Where the server listens. Default: 127.0.0.1, port 6379.
        public var address: Address

        /// The user of the server's access list. Default: nil, the user `default`.
        public var username: String?

        /// The password, which is never part of an error or a description. Default: nil, no `AUTH`.
        public var password: String?

        /// The number of the database, from 0. Default: 0.
        public var database: Int

        /// The first part of all keys. Programs with the same prefix share what they store.
        /// Default: "bluebonnet".
        public var prefix: String

        /// The longest time for a connection, the lookup of the host's name included, from 1
        /// millisecond. Default: 1 second.
        public var connectTimeout: Duration

        /// The longest time in which the server is silent, from 1 millisecond. Default: 1 second.
        public var commandTimeout: Duration

        /// The most connections, 1 to 64. Default: 8.
        public var connectionLimit: Int

        /// Describes a server.
        ///
        /// - Parameters:
        ///   - address: Where it listens. Default: 127.0.0.1, port 6379.
        ///   - username: The user. Default: nil.
        ///   - password: The password. Default: nil.
        ///   - database: The number of the database. Default: 0.
        ///   - prefix: The first part of all keys. Default: "bluebonnet".
        public init(
            address: Address = .tcp(host: "127.0.0.1", port: RedisServer.defaultPort),
            username: String? = nil,
            password: String? = nil,
            database: Int = 0,
            prefix: String = RedisServer.defaultPrefix
        ) {
            self.address = address
            self.username = username
            self.password = password
            self.database = database
            self.prefix = prefix
            connectTimeout = .seconds(1)
            commandTimeout = .seconds(1)
            connectionLimit = 8
        }

        /// Describes a server that listens at a TCP port.
        ///
        /// - Parameters:
        ///   - host: The host name or IP address.
        ///   - port: The port, 1 to 65535. Default: 6379.
        ///   - username: The user. Default: nil.
        ///   - password: The password. Default: nil.
        ///   - database: The number of the database. Default: 0.
        ///   - prefix: The first part of all keys. Default: "bluebonnet".
        public init(
            host: String,
            port: Int = RedisServer.defaultPort,
            username: String? = nil,
            password: String? = nil,
            database: Int = 0,
            prefix: String = RedisServer.defaultPrefix
        ) {
            self.init(
                address: .tcp(host: host, port: port),
                username: username,
                password: password,
                database: database,
                prefix: prefix
            )
        }

        /// The address and the database, without the password.
        public var description: String {
            switch address {
            case .tcp(let host, let port): "\(host):\(port)/\(database)"
            case .unix(let path): "\(path)/\(database)"
            }
        }

        /// The connections that are used: within the range.
        var connections: Int { min(max(1, connectionLimit), 64) }

        /// The beginning of the keys for a purpose. The number is the version of what is stored.
        func keys(for purpose: String) -> String { "\(prefix):1:\(purpose):" }
    }
#endif
