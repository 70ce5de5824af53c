import Bluebonnet
import Testing

@testable import BluebonnetCommand

@Suite struct ErrorReportTests {
    private func line(_ code: NetworkingError.Code, _ message: String, isJSON: Bool = false) -> String {
        ErrorReport.line(CommandFailure(NetworkingError(code, message)), isJSON: isJSON)
    }

    @Test func `a failure is a sentence, and advice where there is some`() {
        #expect(line(.connectionLost, "It broke.") == "bluebonnet: It broke.")
        #expect(
            line(.requestTimeout, "It was late.") == "bluebonnet: It was late. --timeout SECONDS allows more time."
        )
        #expect(
            line(.dnsLookupFailed, "“x” is unknown: No address")
                == "bluebonnet: “x” is unknown: No address. Check the name, and the network."
        )
    }

    @Test(arguments: [
        NetworkingError(.tooManyRedirects, "More than 20."),
        NetworkingError(.requestBodyNotReplayable, "Set expectsContinue."),
    ])
    func `advice about options and items of requests is for requests only`(error: NetworkingError) {
        #expect(CommandFailure(error).message == error.message)
        #expect(CommandFailure(error, ofRequest: true).message.hasPrefix(error.message + " "))
    }

    @Test func `a failure as JSON has the code and the exit status`() {
        #expect(
            line(.connectionLost, "It broke.", isJSON: true)
                == #"{"error":{"code":"connection-lost","message":"It broke."},"exitStatus":1}"#
        )
        #expect(
            ErrorReport.line(.usage("No."), isJSON: true)
                == #"{"error":{"code":"invalid-usage","message":"No."},"exitStatus":2}"#
        )
    }

    @Test func `a failure cannot steer the terminal`() {
        #expect(!ErrorReport.line(.usage("a\u{1B}]0;b\u{7}c"), isJSON: false).utf8.contains { $0 < 0x20 })
    }
}
