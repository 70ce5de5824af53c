import Testing

@testable import BluebonnetCommand

@Suite struct StandardInputTests {
    @Test(arguments: [
        (["timeout", "5", "bluebonnet", ":1/"], true), (["sudo", "bluebonnet", ":1/"], true),
        (["bluebonnet", ":1/"], false), (["sh", "-c", "bluebonnet :1/; true"], false),
        (["sh", "script", ":1/"], false), ([], false),
    ])
    func `a program whose arguments end with the command only runs it`(caller: [String], isWrapper: Bool) {
        let words = caller.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
        #expect(StandardInput.isWrapper(words, of: ["bluebonnet", ":1/"]) == isWrapper)
    }
}
