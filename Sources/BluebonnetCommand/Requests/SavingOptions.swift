import ArgumentParser

/// The options of requests about the file that a body is saved as.
struct SavingOptions: ParsableArguments {
    @Flag(
        name: [.customShort("O"), .long, .customLong("download")],
        help: "Save the body under the name that the server suggests, or that of the URL; a taken name gets a number."
    )
    var remoteName = false

    @Flag(
        name: .customLong("continue"),
        help: ArgumentHelp(
            "Take up the partial file of an earlier run, with -O or -o FILE.",
            discussion: "What is received is kept in NAME.bluebonnet until the file is complete."
        )
    )
    var continues = false

    /// Whether the body is saved as `download` does it.
    var isOn: Bool { remoteName || continues }
}
