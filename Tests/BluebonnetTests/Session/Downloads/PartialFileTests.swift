import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// Files of unfinished downloads.
struct PartialFileTests {
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://example.com/a"))
    }

    private func target(_ file: URL, _ options: DownloadTarget.Options = []) throws -> PartialFile.Target {
        try PartialFile.Target(DownloadTarget(file, options: options))
    }

    @Test func `a file that was left behind is emptied, not appended to`() async throws {
        try await withDirectory { directory in
            let target = try target(directory.appending(path: "a"))
            let record = DownloadRecord(url: url, length: nil, validator: .entityTag("\"a\""), fields: .init())
            let left = try PartialFile(for: target, from: url)
            try left.begin(record)
            try left.file.write([ByteBuffer(string: "left")])
            #expect(try left.keep() == 4)
            let partial = try PartialFile(for: target, from: url)
            #expect(try partial.count() == 4)
            try partial.begin(record)
            #expect(try partial.count() == 0)
        }
    }

    @Test func `a link in its place is not followed`() async throws {
        try await withDirectory { directory in
            let (file, other) = (directory.appending(path: "a"), directory.appending(path: "other"))
            try Data("mine".utf8).write(to: other)
            let link = directory.appending(path: "a.bluebonnet")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
            #expect(throws: SystemFile.Failure.self) { try PartialFile(for: target(file), from: url) }
            try FileManager.default.removeItem(at: link)
            try FileManager.default.linkItem(at: other, to: link)
            #expect(throws: SystemFile.Failure.self) { try PartialFile(for: target(file), from: url) }
            #expect(try Data(contentsOf: other) == Data("mine".utf8))
        }
    }

    @Test func `two files with one wish get two names`() async throws {
        try await withDirectory { directory in
            let target = try target(directory.appending(path: "a.txt"), .uniqueName)
            let (first, second) = (try PartialFile(for: target, from: url), try PartialFile(for: target, from: url))
            #expect(try names(in: directory) == ["a 2.txt.bluebonnet", "a.txt.bluebonnet"])
            #expect(try second.commit(to: target).hasSuffix("/a.txt"))
            #expect(try first.commit(to: target).hasSuffix("/a 2.txt"))
            #expect(try names(in: directory) == ["a 2.txt", "a.txt"])
        }
    }

    @Test func `a file whose copy gets the name keeps its record until it is removed`() async throws {
        try await withDirectory { directory in
            let target = try target(directory.appending(path: "a"))
            let record = DownloadRecord(url: url, length: nil, validator: .entityTag("\"a\""), fields: .init())
            let partial = try PartialFile(for: target, from: url)
            try partial.begin(record)
            let copy = try partial.copy(for: target)
            _ = try partial.commit(to: target, copy)
            #expect(try names(in: directory) == ["a"])
            // A process that ends in between leaves a file that another download may empty.
            #expect(try DownloadRecord(of: partial.file) == record)
            #expect(try copy.attribute(DownloadRecord.attribute) == nil)
        }
    }

    @Test(arguments: [(EDQUOT, "Disk quota exceeded"), (ENOSPC, "No space left on device")])
    func `a disk that takes no more is an error with its reason`(code: CInt, reason: String) {
        let failure = SystemFile.Failure(path: "/a.bluebonnet", code: code)
        let error = FileOutput.failure(failure, of: "The download")
        #expect(error.code == .outputFailed)
        #expect(error.message == "The download could not be written: /a.bluebonnet: \(reason)")
        #expect(error.underlying?.systemErrorNumber == code)
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
            let partial = try PartialFile(for: target, from: url)
            #expect(try partial.commit(to: target).hasSuffix(name))
            #expect(try names(in: directory) == [name])
        }
    }

    @Test(arguments: [247, 254, 255])
    func `long names have numbers and partial files of their own`(length: Int) async throws {
        try await withDirectory { directory in
            let stem = String(repeating: "x", count: length - 6)
            let first = try target(directory.appending(path: "\(stem)a.tgz"), .uniqueName)
            let second = try target(directory.appending(path: "\(stem)b.tgz"), .uniqueName)
            let partials = try [first, first, second].map { try PartialFile(for: $0, from: url) }
            let paths = [
                try partials[0].commit(to: first), try partials[1].commit(to: first),
                try partials[2].commit(to: second),
            ]
            #expect(Set(paths).count == 3)
            #expect(paths[1].hasSuffix(" 2.tgz"))
            #expect(paths.allSatisfy { $0.utf8.count - directory.path.utf8.count - 1 <= 255 })
            #expect(try names(in: directory).count == 3)
        }
    }

    @Test func `room is reserved in steps that grow with what was received`() {
        let least = PartialFileWriter.reservations.lowerBound
        let most = PartialFileWriter.reservations.upperBound
        #expect(PartialFileWriter.reservation(after: 0, length: 9) == 9)
        #expect(PartialFileWriter.reservation(after: 0, length: .max) == least)
        #expect(PartialFileWriter.reservation(after: 10 * least, length: .max) == 20 * least)
        #expect(PartialFileWriter.reservation(after: 10 * most, length: .max) == 11 * most)
        #expect(PartialFileWriter.reservation(after: .max - 5, length: .max) == .max)
    }

    @Test func `how much the disk has never falls`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")), from: url)
            try partial.begin(DownloadRecord(url: url, length: nil, validator: nil, fields: .init()))
            let token = partial.record?.token
            try partial.secure(.beginning(9), of: token)
            try partial.secure(.beginning(5), of: token)
            #expect(partial.record?.secured == 9)
            #expect(try DownloadRecord(of: partial.file)?.secured == 9)
        }
    }

    @Test func `what is missing of a file in parts never grows, whoever notes it last`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")), from: url)
            var record = DownloadRecord(url: url, length: 100, validator: .entityTag("\"a\""), fields: .init())
            record.missing = [0..<100]
            try partial.begin(record)
            partial.note(missing: [40..<100])
            partial.note(missing: [20..<100])
            #expect(try DownloadRecord(of: partial.file)?.missing == [40..<100])
            // After the end of the process as much is known as after a loss of power.
            try partial.secure(.all(but: [60..<100]), of: record.token)
            #expect(try DownloadRecord(of: partial.file)?.missing == [60..<100])
            try partial.secure(.all(but: [50..<100]), of: record.token)
            #expect(try DownloadRecord(of: partial.file)?.missingOnDisk == [60..<100])
            #expect(partial.record == (try DownloadRecord(of: partial.file)))
        }
    }

    @Test func `a record that was too long stays short`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")), from: url)
            let tag = "\"" + String(repeating: "x", count: 100_000) + "\""
            try partial.begin(DownloadRecord(url: url, length: nil, validator: .entityTag(tag), fields: .init()))
            try partial.secure(.beginning(9), of: partial.record?.token)
            let record = try DownloadRecord(of: partial.file)
            #expect(record?.secured == 9 && record?.validator == nil)
            #expect(partial.record?.validator == .entityTag(tag))
        }
    }

    @Test func `a writer that is closed leaves the file alone`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")), from: url)
            let writer = try PartialFileWriter(partial, at: 0, length: nil)
            _ = try writer.write([ByteBuffer(string: "here")])
            await writer.close()
            #expect(throws: CancellationError.self) { try writer.write([ByteBuffer(string: "late")]) }
            #expect(try partial.count() == 4)
        }
    }

    @Test func `who closes a file waits for the write that is under way, and none begins after it`() async throws {
        let writes = OngoingWrites()
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let events = EventLog<String>()
        let writer = Thread {
            _ = try? writes.perform {
                begun.signal()
                goOn.wait()
                events.append("written")
            }
        }
        writer.start()
        try await BlockingThreads.files.run { begun.wait() }
        let closing = Task {
            await writes.close()
            events.append("closed")
        }
        try await until("the file is closed") {
            do {
                try writes.perform {}
                return false
            } catch {
                return true
            }
        }
        #expect(events.events == [])
        goOn.signal()
        await closing.value
        #expect(events.events == ["written", "closed"])
    }

    @Test func `a file whose name somebody removed is known to have none`() async throws {
        try await withDirectory { directory in
            let partial = try PartialFile(for: target(directory.appending(path: "a")), from: url)
            #expect(partial.file.hasItsName)
            partial.file.remove()
            #expect(!partial.file.hasItsName)
            try Data().write(to: directory.appending(path: "a.bluebonnet"))
            #expect(!partial.file.hasItsName)
        }
    }
}
