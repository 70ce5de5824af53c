import Foundation
import Testing

@testable import Bluebonnet

@Suite struct SystemNameResolverTests {
    @Test func `the failure of a lookup names the error of the system that it refers to`() {
        let failure = SystemNameResolver.Failure(code: EAI_SYSTEM, errno: EMFILE)
        #expect(failure.description.hasSuffix(": Too many open files"), "\(failure)")
        let unknown = SystemNameResolver.Failure(code: EAI_NONAME, errno: EMFILE)
        #expect(unknown.description == "Name or service not known")
    }
}
