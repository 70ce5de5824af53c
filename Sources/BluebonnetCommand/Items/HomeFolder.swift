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
        home: String? = EnvironmentVariables.all["HOME"]
    ) -> String {
        guard let home, !home.isEmpty, path == "~" || path.utf8.starts(with: "~/".utf8) else { return path }
        return home + path.dropFirst()
    }

    /// A path in which a tilde at the beginning is a part of a name. Foundation takes `~` and
    /// `~NAME` for home folders of the system's users.
    static func literal(_ path: String) -> String { path.utf8.first == UInt8(ascii: "~") ? "./" + path : path }

    /// The URL of a file by its path, where a tilde is a part of a name.
    static func file(_ path: String) -> URL { URL(filePath: literal(path)) }
}
