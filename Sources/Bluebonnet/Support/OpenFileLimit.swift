#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The number of files and sockets that the process may have open (`RLIMIT_NOFILE`).
package enum OpenFileLimit {
    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// The limit at this moment; the program may change it.
    static var current: Int {
        var limit = rlimit()
        // The call takes a pointer to one `rlimit` and does not keep it.
        guard unsafe getrlimit(resource, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the system allows; the usual 1024 are fewer than the connections
    /// of a large `--jobs`.
    package static func raise() {
        var limit = rlimit()
        // Both calls take a pointer to one `rlimit` and do not keep it.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(resource, &limit)
    }
}
