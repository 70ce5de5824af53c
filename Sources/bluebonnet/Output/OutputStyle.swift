#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How the answer is shown.
struct OutputStyle: Equatable, Sendable {
    /// Whether JSON is broken into lines.
    var formats = false
    /// Whether there are colours.
    var colors = false
    /// Whether a person reads it, so that a binary body is kept away.
    var isTerminal = false

    /// - Parameters:
    ///   - pretty: The choice of `--pretty`.
    ///   - isTerminal: Whether the output is a terminal.
    ///   - wantsColors: What the environment says.
    init(_ pretty: PrettyPrinting, isTerminal: Bool, wantsColors: Bool) {
        self.isTerminal = isTerminal
        switch pretty {
        case .auto: (formats, colors) = (isTerminal, isTerminal && wantsColors)
        case .all: (formats, colors) = (true, true)
        case .format: formats = true
        case .colors: colors = true
        case .none: break
        }
    }

    /// The style of a stream in this process.
    init(_ pretty: PrettyPrinting, for stream: StandardStream) {
        // no-color.org: set and not empty means no colours. A dumb terminal knows none.
        let wantsColors = Self.environment("NO_COLOR")?.isEmpty ?? true && Self.environment("TERM") != "dumb"
        self.init(pretty, isTerminal: stream.isTerminal, wantsColors: wantsColors)
    }

    private static func environment(_ name: String) -> String? {
        // Nobody changes the environment while the command runs, and the text is copied.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
