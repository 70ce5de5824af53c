import ArgumentParser
import Bluebonnet
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The configuration file of the user: `bluebonnet/config.json` in the folder of configurations.
struct SettingsFile {
    private let path: String
    private let settings: UserSettings

    /// The place of the file; nil where there is none.
    static var location: URL? {
        let file = UserSettings.folder(EnvironmentVariables.all)?.appending(path: "config.json")
        return file.flatMap { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) ? $0 : nil }
    }

    /// Reads the file. Nobody but its owner may change it, nor read secrets in it.
    ///
    /// - Parameter file: The place of the file.
    /// - Throws: ``CommandFailure`` for a file that cannot be used.
    init(_ file: URL) throws(CommandFailure) {
        let path = file.path(percentEncoded: false)
        self.path = path
        settings = try Self.naming(path) { () throws(CommandFailure) in try Self.settings(file, path) }
    }

    private static func settings(_ file: URL, _ path: String) throws(CommandFailure) -> UserSettings {
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try InputFile(path: path).readToEnd()
        } catch {
            throw .usage("cannot be read: \(error.reason).")
        }
        // The system follows links. It writes one `stat`, and keeps none of the pointers.
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw .usage("cannot be read: \(SystemFailure(path, code: errno).reason).")
        }
        let mode = status.st_mode
        guard status.st_uid == 0 || status.st_uid == geteuid() else { throw .usage("belongs to another user.") }
        let settings = try UserSettings(parsing: bytes)
        if mode & 0o022 != 0 { throw .usage("can be changed by others; give its owner alone the right: chmod 600.") }
        guard settings.hasSecrets, mode & 0o077 != 0 else { return settings }
        throw .usage("has secrets that others can read; give its owner alone the right: chmod 600.")
    }

    /// Runs the work, whose failures go on after the name of the file.
    private static func naming<Value>(
        _ path: String,
        _ work: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(CommandFailure) {
            return try work()
        } catch {
            var failure = error
            failure.message = "\(path) \(error.message)"
            throw failure
        }
    }

    /// The rules for the host of a URL.
    ///
    /// - Parameters:
    ///   - url: The URL as the shell passes it.
    ///   - scheme: The scheme of a URL that has none. Default: http.
    /// - Returns: The rules in their order; nil where it is not a URL.
    func rules(for url: String, scheme: String = "http") -> [UserSettings.Rule]? {
        var text = URLShorthand.expand(url, scheme: scheme)
        _ = try? Credentials.take(from: &text)
        return URL(string: text).map(settings.rules)
    }

    /// The arguments of a command with those of rules.
    private func arguments(
        _ arguments: [String],
        _ parsed: some SettledArguments,
        with rules: [UserSettings.Rule]
    ) throws(CommandFailure) -> [String] {
        try Self.naming(path) { () throws(CommandFailure) in
            try UserSettings.arguments(arguments, parsed, with: rules)
        }
    }

    /// A command with the options of rules.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which can be parsed.
    ///   - parsed: What they say.
    ///   - rules: The rules.
    /// - Returns: The command.
    /// - Throws: ``CommandFailure`` for an option that does not exist.
    func completed<Command: SettledArguments>(
        _ arguments: [String],
        _ parsed: Command,
        with rules: [UserSettings.Rule]
    ) throws(CommandFailure) -> Command {
        let completed = try self.arguments(arguments, parsed, with: rules)
        do {
            return try Command.parse(completed)
        } catch {
            throw .usage("\(path) cannot be used with these arguments: \(Command.message(for: error))")
        }
    }

    /// The arguments of a command with those of the file, where there is one.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - url: The URL among what they say, and the scheme of one without.
    /// - Returns: The arguments; without a file, or where they cannot be parsed, unchanged.
    /// - Throws: ``CommandFailure`` for a file that cannot be used.
    static func completing<Arguments: SettledArguments>(
        _ arguments: [String],
        url: (Arguments) throws(CommandFailure) -> (text: String, scheme: String)
    ) throws(CommandFailure) -> [String] {
        guard !arguments.contains("--no-config"), let location,
            let parsed = try? Arguments.parse(arguments)
        else { return arguments }
        let (text, scheme) = try url(parsed)
        let file = try Self(location)
        guard let rules = file.rules(for: text, scheme: scheme) else { return arguments }
        return try file.arguments(arguments, parsed, with: rules)
    }
}

extension UserSettings {
    /// The folder of the user's configurations (XDG base directory specification): a relative path
    /// counts as none.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Returns: The folder; nil where the variables name none.
    static func folder(_ environment: [String: String]) -> URL? {
        if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory).appending(path: "bluebonnet")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".config/bluebonnet")
    }
}
