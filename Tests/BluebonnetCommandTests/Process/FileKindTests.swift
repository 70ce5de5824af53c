import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct FileKindTests {
    @Test(
        arguments: [
            ("/dev/null", FileKind.special), ("/proc/self/exe", .link), ("/", .directory), ("/no/such/file", .missing),
        ]
    )
    func `the kind of file at a path is found`(path: String, kind: FileKind) {
        #expect(FileKind(path: path) == kind)
    }

    @Test func `a link is not a regular file`() throws {
        let directory = FileManager.default.temporaryDirectory
        let file = directory.appending(path: "file-\(UUID().uuidString)")
        let link = directory.appending(path: "link-\(UUID().uuidString)")
        defer { for url in [file, link] { try? FileManager.default.removeItem(at: url) } }
        try Data().write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(FileKind(path: file.path) == .regular)
        #expect(FileKind(path: link.path) == .link)
    }
}
