#if Images
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A helper process that was started, and its socket.
    struct HelperProgram: ~Copyable {
        /// The socket to it.
        let descriptor: CInt
        /// Its number, which no other process has before ``end()``.
        let process: pid_t
        private var isOver = false

        /// Starts an executable; nil where the system does not.
        init?(path: String) {
            var pair: (CInt, CInt) = (-1, -1)
            // A tuple of two numbers has the layout of an array of two.
            let made = unsafe withUnsafeMutableBytes(of: &pair) { pair in
                let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
                return unsafe socketpair(AF_UNIX, kind, 0, pair.baseAddress?.assumingMemoryBound(to: CInt.self))
            }
            guard made == 0 else { return nil }
            let (mine, its) = pair
            defer { close(its) }
            guard let process = Self.spawn(path, its) else {
                close(mine)
                return nil
            }
            descriptor = mine
            self.process = process
        }

        /// Ends the process, if it has not ended, and closes its socket.
        mutating func end() {
            if !isOver {
                // Until someone waits for it, no other process has its number.
                kill(process, SIGKILL)
                _ = wait()
            }
            close(descriptor)
        }

        /// Waits for a process that has closed its socket.
        ///
        /// - Returns: The signal that has ended it; nil where it has ended by itself.
        mutating func signal() -> CInt? {
            // A process may close its socket and go on.
            kill(process, SIGKILL)
            // The lowest bits of the status are the signal.
            let signal = wait() & 0x7F
            return signal == 0 ? nil : signal
        }

        private mutating func wait() -> CInt {
            var status: CInt = 0
            while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
            isOver = true
            return status
        }

        private static func spawn(_ path: String, _ socket: CInt) -> pid_t? {
            var actions = unsafe posix_spawn_file_actions_t()
            guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
            // What loaders print would stand in the output of the program.
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            var process: pid_t = 0
            let code = unsafe path.withCString { path in
                unsafe ImageHelperProcess.argument.withCString { argument in
                    // The lists end with nil; the texts are only read, and live until the call
                    // returns.
                    var arguments = unsafe [
                        UnsafeMutablePointer(mutating: path), UnsafeMutablePointer(mutating: argument), nil,
                    ]
                    let texts = environment(of: ProcessInfo.processInfo.environment)
                    var variables = unsafe texts.map { unsafe strdup($0) } + [nil]
                    defer { unsafe variables.forEach { unsafe free($0) } }
                    return unsafe posix_spawn(&process, path, &actions, nil, &arguments, &variables)
                }
            }
            return code == 0 ? process : nil
        }

        /// The variables that the loaders and the libraries below them need to find their files.
        /// All others stay here: among them are the secrets of many programs.
        private static let neededVariables: Set<String> = [
            "FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT", "GDK_PIXBUF_MODULEDIR",
            "GDK_PIXBUF_MODULE_FILE", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TMPDIR",
            "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
        ]

        /// The environment of a helper process.
        ///
        /// - Parameter environment: That of this process.
        /// - Returns: Texts such as `LANG=C`, in the order of their names.
        static func environment(of environment: [String: String]) -> [String] {
            environment.filter { neededVariables.contains($0.key) }.map { "\($0.key)=\($0.value)" }.sorted()
        }
    }
#endif
