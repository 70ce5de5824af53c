import ArgumentParser
import Testing

@testable import BluebonnetCommand

@Suite struct OutputOptionsTests {
    private func parts(_ arguments: [String]) throws -> PrintedParts {
        try OutputOptions.parse(arguments).parts(usual: .responseBody)
    }

    @Test(
        arguments: [
            ([], .responseBody), (["--print=Hh"], .heads), (["-p", "HhBbm"], PrintedParts(rawValue: 31)),
            (["--headers"], .responseHead), (["--body"], .responseBody), (["--meta"], .meta),
            (["--headers", "--meta"], [.responseHead, .meta]), (["--quiet"], []), (["-q"], []),
            (["--all"], [.requestHead, .responseHead, .responseBody]), (["--all", "--print=h"], .responseHead),
        ] as [([String], PrintedParts)]
    )
    func `the options say which parts are shown`(arguments: [String], expected: PrintedParts) throws {
        #expect(try parts(arguments) == expected)
    }

    @Test(arguments: [
        ["--print=x"], ["--print", "Hx"], ["--quiet", "--all"], ["-q", "-p", "h"], ["--style", "pink"],
    ])
    func `parts that do not exist, and parts of nothing, are mistakes`(arguments: [String]) {
        #expect(throws: (any Error).self) { try OutputOptions.parse(arguments) }
    }
}
