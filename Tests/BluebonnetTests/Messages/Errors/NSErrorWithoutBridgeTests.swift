import Bluebonnet
import Foundation
import Testing

/// `error as NSError` in a file that does not import BluebonnetFoundation.
struct NSErrorWithoutBridgeTests {
    @Test(arguments: NetworkingError.Code.all)
    func `without BluebonnetFoundation an NSError has domain, number and sentence`(code: NetworkingError.Code) {
        let error = NetworkingError(code, "It failed.")
        let converted = error as NSError
        #expect(converted.domain == error.domain && converted.code == error.number)
        #expect(converted.localizedDescription == "It failed.")
        #expect((error as any Error).localizedDescription == "It failed.")
    }
}
