import ArgumentParser
import Testing

@testable import BluebonnetCommand

@Suite struct RequestOptionsTests {
    /// The values of all options as a text.
    private func text(_ options: RequestOptions?) -> String { options.map { String(describing: $0) } ?? "none" }

    @Test(arguments: [
        [":8080/get"], ["example.org/users", "page==2", "Accept:application/json"], ["example.org", "name=Ada", ""],
        [""],
    ])
    func `arguments without options are read as ArgumentParser reads them`(_ arguments: [String]) throws {
        #expect(text(RequestOptions(plain: arguments)) == text(try RequestOptions.parse(arguments)))
    }

    @Test(arguments: [
        "--json", "-j", "--form", "-f", "--multipart", "--chunked", "--compress", "-x", "--ignore-stdin", "-I",
        "--verbose", "-v", "--include", "-i", "--stream", "--raw-output", "-r", "--offline", "--curl", "--location",
        "-L", "--follow", "--no-follow", "--check-status", "--no-check-status", "--path-as-is", "--remote-name", "-O",
        "--headers", "--body", "--meta", "--all", "--quiet", "-q", "--timings", "--json-errors", "--insecure", "-k",
    ])
    func `a flag is read as ArgumentParser reads it`(_ flag: String) throws {
        for arguments in [[":8080/get", flag, "a=b"], [flag, "POST", ":8080/get", "--no-follow", "--follow"]] {
            #expect(text(RequestOptions(plain: arguments)) == text(try RequestOptions.parse(arguments)))
        }
    }

    @Test(arguments: [
        [], ["-v"], ["-vi", ":8080/get"], [":8080/get", "--timeout=3"], [":8080/get", "--", "name=Ada"], ["-"],
        ["--verbos", ":8080/get"], ["--raw", "-v", ":8080/get"], ["--version", ":8080/get"], ["--help"],
    ])
    func `arguments with other options or without a URL are left to ArgumentParser`(_ arguments: [String]) {
        #expect(text(RequestOptions(plain: arguments)) == "none")
    }

    @Test(arguments: [
        ["--json", "--form"], ["-L", "--no-follow"], ["--offline", "--curl"], ["-q", "-v"], ["-q", "--body"],
        ["-O", "-i"], ["--curl", "--timings"],
    ])
    func `the messages for flags that exclude each other are those of ArgumentParser`(_ flags: [String]) {
        #expect(text(RequestOptions(plain: flags + [":8080/get"])) == "none")
    }

    @Test(arguments: [
        ["-O", "--pretty=all"], ["-o", "x", "--pretty=format"], ["--continue", "-o", "x", "--pretty", "all"],
        ["--raw-output", "--pretty=colors"], ["-r", "--pretty=format"],
    ])
    func `a format is refused where the body stays as it is`(options: [String]) {
        #expect(throws: (any Error).self) { try RequestOptions.parse(["example.org"] + options) }
    }

    @Test(arguments: [
        ["-o", "x", "--pretty=colors"], ["-o", "-", "--pretty=all"], ["-v", "-o", "x", "--pretty=all"],
        ["-r", "--pretty=none"], ["-r", "--pretty=auto"], ["-O", "--pretty=none"],
    ])
    func `a format is for what is shown`(options: [String]) throws {
        _ = try RequestOptions.parse(["example.org"] + options)
    }
}
