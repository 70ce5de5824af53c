import Testing

@testable import BluebonnetCommand

@Suite struct HelpTextTests {
    private static let help = """
        OVERVIEW: Sends a GET.

        Examples:
          bluebonnet get example.org

        USAGE: bluebonnet get [<options>] <url>

        ARGUMENTS:
          <url>                   The URL.
                http:// may be left out.

        OUTPUT OPTIONS:
          -q, --quiet             Show nothing but errors, which are never hidden.

        OPTIONS:
          -j, --json              Ask for JSON. Fields are JSON by default.
          --max-redirects <count> The largest number: 20 by default, and more with
                                  this option.
          -O, --remote-name, --download
                                  Save the body under the name that the server
                                  suggests, or that of the URL; a taken name gets a
                                  number.
                Not for POST.
          --proxy-cacert <path>   The certificate authorities to trust for an https
                                  proxy.

        """

    @Test func `the options that most people look for are in front of the others`() {
        let full = HelpText(Self.help).full
        let lines = full.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.hasSuffix("S:") } == ["ARGUMENTS:", "OPTIONS:", "OUTPUT OPTIONS:"])
        #expect(
            lines.sorted() == Self.help.split(separator: "\n", omittingEmptySubsequences: false).dropLast().sorted()
        )
        #expect(full.contains("\n\nOUTPUT OPTIONS:\n  -q, --quiet             Show nothing"))
    }

    @Test(arguments: [
        "", "0.1.0\n", "case\nOPTIONS:\n\n:\n  ;;\nesac\n\n", "OVERVIEW: x\n\nUSAGE: y\n\nOPTIONS:\n  -h, --help  z",
    ])
    func `a text without other options stays as it is`(text: String) {
        #expect(HelpText(text).full == text)
    }

    @Test func `the short help has the beginning of what is said about each option`() {
        let short = """
            USAGE: bluebonnet get [<options>] <url>

            ARGUMENTS:
              <url>                   The URL.
                    http:// may be left out.

            OPTIONS:
              -j, --json              Ask for JSON
              --max-redirects <count> The largest number
              -O, --remote-name, --download
                                      Save the body under the name that the server suggests
              --proxy-cacert <path>   The certificate authorities to trust for an https
                                      proxy

            OUTPUT OPTIONS:
              -q, --quiet             Show nothing but errors, which are never hidden

            “bluebonnet get --help” says more about each option, and shows examples.
            """
        #expect(HelpText(Self.help).short(of: "bluebonnet get") == short)
    }
}
