import Foundation
import Testing

@testable import BluebonnetCommand

struct DownloadOptionsTests {
    private let folder = URL(filePath: "/tmp/dl", directoryHint: .isDirectory)

    private func path(_ path: String) -> String {
        DownloadOptions.file(path, in: folder).path(percentEncoded: false)
    }

    @Test(arguments: ["~", "~/x", "~root/x", "~x", "a/~/b"])
    func `a tilde in the path of a file is a part of a name, not a home directory`(name: String) {
        #expect(path(name) == "/tmp/dl/" + name)
    }

    @Test func `a path is relative to the folder of the downloads unless it begins with a slash`() {
        #expect(path("a/../b c") == "/tmp/dl/b c")
        #expect(path("../a") == "/tmp/a")
        #expect(path("/x/a") == "/x/a")
    }
}
