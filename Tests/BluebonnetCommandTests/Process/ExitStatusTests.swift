import Bluebonnet
import Testing

@testable import BluebonnetCommand

@Suite struct ExitStatusTests {
    @Test(
        arguments: [(200, 0), (204, 0), (304, 0), (399, 0), (400, 4), (404, 4), (500, 5), (599, 5), (999, 5)]
            as [(Int, Int32)]
    )
    func `the class of the HTTP status decides the exit status`(code: Int, status: Int32) {
        #expect(ExitStatus(statusCode: code).rawValue == status)
    }

    @Test(
        arguments: [
            (NetworkingError.Code.connectFailed, 1), (.dnsLookupFailed, 1), (.connectionLost, 1),
            (.truncatedResponse, 1),
            (.tooManyRedirects, 1), (.outputFailed, 1), (.invalidURL, 2), (.unsupportedScheme, 2), (.invalidRequest, 2),
            (.waitingTimeout, 3), (.connectTimeout, 3), (.firstByteTimeout, 3), (.betweenBytesTimeout, 3),
            (.requestTimeout, 3), (.dnsLookupTimeout, 3),
            (.certificateUntrusted, 6), (.certificateExpired, 6), (.certificateNotYetValid, 6),
            (.certificateHostMismatch, 6), (.certificateInvalid, 6), (.certificateWeak, 6), (.certificateNotPinned, 6),
            (.certificateRevoked, 6), (.invalidTrustConfiguration, 6), (.tlsFailed, 6),
        ] as [(NetworkingError.Code, Int32)]
    )
    func `the code of an error decides the exit status`(code: NetworkingError.Code, status: Int32) {
        #expect(ExitStatus(NetworkingError(code, "")).rawValue == status)
    }

    @Test func `the help names every exit status`() {
        for status in ExitStatus.allCases {
            #expect(ExitStatus.help.contains("  \(status.rawValue)  "))
        }
    }
}
