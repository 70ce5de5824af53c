import Foundation
import Testing

@testable import Bluebonnet

/// Files of unfinished downloads.
struct PartialFileTests {
    private func target(_ file: URL, _ options: DownloadTarget.Options = []) throws -> PartialFile.Target {
        try PartialFile.Target(DownloadTarget(file, options: options))
    }

    @Test func `a file that was left behind is emptied, not appended to`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a")
            try Data("left".utf8).write(to: directory.appending(path: "a.bluebonnet"))
            let partial = try PartialFile(for: target(file))
            #expect(try partial.count() == 0)
        }
    }

    @Test func `a link in its place is not followed`() async throws {
        try await withDirectory { directory in
            let (file, other) = (directory.appending(path: "a"), directory.appending(path: "other"))
            try Data("mine".utf8).write(to: other)
            let link = directory.appending(path: "a.bluebonnet")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
            #expect(throws: SystemFile.Failure.self) { try PartialFile(for: target(file)) }
            try FileManager.default.removeItem(at: link)
            try FileManager.default.linkItem(at: other, to: link)
            #expect(throws: SystemFile.Failure.self) { try PartialFile(for: target(file)) }
            #expect(try Data(contentsOf: other) == Data("mine".utf8))
        }
    }

    @Test func `two files with one wish get two names`() async throws {
        try await withDirectory { directory in
            let target = try target(directory.appending(path: "a.txt"), .uniqueName)
            let (first, second) = (try PartialFile(for: target), try PartialFile(for: target))
            #expect(try names(in: directory) == ["a 2.txt.bluebonnet", "a.txt.bluebonnet"])
            #expect(try second.commit(to: target).hasSuffix("/a.txt"))
            #expect(try first.commit(to: target).hasSuffix("/a 2.txt"))
            #expect(try names(in: directory) == ["a 2.txt", "a.txt"])
        }
    }

    @Test func `a link to nothing is an error`() async throws {
        try await withDirectory { directory in
            let link = directory.appending(path: "a")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.appending(path: "none"))
            #expect(throws: SystemFile.Failure.self) { try target(link) }
        }
    }

    @Test func `the longest name has a partial file`() async throws {
        try await withDirectory { directory in
            let name = String(repeating: "x", count: 255)
            let target = try target(directory.appending(path: name))
            let partial = try PartialFile(for: target)
            #expect(try partial.commit(to: target).hasSuffix(name))
            #expect(try names(in: directory) == [name])
        }
    }

    @Test func `a file whose name somebody removed is known to have none`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")))
            #expect(partial.file.hasItsName)
            partial.file.remove()
            #expect(!partial.file.hasItsName)
            try Data().write(to: directory.appending(path: "a.bluebonnet"))
            #expect(!partial.file.hasItsName)
        }
    }
}
