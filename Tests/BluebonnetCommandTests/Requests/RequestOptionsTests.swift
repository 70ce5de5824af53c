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

    @Test(arguments: [[], ["-v", ":8080/get"], [":8080/get", "--timeout=3"], [":8080/get", "--", "name=Ada"], ["-"]])
    func `arguments with options or without a URL are left to ArgumentParser`(_ arguments: [String]) {
        #expect(text(RequestOptions(plain: arguments)) == "none")
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
