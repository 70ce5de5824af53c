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

/// The options that only `download` has.
struct DownloadOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Save as this file; - is standard output. For one URL; with --directory in that folder.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(name: [.customShort("O"), .long], help: "Save under the name that the server suggests. The default.")
    var remoteName = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder of the files. (default: this one)", valueName: "folder"),
        completion: .directory
    )
    var directory: String?

    @Option(
        name: [.short, .customLong("input")],
        help: ArgumentHelp(
            "Download the URLs of a list, too; - is standard input.",
            discussion: """
                A URL on each line, and behind tabs out=NAME and
                checksum=sha256:HEX; # begins a comment.
                """,
            valueName: "list"
        ),
        completion: .file()
    )
    var input: String?

    @Flag(
        name: [.short, .customLong("continue")],
        help: ArgumentHelp(
            "Take up partial files of earlier runs; files that are whole are not downloaded again.",
            discussion: """
                With --unique only partial files are taken up: whole ones are
                downloaded again, under another name.
                """
        )
    )
    var continues = false

    @Option(
        name: .long,
        help: ArgumentHelp("The digest that the file must have: sha256:HEX or sha512:HEX.", valueName: "digest")
    )
    var checksum: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Fetch each file by up to this many requests at once, 1 to 32.",
            discussion: """
                Faster where a server limits each connection. Only where the
                server can send parts of a file whose version it names.
                """,
            valueName: "number"
        )
    )
    var segments = 1

    @Flag(name: .long, help: "Replace files that exist.")
    var overwrite = false

    @Flag(name: .long, help: "Take another name where a file exists: “big 2.iso”.")
    var unique = false

    func validate() throws {
        if output != nil, remoteName { throw ValidationError("--output and --remote-name cannot be used together.") }
        if output?.isEmpty == true { throw ValidationError("--output needs the name of a file.") }
        guard (1...32).contains(segments) else { throw ValidationError("--segments must be between 1 and 32.") }
        if overwrite, unique { throw ValidationError("--overwrite and --unique cannot be used together.") }
        guard output == "-" else { return }
        if continues || checksum != nil || directory != nil || overwrite || unique || segments > 1 {
            throw ValidationError("--output -, which saves nothing, goes with no option for files.")
        }
    }

    /// Whether the file goes to standard output.
    var writesToOutput: Bool { output == "-" }

    /// The folder of the files.
    var folder: URL { Self.file(directory ?? ".", in: Self.currentFolder, directoryHint: .isDirectory) }

    /// The folder of the process.
    static var currentFolder: URL {
        URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    }

    /// A file by its path, which may be relative to a folder.
    static func file(_ path: String, in folder: URL, directoryHint: URL.DirectoryHint = .notDirectory) -> URL {
        let path = HomeFolder.literal(path)
        return URL(filePath: path, directoryHint: directoryHint, relativeTo: folder).absoluteURL.standardizedFileURL
    }

    /// Checks, before anything is sent, that the folder can be one, and that the file of --output
    /// is none.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    func checkPlaces() throws(CommandFailure) {
        // With a slash behind it, the system finds no file.
        let name = String((directory ?? ".").reversed().drop { $0 == "/" }.reversed())
        switch FileKind(target: name.isEmpty ? "/" : name) {
        case .missing, .directory, .link: break
        case .regular, .special: throw .usage("\(SystemFailure(directory ?? ".", code: ENOTDIR)).")
        }
        guard let output, !writesToOutput else { return }
        let path = Self.file(output, in: folder).path(percentEncoded: false)
        guard FileKind(target: path) != .directory else {
            throw .usage("\(output): Is a directory. --directory saves into a folder.")
        }
    }

    /// What may be done for files.
    var targetOptions: DownloadTarget.Options {
        let options: DownloadTarget.Options = overwrite ? [] : unique ? .uniqueName : .withoutOverwriting
        return options.union(.createDirectories)
    }

    /// All files: those of the arguments, then those of the list.
    ///
    /// - Parameter urls: The URLs of the arguments.
    /// - Returns: The files.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    func entries(_ urls: [String]) throws(CommandFailure) -> [DownloadList.Entry] {
        var entries = urls.map { DownloadList.Entry(url: $0) }
        if let input {
            let bytes: [UInt8]
            do throws(SystemFailure) {
                bytes = try InputFile(path: input).readToEnd()
            } catch {
                throw .usage("\(error).")
            }
            entries += try DownloadList(bytes, name: input == "-" ? "standard input" : input).entries
        }
        guard !entries.isEmpty else {
            throw .usage(input.map { "\($0) has no URLs." } ?? "There is no URL; --input LIST reads some from a file.")
        }
        for (option, isGiven) in [("--output", output != nil), ("--checksum", checksum != nil)] {
            guard isGiven, entries.count > 1 || input != nil else { continue }
            throw .usage(
                "\(option) is for one URL; in a list, write \(option == "--output" ? "out=NAME" : "checksum=…")."
            )
        }
        if let output { entries[0].output = output }
        if let checksum { entries[0].checksum = checksum }
        return entries
    }
}
