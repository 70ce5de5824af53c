import Foundation
import Testing

@testable import Bluebonnet

@Suite struct FileResponseSerializerTests {
    @Test func `the body is written and its URL is the value`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "a b.bin")
            #expect(try ResponseExample(200, nil, "hello").serialized(as: .file(file)) == file)
            #expect(try Data(contentsOf: file) == Data("hello".utf8))
            #expect(try names(in: folder) == ["a b.bin"])
        }
    }

    @Test func `a file that stands there is replaced only when asked`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "x")
            try Data("old".utf8).write(to: file)
            let error = ResponseExample(200, nil, "new").error(as: .file(file))
            #expect(error?.code == .outputFailed)
            #expect(error?.bodyString == "new")
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            _ = try ResponseExample(200, nil, "new").serialized(as: .file(file, options: .overwrite))
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(try names(in: folder) == ["x"])
        }
    }

    @Test func `missing folders are made only when asked`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "a/b/x")
            #expect(ResponseExample(200, nil, "1").error(as: .file(file))?.code == .outputFailed)
            _ = try ResponseExample(200, nil, "1").serialized(as: .file(file, options: .createDirectories))
            #expect(try Data(contentsOf: file) == Data("1".utf8))
        }
    }

    @Test func `an error page is not saved`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "x")
            #expect(ResponseExample(404, nil, "gone").error(as: .file(file))?.code == .unacceptableStatusCode)
            #expect(try names(in: folder) == [])
        }
    }
}
