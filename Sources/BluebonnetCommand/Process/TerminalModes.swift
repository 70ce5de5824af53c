import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Changed modes of a terminal, until ``restore()``, or a signal that ends or stops the process:
/// the shell must find them as they were. A process changes them at one place at a time.
struct TerminalModes: Sendable {
    /// The modes that are changed.
    struct Change: Sendable {
        /// The flags that are taken away.
        var flags: tcflag_t
        /// The signals that end or stop the process, and before that restore the modes.
        var signals: [Int32]
        /// Whether what was typed before, and is not read yet, is dropped.
        var dropsTyped: Bool

        /// For a password: what is typed is not shown, and each key is read at once.
        static let hidden = Change(
            flags: tcflag_t(ECHO | ICANON | ISIG),
            signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT],
            dropsTyped: true
        )

        /// For lines that the command shows itself: each key is read at once, and those that make
        /// signals do. ``TerminationSignals`` handles the other signals.
        static let ownLines = Change(
            flags: tcflag_t(ECHO | ICANON),
            signals: [SIGQUIT, SIGTSTP],
            dropsTyped: false
        )
    }

    private let descriptor: Int32
    private let change: Change
    private let action: Int32
    private let handlers: [(number: Int32, handler: TerminationSignals.Handler)]

    // The values that the signal handler reads. There is no race: they are written before a handler
    // is set that reads them, and a process changes the modes at one place at a time. They are
    // behind a pointer, because a handler must not take part in the run-time checks of exclusive
    // access.
    private nonisolated(unsafe) static let restored =
        UnsafeMutablePointer<(descriptor: Int32, action: Int32, modes: termios)>.allocate(capacity: 1)

    /// The modes that are changed now.
    private static let current = Mutex<TerminalModes?>(nil)

    /// Changes the modes. Nil when the descriptor is not a terminal.
    init?(_ descriptor: Int32, _ change: Change) {
        var modes = termios()
        guard unsafe tcgetattr(descriptor, &modes) == 0 else { return nil }
        self.descriptor = descriptor
        self.change = change
        action = change.dropsTyped ? TCSAFLUSH : TCSANOW
        unsafe Self.restored.initialize(to: (descriptor, action, modes))
        handlers = change.signals.map { ($0, Self.handle($0)) }
        Self.current.withLock { $0 = self }
        set()
    }

    /// Lets a signal restore the modes before it ends or stops the process.
    private static func handle(_ number: Int32) -> TerminationSignals.Handler {
        let before = signal(number) { number in
            // POSIX allows these functions in a handler (XSH 2.4.3), and the values were written
            // before it was set. The signal ends or stops the process when this returns. In the
            // background, the shell has the terminal, and changing it would stop the process.
            let terminal = unsafe TerminalModes.restored.pointee.descriptor
            if tcgetpgrp(terminal) == getpgrp() {
                let action = unsafe TerminalModes.restored.pointee.action
                unsafe tcsetattr(terminal, action, &TerminalModes.restored.pointee.modes)
            }
            signal(number, SIG_DFL)
            raise(number)
        }
        if TerminationSignals.isIgnoring(before) { signal(number, SIG_IGN) }
        return before
    }

    /// Changes the modes again, when the shell continues the process that a signal has stopped.
    func setAgain() {
        guard tcgetpgrp(descriptor) == getpgrp() else { return }
        for (number, before) in handlers where !TerminationSignals.isIgnoring(before) { _ = Self.handle(number) }
        set()
    }

    private func set() {
        var modes = unsafe Self.restored.pointee.modes
        modes.c_lflag &= ~change.flags
        unsafe tcsetattr(descriptor, action, &modes)
    }

    /// Restores the modes.
    func restore() {
        Self.current.withLock { $0 = nil }
        unsafe tcsetattr(descriptor, action, &Self.restored.pointee.modes)
        for (number, handler) in handlers { signal(number, handler) }
    }

    /// Restores the modes that are changed, because the process ends.
    static func restoreCurrent() {
        current.withLock { $0 }?.restore()
    }
}
