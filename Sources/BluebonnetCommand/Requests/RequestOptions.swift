import ArgumentParser

/// The URL, the items and the options of one request.
struct RequestOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The URL.",
            discussion: "http:// may be left out; :8080/path is localhost:8080/path."
        )
    )
    var url: String

    @Argument(help: ArgumentHelp("Headers, query and body.", discussion: ItemHelp.text, valueName: "item"))
    var items: [String] = []

    @Flag(
        name: .shortAndLong,
        help: "Ask for JSON, and send a body without a type as JSON. Fields are JSON by default."
    )
    var json = false

    @Flag(name: .shortAndLong, help: "Send the fields as a form (application/x-www-form-urlencoded) instead of JSON.")
    var form = false

    @Flag(name: .long, help: "Send the fields as multipart/form-data, as --form does by itself when there are files.")
    var multipart = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The boundary of a multipart form. (default: a random one)", valueName: "text")
    )
    var boundary: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Send this text as the body, as it is, in place of fields.", valueName: "text")
    )
    var raw: String?

    @Flag(name: .long, help: "Send the body in chunks, without its length; @- is then sent while it is read.")
    var chunked = false

    @Flag(
        name: [.customShort("x"), .long],
        help: "Compress the body (gzip). The server must be able to decompress it."
    )
    var compress = false

    @Flag(name: [.customShort("I"), .long], help: "Do not read a body from standard input.")
    var ignoreStdin = false

    @Flag(
        name: .shortAndLong,
        help: "Show both heads and the timings on standard error, without passwords, tokens and cookies."
    )
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show the head of the response before its body.")
    var include = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Stream the body into a file; - is standard output. A 4xx or 5xx response is shown, not saved.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @OptionGroup
    var saving: SavingOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Format and colour JSON, XML, HTML, forms and events; auto does both on a terminal (no colours with NO_COLOR).",
            valueName: "style"
        )
    )
    var pretty = PrettyPrinting.auto

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Show only a part of a JSON response: a JSON pointer (/users/0/name) or a path (users[].name).",
            valueName: "path"
        )
    )
    var filter: String?

    @Flag(name: .long, help: "Show each line as soon as it is received, and format each line of JSON by itself.")
    var stream = false

    @Flag(
        name: [.customShort("r"), .long],
        help:
            "Show the body as it is: no format, no colours, no compression requested; with --filter, strings without quotes."
    )
    var rawOutput = false

    @Flag(name: .long, help: "Print the request that would be sent, and send nothing.")
    var offline = false

    @Flag(name: .long, help: "Print the request as a command for curl, and send nothing.")
    var curl = false

    @Flag(name: .long, inversion: .prefixedNo, help: "Follow redirects.")
    var follow = true

    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follow redirects, as by default.")
    var followsAsCurl = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The largest number of redirects to follow.", valueName: "count")
    )
    var maxRedirects = 20

    @Flag(name: .long, help: "Send the body again when a redirect leads from https to http. Anyone can then read it.")
    var bodyOnInsecureRedirects = false

    @Flag(
        name: .long,
        inversion: .prefixedNo,
        help: "Follow redirects that lead from https to http. They are an error otherwise."
    )
    var insecureRedirects = true

    @Flag(
        name: .long,
        inversion: .prefixedNo,
        help: "Exit with 4 and 5 for 4xx and 5xx, and with 3 for a redirect that --no-follow shows."
    )
    var checkStatus = true

    @Option(name: .long, help: ArgumentHelp("Connect to a Unix-domain socket.", valueName: "path"), completion: .file())
    var unixSocket: String?

    @Option(name: .long, help: ArgumentHelp("The scheme of a URL without one.", valueName: "scheme"))
    var defaultScheme = "http"

    @Flag(name: .long, help: "Send . and .. in the path of the URL as they are.")
    var pathAsIs = false

    @OptionGroup(title: "Output options")
    var shown: OutputOptions

    @OptionGroup
    var retries: RetryOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var sessions: SessionOptions

    @OptionGroup
    var observation: ObservationOptions

    @OptionGroup
    var errors: ErrorOptions

    @OptionGroup(title: "Authentication options")
    var authentication: AuthenticationOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func validate() throws {
        if let hint = OptionHint.text(forValueAsURLOf: self) { throw ValidationError(hint) }
        if json, form || multipart { throw ValidationError("--json cannot be used with --form or --multipart.") }
        if followsAsCurl, !follow { throw ValidationError("--location and --no-follow cannot be used together.") }
        if output != nil, filter != nil || stream {
            throw ValidationError("--output, which saves the body, cannot be used with --filter or --stream.")
        }
        if offline, curl { throw ValidationError("--offline and --curl cannot be used together.") }
        if offline || curl, observation.isOn {
            throw ValidationError("--offline and --curl, which send nothing, cannot be used with --timings or --har.")
        }
        if bodyOnInsecureRedirects, !insecureRedirects {
            throw ValidationError(
                "--body-on-insecure-redirects and --no-insecure-redirects cannot be used together."
            )
        }
        if rawOutput, [.all, .format, .colors].contains(pretty) {
            throw ValidationError("--raw-output shows the body as it is, and cannot be used with --pretty=\(pretty).")
        }
        if saving.isOn || output ?? "-" != "-", !verbose, [.all, .format].contains(pretty) {
            throw ValidationError(
                "A file gets the body as it is, and --pretty=\(pretty) cannot be used with it; “> FILE” saves what is shown."
            )
        }
        if output?.isEmpty == true { throw ValidationError("--output needs the name of a file.") }
        if saving.remoteName, output != nil {
            throw ValidationError("--output and --remote-name cannot be used together.")
        }
        if saving.continues, !saving.remoteName, output == nil || output == "-" {
            throw ValidationError("--continue needs a file: -O, or -o FILE.")
        }
        if saving.isOn, include || filter != nil || stream || shown.all || shown.choosesParts {
            throw ValidationError(
                "--remote-name and --continue save the body, and cannot be used with options that show it; -v shows heads."
            )
        }
        if shown.quiet, verbose || include {
            throw ValidationError("--quiet shows nothing, and cannot be used with --verbose or --include.")
        }
        if maxRedirects < 0 { throw ValidationError("--max-redirects must be 0 or more.") }
    }
}
