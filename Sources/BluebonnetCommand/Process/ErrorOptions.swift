import ArgumentParser

/// The option for the form of errors. ``ErrorReport`` looks for it among all arguments, since
/// errors of arguments have this form as well.
struct ErrorOptions: ParsableArguments {
    @Flag(name: .long, help: "Write errors as JSON, with a code for programs.")
    var jsonErrors = false
}
