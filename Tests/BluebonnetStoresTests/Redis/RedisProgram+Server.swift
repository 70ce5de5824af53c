#if Redis
    import BluebonnetStores

    extension RedisProgram {
        /// The settings for the server.
        func server(prefix: String = "test") -> RedisServer {
            RedisServer(address: .unix(path: socket), prefix: prefix)
        }
    }
#endif
