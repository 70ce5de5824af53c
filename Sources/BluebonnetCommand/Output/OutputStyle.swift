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

    /// Whether a line can be drawn again in its place: a person reads, and the terminal is not a
    /// dumb one.
    private(set) var redraws = false

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
        // no-color.org: set and not empty means no colours. A dumb terminal knows none, and no way
        // back in a line.
        let isDumb = Self.environment("TERM") == "dumb"
        let wantsColors = Self.environment("NO_COLOR")?.isEmpty ?? true && !isDumb
        self.init(pretty, isTerminal: stream.isTerminal, wantsColors: wantsColors)
        redraws = isTerminal && !isDumb
    }

    private static func environment(_ name: String) -> String? {
        // Nobody changes the environment while the command runs, and the text is copied.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
