#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The number of files and sockets that the process may have open.
enum OpenFileLimit {
    /// Raises the limit as far as the system allows; the usual 1024 are fewer than the connections
    /// of a large `--jobs`.
    static func raise() {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        // Both calls take a pointer to one `rlimit` and do not keep it.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(resource, &limit)
    }
}
