import FoundationEssentials

/// The home folder at the beginning of a path. A shell puts it in place of `~` only where a word
/// begins with that, and not in `name=@~/file`.
enum HomeFolder {
    /// The path with the folder of the variable `HOME` for a `~` in front of the first slash.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - home: The home folder; nil where there is none.
    /// - Returns: The path, which is the same where it begins with something else.
    static func expanded(
        _ path: String,
        home: String? = ProcessInfo.processInfo.environment["HOME"]
    ) -> String {
        guard let home, !home.isEmpty, path == "~" || path.utf8.starts(with: "~/".utf8) else { return path }
        return home + path.dropFirst()
    }
}
