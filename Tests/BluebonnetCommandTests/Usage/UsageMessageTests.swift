import Testing

@testable import BluebonnetCommand

@Suite struct UsageMessageTests {
    private static let lists = "“bluebonnet get --help” lists the options."

    @Test(arguments: [
        (
            "Unknown option '-X'",
            "There is no option “-X”. Write the method in front of the URL: bluebonnet PUT example.org."
        ),
        (
            "Unknown option '--verbos'. Did you mean '--raw'?",
            "There is no option “--verbos”; did you mean “--verbose”?"
        ),
        ("Unknown option '--from'", "There is no option “--from”; did you mean “--form”?"),
        ("Unknown option '--verb'", "There is no option “--verb”; did you mean “--verbose”?"),
        ("Unknown option '-y'\n   or: Missing value", "There is no option “-y”. \(lists)"),
        ("Missing value for '--timeout <seconds>'", "The value of --timeout <seconds> is missing. \(lists)"),
        (
            "The value 'x' is invalid for '--timeout <seconds>'",
            "--timeout must be a number of seconds, not “x”."
        ),
        (
            "The value 'it's' is invalid for '--auth-type <type>'. Please provide one of 'basic', 'digest' or 'bearer'.",
            "--auth-type must be basic, digest or bearer, not “it's”."
        ),
        (
            "The value 'x' is invalid for '-X <method>'. Please provide one of 'put' and 'post'.",
            "-X must be put or post, not “x”."
        ),
        ("The value '' is invalid for '-p <parts>'", "-p must be some of the letters HBhbm, not “”."),
        ("The value 'x' is invalid for '--new <thing>'", "--new cannot be “x”. \(lists)"),
        (
            "Value to be set with flag '--http1.1' had already been set with flag '--http2'",
            "--http2 and --http1.1 cannot be used together."
        ),
        (
            "The value 'x' is invalid for '-A <type>'. Please provide one of 'basic' and 'digest'.",
            "-A must be basic or digest, not “x”. For curl's -A, write User-Agent:NAME behind the URL."
        ),
        ("2 unexpected arguments: 'a', 'b'", "2 unexpected arguments: “a”, “b”. \(lists)"),
        ("--jobs must be between 1 and 10000.", "--jobs must be between 1 and 10000."),
    ])
    func `a message is a sentence with a piece of advice`(error: String, text: String) {
        let options = ["--verbose", "-v", "--form"]
        #expect(UsageMessage(error, command: "bluebonnet get", options: { options }).text == text)
    }

    @Test func `an option of requests is not taken for a misspelt one of another command`() {
        let message = UsageMessage(
            "Unknown option '--offline'",
            command: "bluebonnet download",
            options: { ["--version"] },
            requestOptions: { ["--offline"] }
        )
        let expected = "“bluebonnet download” has no option “--offline”; requests have it, such as “bluebonnet get”."
        #expect(message.text == expected)
    }

    @Test(arguments: [
        ("Unexpected argument '8080'", "Unexpected argument “8080”. Write --port 8080."),
        ("Unexpected argument ':8080'", "Unexpected argument “:8080”. Write --port 8080."),
        (
            "2 unexpected arguments: '127.0.0.1', '80'",
            "2 unexpected arguments: “127.0.0.1”, “80”. Write --port 80."
        ),
        ("Unexpected argument 'a'", "Unexpected argument “a”. “bluebonnet serve --help” lists the options."),
    ])
    func `an argument that is a port gets a hint where there is an option for it`(error: String, text: String) {
        let message = UsageMessage(error, command: "bluebonnet serve", options: { ["--port", "--host"] })
        #expect(message.text == text)
    }

    @Test func `an option of curl with its value is named, whatever its letters mean here`() {
        let message = UsageMessage(
            "--remote-name and --print cannot be used together.",
            command: "bluebonnet get",
            options: { ["-O", "--remote-name", "--print"] },
            arguments: ["-XPOST", "http://a/", "--print=H"]
        )
        #expect(message.text.hasPrefix("There is no option “-XPOST”. Write the method in front"), "\(message.text)")
        let arguments = ["get", "-Ox", "--", "-XPOST"]
        let own = UsageMessage("-O is wrong.", command: "x", options: { ["-O"] }, arguments: arguments)
        #expect(own.text == "-O is wrong.")
    }

    @Test(arguments: [
        (["--nope"], "There is no option “--nope”. \(lists)"),
        (["-v", "--vebose=1"], "There is no option “--vebose”; did you mean “--verbose”?"),
        (["-V"], "There is no option “-V”. Write --version."), (["-v"], "The argument <url> is missing."),
        (["-vv", "-1", "--", "--nope"], "The argument <url> is missing."),
    ])
    func `an option that does not exist is named where an argument is missing, too`(arguments: [String], part: String) {
        let message = UsageMessage(
            "Missing expected argument '<url>'",
            command: "bluebonnet get",
            options: { ["--verbose", "-v"] },
            arguments: arguments
        )
        #expect(message.text.contains(part), "\(message.text)")
    }
}
