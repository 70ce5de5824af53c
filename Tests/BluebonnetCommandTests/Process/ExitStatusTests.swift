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
            (200, 0), (300, 3), (301, 3), (302, 3), (303, 3), (304, 0), (307, 3), (308, 3), (404, 4), (503, 5),
        ] as [(Int, Int32)]
    )
    func `a redirect that is not followed has the exit status of HTTPie`(code: Int, status: Int32) {
        #expect(ExitStatus(statusCode: code, followsRedirects: false).rawValue == status)
    }

    @Test(
        arguments: [
            (NetworkingError.Code.connectFailed, 1), (.dnsLookupFailed, 1), (.connectionLost, 1),
            (.truncatedResponse, 1),
            (.tooManyRedirects, 6), (.outputFailed, 1), (.invalidURL, 2), (.unsupportedScheme, 2), (.invalidRequest, 2),
            (.waitingTimeout, 28), (.connectTimeout, 28), (.firstByteTimeout, 28), (.betweenBytesTimeout, 28),
            (.requestTimeout, 28), (.dnsLookupTimeout, 28),
            (.certificateUntrusted, 60), (.certificateExpired, 60), (.certificateNotYetValid, 60),
            (.certificateHostMismatch, 60), (.certificateInvalid, 60), (.certificateWeak, 60),
            (.certificateNotPinned, 60), (.certificateRevoked, 60), (.invalidTrustConfiguration, 2), (.tlsFailed, 60),
        ] as [(NetworkingError.Code, Int32)]
    )
    func `the code of an error decides the exit status`(code: NetworkingError.Code, status: Int32) {
        #expect(ExitStatus(NetworkingError(code, "")).rawValue == status)
    }

    @Test func `the help names every exit status`() {
        for status in ExitStatus.allCases {
            #expect(ExitStatus.help.contains(" \(status.rawValue)  "))
        }
    }
}
