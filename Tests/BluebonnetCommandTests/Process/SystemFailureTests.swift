import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct SystemFailureTests {
    @Test func `an error of Foundation about a file has the reason of the system`() {
        let error = #expect(throws: (any Error).self) {
            try Data().write(to: URL(filePath: "/no/such/folder/x"), options: .atomic)
        }
        #expect(error.flatMap { SystemFailure("x", of: $0)?.description } == "x: No such file or directory")
        #expect(SystemFailure("x", of: SystemFailure("y", code: ENOSPC))?.description == "y: No space left on device")
        #expect(SystemFailure("x", of: CancellationError()) == nil)
    }
}
