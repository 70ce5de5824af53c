import Foundation
import Testing

@testable import Bluebonnet

/// What has to be on the disk for a file to outlive a loss of power.
struct SystemFileKeepingTests {
    @Test(arguments: ["gone", "gone/", "gone//"])
    func `the folder that has the name of a file or a folder is synchronized, not that itself`(
        name: String
    ) async throws {
        try await withDirectory { directory throws in
            // Only the folder around it is there.
            let folder = directory.path(percentEncoded: false)
            try SystemFile.synchronizeFolder(of: folder + (folder.hasSuffix("/") ? "" : "/") + name)
        }
    }
}
