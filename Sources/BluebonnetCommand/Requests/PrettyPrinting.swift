import ArgumentParser

/// The choices of `--pretty`.
enum PrettyPrinting: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, all, format, colors, none
}
