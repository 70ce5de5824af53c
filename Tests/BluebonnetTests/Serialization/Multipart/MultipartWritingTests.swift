import Foundation
import Testing

@testable import Bluebonnet

/// Forms that are written to a file: the whole form is in the file, or nothing is left.
struct MultipartWritingTests {
    private func form() throws -> MultipartFormData {
        var form = try MultipartFormData(boundary: "B")
        form.append(Data(repeating: 7, count: 2_000_000), name: "n", fileName: "f")
        form.append(name: "s") { Pieces(["a", "b"]) }
        return form
    }

    @Test func `a form written to a file is the same body, sent from the file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a form")
            let body = try await form().write(to: file)
            let written = try Data(contentsOf: file)
            #expect(try await written == Data(form().makeBody().bytes()))
            // A form with a stream of unknown length has a length now.
            #expect(body.length == written.count && body.isReplayable)
            #expect(try await Data(body.bytes()) == written)
            #expect(try names(in: directory) == ["a form"])
        }
    }

    @Test func `a form written to a file replaces an existing file unless that is forbidden`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "form")
            try Data("old".utf8).write(to: file)
            let error = try await networkingError { try await form().write(to: file, overwrites: false) }
            #expect(error.code == .outputFailed)
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            try await form().write(to: file)
            #expect(try Data(contentsOf: file).count > 2_000_000)
            #expect(try names(in: directory) == ["form"])
        }
    }

    @Test func `a form that cannot be written leaves the existing file, and nothing else`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "form")
            try Data("old".utf8).write(to: file)
            var short = try form()
            short.append(stream: Pieces(["abc"]), name: "s", length: 4)
            let mismatch = try await networkingError { try await short.write(to: file) }
            #expect(mismatch.code == .requestBodyLengthMismatch)
            var failing = try form()
            failing.append(stream: Pieces(["abc"], error: Pieces.Broken()), name: "s")
            let failure = try await networkingError { try await failing.write(to: file) }
            #expect(failure.code == .requestBodyFailed)
            #expect(try names(in: directory) == ["form"])
            #expect(try Data(contentsOf: file) == Data("old".utf8))
        }
    }

    @Test func `a form is written to the target of a link, and the link stays`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            let link = directory.appending(path: "link")
            try Data("old".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            try await form().write(to: link)
            #expect(try Data(contentsOf: file).count > 2_000_000)
            #expect(throws: Never.self) {
                try FileManager.default.destinationOfSymbolicLink(atPath: link.path(percentEncoded: false))
            }
        }
    }

    @Test func `a form is not written to an unwritable destination`() async throws {
        try await withDirectory { directory in
            let web = try #require(URL(string: "https://example.com/a"))
            for place in [directory, web, directory.appending(path: "no/such/folder")] {
                let error = try await networkingError { try await form().write(to: place) }
                #expect(error.code == .outputFailed, "\(error)")
            }
            var bad = try form()
            bad.append("x", name: "a\nb")
            let fault = try await networkingError { try await bad.write(to: directory.appending(path: "f")) }
            #expect(fault.code == .requestSerializationFailed)
            #expect(try names(in: directory).isEmpty)
        }
    }

    @Test func `cancelling the writing of a form removes what was written so far`() async throws {
        try await withDirectory { directory in
            var endless = MultipartFormData()
            let (begun, signal) = AsyncStream<Void>.makeStream()
            endless.append(name: "s") {
                AsyncStream<[UInt8]>(unfolding: {
                    signal.yield()
                    return [1]
                })
            }
            let form = endless
            let task = Task { try await form.write(to: directory.appending(path: "form")) }
            for await _ in begun.prefix(1) {}
            task.cancel()
            let error = try await networkingError { _ = try await task.value }
            #expect(error.code == .cancelled)
            #expect(try names(in: directory).isEmpty)
        }
    }
}
