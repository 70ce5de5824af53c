import Foundation
import Testing

@testable import Bluebonnet

@Suite struct FileResponseSerializerTests {
    @Test func `the file serializer writes the body and returns the URL`() async throws {
        try await withDirectory { folder throws in
            let file = folder.appending(path: "a b.bin")
            #expect(try ResponseExample(200, nil, "hello").serialized(as: .file(file)) == file)
            #expect(try Data(contentsOf: file) == Data("hello".utf8))
            #expect(try names(in: folder) == ["a b.bin"])
        }
    }

    @Test func `the file serializer replaces an existing file unless asked not to`() async throws {
        try await withDirectory { folder throws in
            let file = folder.appending(path: "x")
            try Data("old".utf8).write(to: file)
            let error = ResponseExample(200, nil, "new").error(as: .file(file, options: .withoutOverwriting))
            #expect(error?.code == .outputFailed)
            #expect(error?.bodyString == "new")
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            _ = try ResponseExample(200, nil, "new").serialized(as: .file(file))
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(try names(in: folder) == ["x"])
        }
    }

    @Test func `the file serializer makes missing folders only when asked`() async throws {
        try await withDirectory { folder throws in
            let file = folder.appending(path: "a/b/x")
            #expect(ResponseExample(200, nil, "1").error(as: .file(file))?.code == .outputFailed)
            _ = try ResponseExample(200, nil, "1").serialized(as: .file(file, options: .createDirectories))
            #expect(try Data(contentsOf: file) == Data("1".utf8))
        }
    }

    @Test func `the file serializer does not save an error page`() async throws {
        try await withDirectory { folder throws in
            let file = folder.appending(path: "x")
            #expect(ResponseExample(404, nil, "gone").error(as: .file(file))?.code == .unacceptableStatusCode)
            #expect(try names(in: folder) == [])
        }
    }
}
