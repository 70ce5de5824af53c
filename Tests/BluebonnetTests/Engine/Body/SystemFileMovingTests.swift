import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file gets a name that is free, whatever the file system can do for that.
struct SystemFileMovingTests {
    private func names(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false)).sorted()
    }

    private func part(_ text: String, for destination: URL) throws -> SystemFile {
        let file = try SystemFile(creatingPartFor: destination.path(percentEncoded: false))
        try file.write([ByteBuffer(string: text)])
        return file
    }

    @Test(arguments: SystemFile.ExclusiveMove.allCases)
    func `a free name is taken and a taken one is left alone`(way: SystemFile.ExclusiveMove) async throws {
        try await TestSession.withDirectory { directory in
            let place = directory.appending(path: "file")
            try part("one", for: place).move(to: place.path, replaces: false, ways: [way])
            #expect(try String(contentsOf: place, encoding: .utf8) == "one")
            let second = try part("two", for: place)
            let failure = #expect(throws: SystemFile.Failure.self) {
                try second.move(to: place.path, replaces: false, ways: [way])
            }
            #expect(failure?.code == EEXIST)
            #expect(try String(contentsOf: place, encoding: .utf8) == "one")
            second.remove()
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test(arguments: SystemFile.ExclusiveMove.allCases)
    func `of many exactly one gets the name`(way: SystemFile.ExclusiveMove) async throws {
        try await TestSession.withDirectory { directory in
            let place = directory.appending(path: "file")
            let winners = await withTaskGroup(of: String?.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        guard let file = try? part("\(number)", for: place) else { return nil }
                        do {
                            try file.move(to: place.path, replaces: false, ways: [way])
                            return "\(number)"
                        } catch {
                            file.remove()
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

    @Test func `a link that leads nowhere takes its name too`() async throws {
        try await TestSession.withDirectory { directory in
            let place = directory.appending(path: "file")
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: directory.appending(path: "gone"))
            for way in SystemFile.ExclusiveMove.allCases {
                let file = try part("one", for: place)
                #expect(throws: SystemFile.Failure.self) {
                    try file.move(to: place.path, replaces: false, ways: [way])
                }
                file.remove()
            }
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test func `a move that fails leaves no reservation`() async throws {
        try await TestSession.withDirectory { directory in
            let place = directory.appending(path: "file")
            let file = try part("one", for: place)
            file.remove()
            for way in SystemFile.ExclusiveMove.allCases {
                let failure = #expect(throws: SystemFile.Failure.self) {
                    try file.move(to: place.path, replaces: false, ways: [way])
                }
                #expect(failure?.code == ENOENT)
            }
            #expect(try names(in: directory).isEmpty)
        }
    }
}
