import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The style in which a response is shown.
struct OutputStyle: Equatable, Sendable {
    /// Whether JSON is broken into lines.
    var formats = false
    /// Whether JSON and heads have colours.
    var colors = false
    /// The colours.
    var theme = Theme.ansi
    /// Whether the output is a terminal, which gets no binary body.
    var isTerminal = false

    /// Whether a line can be drawn again in its place: the output is a terminal, and not a
    /// “dumb” one.
    private(set) var redraws = false

    /// - Parameters:
    ///   - pretty: The choice of `--pretty`.
    ///   - isTerminal: Whether the output is a terminal.
    ///   - wantsColors: Whether the environment allows colours.
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
    ///
    /// - Parameters:
    ///   - pretty: The choice of `--pretty`.
    ///   - stream: The stream.
    ///   - theme: The colours; nil chooses those that the terminal can show.
    init(_ pretty: PrettyPrinting, for stream: StandardStream, theme: Theme? = nil) {
        // no-color.org: set and not empty means no colours. A dumb terminal has no colours and
        // cannot go back to the start of a line.
        let isDumb = Self.environment("TERM") == "dumb"
        let wantsColors = Self.environment("NO_COLOR")?.isEmpty ?? true && !isDumb
        self.init(pretty, isTerminal: stream.isTerminal, wantsColors: wantsColors)
        redraws = isTerminal && !isDumb
        let has256Colors =
            Self.environment("TERM")?.contains("256color") ?? false || Self.environment("COLORTERM") != nil
        self.theme = theme ?? (has256Colors ? .balanced : .ansi)
    }

    private static func environment(_ name: String) -> String? {
        // The command never changes the environment, and the text is copied before this returns.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

/// The choices of `--pretty`.
enum PrettyPrinting: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, all, format, colors, none
}
