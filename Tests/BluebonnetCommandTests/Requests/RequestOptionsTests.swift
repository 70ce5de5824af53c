import ArgumentParser
import Testing

@testable import BluebonnetCommand

@Suite struct RequestOptionsTests {
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
