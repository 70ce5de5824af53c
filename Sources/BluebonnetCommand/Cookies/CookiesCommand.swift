import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// `bluebonnet cookies`: shows and changes the file of `--cookies`.
struct CookiesCommand: NamedCommand {
    static let name = "cookies"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Shows and changes a file of cookies.",
        discussion: """
            The file is that of --cookies, in the format that curl, wget and the tools of browsers read \
            and write.

            Examples:
              bluebonnet cookies list cookies.txt
              bluebonnet cookies clear cookies.txt --domain example.org
              bluebonnet cookies import cookies.txt browser.json
              bluebonnet cookies export cookies.txt --domain example.org > some.txt
            """,
        subcommands: [ListCookies.self, ClearCookies.self, ImportCookies.self, ExportCookies.self]
    )

    /// The file, and which of its cookies are meant.
    struct Selection: ParsableArguments {
        @Argument(help: ArgumentHelp("The file of the cookies.", valueName: "file"), completion: .file())
        var file: String

        @Option(
            name: .long,
            help: ArgumentHelp("Only the cookies of this domain and those below it.", valueName: "domain")
        )
        var domain: String?

        @Flag(name: .long, help: "Only cookies without an end, which last for a session.")
        var sessionCookies = false

        /// Whether a cookie is meant.
        func contains(_ cookie: Cookie) -> Bool {
            if sessionCookies, cookie.expires != nil { return false }
            guard let domain = domain?.lowercased() else { return true }
            return cookie.domain == domain || cookie.domain.hasSuffix("." + domain)
        }

        /// The cookies that are meant.
        ///
        /// - Throws: ``CommandFailure`` for a file that is missing, or is not one of cookies.
        func cookies() throws(CommandFailure) -> [Cookie] {
            try jar().cookies.filter(contains)
        }

        /// The jar of the file, which must be there.
        func jar() throws(CommandFailure) -> CookieJar {
            guard FileKind(path: file) != .missing else { throw .usage("There is no file \(file).") }
            return try CookieJar(path: file)
        }
    }
}

/// `bluebonnet cookies list`.
struct ListCookies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Shows the cookies of a file, without their values."
    )

    @OptionGroup var selection: CookiesCommand.Selection

    @Flag(name: .long, help: "Show the values, too. They are often as good as passwords.")
    var values = false

    func run() async throws {
        let cookies = try selection.cookies()
        guard !cookies.isEmpty else { return }
        let rows = cookies.map { CookieText.row(of: $0, showsValue: values) }
        for line in CookieText.table([CookieText.titles(showsValue: values)] + rows) {
            StandardStream.output.write(line: line)
        }
    }
}

/// `bluebonnet cookies clear`.
struct ClearCookies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes cookies of a file: all of them, or those of the options."
    )

    @OptionGroup var selection: CookiesCommand.Selection

    func run() async throws {
        let jar = try selection.jar()
        let count = jar.cookies.count { selection.contains($0) }
        try await CookieJar.saving([jar]) { jar.removeAll(where: selection.contains) }
        StandardStream.error.write(line: "\(count) \(count == 1 ? "cookie" : "cookies") removed.")
    }
}

/// `bluebonnet cookies import`.
struct ImportCookies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the cookies of another file.",
        discussion: """
            The other file has the format of curl, or is the JSON that extensions of browsers export: an \
            array of objects with name, value, domain, path, hostOnly, secure, httpOnly, sameSite and \
            expirationDate. What it has replaces what is there.
            """
    )

    @Argument(
        help: ArgumentHelp("The file of the cookies; it is made where it is missing.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @Argument(help: ArgumentHelp("The other file; - is standard input.", valueName: "source"), completion: .file())
    var source = "-"

    func run() async throws {
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try InputFile(path: source).readToEnd()
        } catch {
            throw CommandFailure.usage("\(error).")
        }
        let name = source == "-" ? "standard input" : source
        let cookies = try CookieText.cookies(in: Data(bytes), name: name)
        let jar = try CookieJar(path: file)
        let count = try await CookieJar.saving([jar]) {
            cookies.count { jar.set($0) && NetscapeCookies.canHold($0) }
        }
        StandardStream.error.write(line: "\(count) \(count == 1 ? "cookie" : "cookies") imported.")
    }
}

/// `bluebonnet cookies export`.
struct ExportCookies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes cookies of a file to standard output, in the format of curl or as JSON."
    )

    @OptionGroup var selection: CookiesCommand.Selection

    @Flag(name: .long, help: "Write JSON, as extensions of browsers import it.")
    var json = false

    func run() async throws {
        let cookies = try selection.cookies()
        guard !json else {
            return StandardStream.output.write(line: JSONText.harmless(try CookieText.json(of: cookies)))
        }
        let text = NetscapeCookies.text(of: cookies)
        // Servers have chosen names and values.
        StandardStream.output.write((StandardStream.output.isTerminal ? TerminalText.harmless(text) : text).utf8)
    }
}
