/// The encoding of the arguments. Swift puts U+FFFD in place of bytes that are not UTF-8, so that
/// another text would be sent, and another file be read or written, than the one that was named.
enum ArgumentEncoding {
    /// Checks that the arguments of the process are UTF-8.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for one that is not.
    static func check() throws(CommandFailure) {
        for (index, argument) in CommandLine.arguments.enumerated().dropFirst()
        where argument.unicodeScalars.contains("\u{FFFD}") {
            // The system keeps one C string for each argument until the process ends.
            guard let bytes = unsafe CommandLine.unsafeArgv[index] else { continue }
            guard unsafe String(validatingCString: bytes) == nil else { continue }
            throw .usage(
                "“\(ShownText.harmless(argument))” has bytes that are not UTF-8, as arguments are. "
                    + "Standard input and files can have them, but not the names of files."
            )
        }
    }
}
