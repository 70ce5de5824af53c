import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// `bluebonnet image`: tells what is known of an image, and makes it smaller.
struct ImageCommand: NamedCommand {
    static let name = "image"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Shows what an image is, and makes it smaller.",
        discussion: """
            The format is recognized by the bytes. Images are decoded in a process of their own, with \
            limits of memory and time.\(absence.isEmpty ? "" : " \(absence)")

            Examples:
              bluebonnet image info photo.jpg
              bluebonnet image info https://example.org/logo.svg --json
              bluebonnet image resize photo.jpg 320x240 -o small.png
            """,
        subcommands: [ImageInfoCommand.self, ImageResizeCommand.self]
    )

    #if Images
        /// Why this build has no images; empty where it has them.
        private static let absence = ""
    #else
        private static let absence = """
            This build of the command has no images: every start of it would load their libraries. In \
            the folder of its source, “make command TRAITS=Brotli,Zstd,Stores,Images” builds one that \
            has them.
            """

        /// The failure of a build without images.
        fileprivate static let unavailable = CommandFailure.usage(absence)
    #endif

    /// The image that is meant.
    struct Source: ParsableArguments {
        @Argument(
            help: ArgumentHelp(
                "The image: a file, an http or https URL, or - for standard input.",
                valueName: "file or URL"
            ),
            completion: .file()
        )
        var source: String

        @OptionGroup(title: "Connection options")
        var connection: ConnectionOptions

        /// The bytes of the image.
        ///
        /// - Parameter limit: The most bytes of an image; of a file that has more, somewhat more
        ///   are read.
        /// - Returns: The bytes.
        /// - Throws: ``CommandFailure`` for a file that cannot be read, and a request that fails.
        func data(upTo limit: Int) async throws -> Data {
            guard source.contains("://") || source.hasPrefix(":") else {
                do throws(SystemFailure) {
                    return Data(try InputFile(path: source).readToEnd(beyond: limit))
                } catch {
                    throw CommandFailure(message: "\(error).", status: .transport)
                }
            }
            guard let url = URL(string: URLShorthand.expand(source)) else {
                throw CommandFailure.usage("The URL of the image is not valid.")
            }
            var configuration = SessionConfiguration()
            configuration.limits.bodyInMemory = limit
            try connection.apply(to: &configuration)
            let session = SessionManager(configuration: configuration)
            do {
                let body = try await session.response(for: Request(url: url), as: .data).value
                await session.shutdown()
                return body
            } catch {
                await session.shutdown()
                throw CommandFailure(error)
            }
        }
    }
}

/// `bluebonnet image info`.
struct ImageInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows format, size, frames and orientation of an image, and whether it can be decoded.",
        discussion: """
            Exit status:
              0  the image can be decoded
              1  it cannot, or there are no bytes
              2  bad usage
            """
    )

    @OptionGroup var source: ImageCommand.Source

    @Flag(name: .long, help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        #if Images
            let report = ImageReport(try await source.data(upTo: ImageReport.maximumByteCount))
            StandardStream.output.write(line: json ? report.json.description : report.text)
            if !report.isDecodable { throw ExitStatus.transport }
        #else
            throw ImageCommand.unavailable
        #endif
    }
}

/// `bluebonnet image resize`.
struct ImageResizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resize",
        abstract: "Makes an image fit into a size, and writes it as PNG or JPEG.",
        discussion: """
            Proportions stay, the orientation is applied, and no image but a drawing becomes larger. Of \
            an animation, the first frame is written.
            """
    )

    @OptionGroup var source: ImageCommand.Source

    @Argument(help: ArgumentHelp("The size in pixels, such as 320x240.", valueName: "width x height"))
    var size: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write, which ends with .png, .jpg or .jpeg.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(name: .long, help: ArgumentHelp("The quality of JPEG, from 1 to 100.", valueName: "number"))
    var quality = 90

    func validate() throws {
        guard (1...100).contains(quality) else { throw ValidationError("--quality is a number from 1 to 100.") }
        guard Self.sides(size) != nil else {
            throw ValidationError("“\(ShownText.harmless(size))” is not a size: two numbers with an x between them.")
        }
        guard Self.endings.contains(where: output.lowercased().hasSuffix) else {
            throw ValidationError("The name of the file must end with .png, .jpg or .jpeg.")
        }
    }

    func run() async throws {
        #if Images
            guard let (width, height) = Self.sides(size) else { return }
            try OutputFile.checkFolder(of: output)
            let data = try await source.data(upTo: ImageReport.maximumByteCount)
            let image = try ImageReport.decode(data) { decoder in
                decoder.targetWidth(width, height: height)
            }
            try image.write(to: output, quality: quality)
        #else
            throw ImageCommand.unavailable
        #endif
    }

    private static let endings = [".png", ".jpg", ".jpeg"]

    /// The two numbers of a size; nil for anything else.
    static func sides(_ text: String) -> (Int, Int)? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
        guard (1...1_000_000).contains(width), (1...1_000_000).contains(height) else { return nil }
        return (width, height)
    }
}
