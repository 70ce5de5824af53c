import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file is moved only to a name that is free, in every way that file systems offer.
struct AtomicFileTests {
    private func part(_ text: String, for destination: URL) throws -> AtomicFile {
        let file = try AtomicFile(for: destination.path(percentEncoded: false))
        try file.part.write([ByteBuffer(string: text)])
        return file
    }

    @Test func `a file for its owner alone is one before anything is written`() async throws {
        try await withDirectory { directory in
            let file = try AtomicFile(for: directory.appending(path: "file").path(percentEncoded: false), mode: 0o600)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.part.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 0)
            file.discard()
        }
    }

    @Test func `the error of a file that cannot be made names the destination`() throws {
        let error = #expect(throws: SystemFile.Failure.self) { try AtomicFile(for: "/nonexistent/file") }
        #expect(error?.path == "/nonexistent/file")
        #expect(error?.code == ENOENT)
    }

    @Test(arguments: AtomicFile.ExclusiveMove.allCases)
    func `an exclusive move takes a free name and leaves a taken one alone`(way: AtomicFile.ExclusiveMove) async throws
    {
        try await withDirectory { directory in
            let place = directory.appending(path: "file")
            try part("one", for: place).commit(replaces: false, ways: [way])
            #expect(try String(contentsOf: place, encoding: .utf8) == "one")
            let second = try part("two", for: place)
            let failure = #expect(throws: SystemFile.Failure.self) {
                try second.commit(replaces: false, ways: [way])
            }
            #expect(failure?.code == EEXIST)
            #expect(try String(contentsOf: place, encoding: .utf8) == "one")
            second.discard()
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test(arguments: AtomicFile.ExclusiveMove.allCases)
    func `of many exclusive moves to one name exactly one succeeds`(way: AtomicFile.ExclusiveMove) async throws {
        try await withDirectory { directory in
            let place = directory.appending(path: "file")
            let winners = await withTaskGroup(of: String?.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        guard let file = try? part("\(number)", for: place) else { return nil }
                        do {
                            try file.commit(replaces: false, ways: [way])
                            return "\(number)"
                        } catch {
                            file.discard()
                            return nil
                        }
                    }
                }
                return await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
            }
            let text = try String(contentsOf: place, encoding: .utf8)
            #expect(winners == [text])
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test func `an exclusive move does not replace a dangling link`() async throws {
        try await withDirectory { directory in
            let place = directory.appending(path: "file")
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: directory.appending(path: "gone"))
            for way in AtomicFile.ExclusiveMove.allCases {
                let file = try part("one", for: place)
                #expect(throws: SystemFile.Failure.self) {
                    try file.commit(replaces: false, ways: [way])
                }
                file.discard()
            }
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test func `a failed exclusive move leaves no reservation`() async throws {
        try await withDirectory { directory in
            let place = directory.appending(path: "file")
            let file = try part("one", for: place)
            file.discard()
            for way in AtomicFile.ExclusiveMove.allCases {
                let failure = #expect(throws: SystemFile.Failure.self) {
                    try file.commit(replaces: false, ways: [way])
                }
                #expect(failure?.code == ENOENT)
            }
            #expect(try names(in: directory).isEmpty)
        }
    }
}
