import ArgumentParser
import Bluebonnet
import FoundationEssentials

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

    /// The arguments of a request with those of the configuration file, where there is one.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - url: The URL among them.
    /// - Returns: The arguments; without a file, or where they cannot be parsed, unchanged.
    /// - Throws: ``CommandFailure`` for a file that cannot be used.
    static func completing(
        _ arguments: [String],
        url: (RequestOptions) throws(CommandFailure) -> String
    ) throws(CommandFailure) -> [String] {
        guard let file = folder(ProcessInfo.processInfo.environment)?.appending(path: "config.json") else {
            return arguments
        }
        let path = file.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path), !arguments.contains("--no-config"),
            let options = try? RequestOptions.parse(arguments)
        else { return arguments }
        var text = URLShorthand.expand(try url(options), scheme: options.defaultScheme)
        _ = try? Credentials.take(from: &text)
        guard let url = URL(string: text) else { return arguments }
        do throws(CommandFailure) {
            let settings = try UserSettings(contentsOf: file)
            return try Self.arguments(arguments, options, with: settings.rules(for: url))
        } catch {
            var failure = error
            failure.message = "\(path) \(error.message)"
            throw failure
        }
    }

    /// Reads a file. Nobody but its owner may change it, nor read secrets in it.
    private init(contentsOf file: URL) throws(CommandFailure) {
        let path = file.path(percentEncoded: false)
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try InputFile(path: path).readToEnd()
        } catch {
            throw .usage("cannot be read: \(error.reason).")
        }
        let target = file.resolvingSymlinksInPath().path(percentEncoded: false)
        let mode = (try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int) ?? 0
        try self.init(parsing: bytes)
        if mode & 0o022 != 0 { throw .usage("can be changed by others; give its owner alone the right: chmod 600.") }
        guard hasSecrets, mode & 0o077 != 0 else { return }
        throw .usage("has secrets that others can read; give its owner alone the right: chmod 600.")
    }
}
