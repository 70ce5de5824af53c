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

    @Test(
        arguments: [
            ([], "a/b; charset=c", "a/b; charset=c"), ([], nil, nil),
            (["--response-mime=x/y"], nil, "x/y"),
            (["--response-mime=x/y"], "a/b; charset=utf-8", "x/y; charset=utf-8"),
            (["--response-mime=x/y;charset=big5"], "a/b; charset=utf-8", "x/y; charset=big5"),
            (["--response-charset=big5"], "a/b; charset=utf-8", "a/b; charset=big5"),
            (["--response-charset=big5"], nil, "text/plain; charset=big5"),
            (["--response-charset=big5", "--response-mime=x/y"], nil, "x/y; charset=big5"),
        ] as [([String], String?, String?)]
    )
    func `options say by which type a body is shown`(arguments: [String], sent: String?, shown: String?) throws {
        #expect(try OutputOptions.parse(arguments).contentType(of: sent) == shown)
    }

    @Test(arguments: [
        ["--print=x"], ["--print", "Hx"], ["--quiet", "--all"], ["-q", "-p", "h"], ["--style", "pink"],
        ["--response-charset=nope"], ["--response-charset", ""], ["--response-mime=xml"],
    ])
    func `parts that do not exist, and parts of nothing, are mistakes`(arguments: [String]) {
        #expect(throws: (any Error).self) { try OutputOptions.parse(arguments) }
    }
}
