import ArgumentParser
import Bluebonnet

/// The options that show or record what happened for the requests.
struct ObservationOptions: ParsableArguments {
    @Flag(name: .long, help: "Show the time of every phase of every request on standard error: lookup, TLS, response.")
    var timings = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write an HTTP archive (HAR 1.2) for the developer tools of a browser, without passwords, tokens and cookies.",
            valueName: "file"
        ),
        completion: .file()
    )
    var har: String?

    func validate() throws {
        if har?.isEmpty == true { throw ValidationError("--har needs the name of a file.") }
    }

    /// Whether there is something to observe.
    var isOn: Bool { timings || har != nil }

    /// What observes the tasks; nil where nothing is asked for.
    ///
    /// - Parameter isOneRequest: Whether the body of the response is brought by
    ///   ``Observation/watching(_:)``, because the task does not collect it.
    /// - Returns: The observer.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` where the archive cannot be made:
    ///   nothing is sent then.
    func observation(ofOneRequest isOneRequest: Bool = false) throws(CommandFailure) -> Observation? {
        if let har { try OutputFile.checkFolder(of: har) }
        return isOn ? Observation(showsTimings: timings, archive: har, isOneRequest: isOneRequest) : nil
    }
}
