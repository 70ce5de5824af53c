import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Uploads that a server with the draft "Resumable Uploads for HTTP" continues, over real sockets.
@Suite(.timeLimit(.minutes(3)))
struct ResumableUploadTests {
    /// A body that can be sent again.
    enum Source: CaseIterable, Sendable {
        case data, file, form, formWithFile, sequence, chunkedSequence
    }

    static let bytes = RangeResponses.bytes(3_000_000)
    private static let cut = 1_000_000

    private func withBody(_ source: Source, _ work: (RequestBody) async throws -> Void) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "movie")
            try Data(Self.bytes).write(to: file)
            switch source {
            case .data: try await work(.data(Data(Self.bytes)))
            case .file: try await work(.file(file))
            case .form, .formWithFile:
                var form = MultipartFormData()
                form.append("Ada", name: "user")
                if source == .form { form.append(Data(Self.bytes), name: "movie") }
                if source == .formWithFile { try form.append(fileURL: file, name: "movie") }
                var request = try Request(.post, to: "http://localhost/")
                try request.setBody(multipart: form)
                try await work(try #require(request.body))
            case .sequence, .chunkedSequence:
                let length = source == .sequence ? Self.bytes.count : nil
                try await work(
                    .stream(length: length) {
                        AsyncStream { continuation in
                            for start in stride(from: 0, to: Self.bytes.count, by: 70_001) {
                                continuation.yield(Self.bytes[start..<min(start + 70_001, Self.bytes.count)])
                            }
                            continuation.finish()
                        }
                    }
                )
            }
        }
    }

    // MARK: Cuts

    @Test(arguments: Source.allCases)
    func `an upload that is cut goes on where the server is`(_ source: Source) async throws {
        try await ResumableUploadServer.run(.init { $0.cuts = [Self.cut] }) { server in
            try await withBody(source) { body in
                let whole = try await body.bytes()
                try await withSession(.withoutPauses) { session in
                    var request = try Request(.post, to: server.baseURL + "/videos", body: body)
                    request.headerFields[.authorization] = "Bearer x"
                    request.headerFields[.contentType] = "video/mp4"
                    let task = session.uploadTask(for: request, as: .json)
                    let response = try await task.result.get()
                    #expect(response.head.status.code == 201)
                    #expect(response.value["length"] == .number(JSONNumber(whole.count)))
                    #expect(task.currentProgress.upload.completed == whole.count)
                    #expect(task.metrics?.transactions.map(\.request.method) == [.post, .head, .patch])
                    #expect(task.metrics?.retryCount == 1)
                }
                let upload = try #require(server.uploads.first)
                #expect(server.uploads.count == 1)
                #expect(upload.bytes == whole)
                // No byte came twice.
                #expect(
                    upload.pieces == [
                        .init(offset: 0, count: Self.cut), .init(offset: Self.cut, count: whole.count - Self.cut),
                    ]
                )
            }
            try checkFields(server, hasLength: source != .chunkedSequence)
        }
    }

    private func checkFields(_ server: ResumableUploadServer, hasLength: Bool) throws {
        let requests = server.requests
        try #require(requests.map(\.method) == ["POST", "HEAD", "PATCH"])
        for request in requests {
            #expect(request.values(of: "Upload-Draft-Interop-Version") == ["6"])
            #expect(request.values(of: "Authorization") == ["Bearer x"])
        }
        #expect(requests[0].values(of: "Upload-Complete") == ["?1"])
        #expect(requests[0].value(of: "Upload-Offset") == nil)
        #expect(requests[0].value(of: "Upload-Length") == nil)
        #expect(requests[0].values(of: "Content-Type") == ["video/mp4"])
        #expect(requests[1].value(of: "Upload-Complete") == nil && requests[1].value(of: "Upload-Offset") == nil)
        #expect(requests[1].value(of: "Content-Type") == nil)
        #expect(requests[2].values(of: "Upload-Complete") == ["?1"])
        #expect(requests[2].values(of: "Upload-Offset") == ["\(Self.cut)"])
        #expect(requests[2].values(of: "Content-Type") == ["application/partial-upload"])
        #expect((requests[2].value(of: "Content-Length") != nil) == hasLength)
    }

    @Test func `ten cuts, after each of which the server has lost something, make one upload`() async throws {
        let cuts = (0..<10).map { 150_000 + 7_777 * $0 }
        let server = try await ResumableUploadServer.start(
            .init { options in
                options.cuts = cuts
                options.loses = 33_333
            }
        )
        try await withBody(.file) { body in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.put, to: server.baseURL + "/videos/7", body: body)
                _ = try await session.uploadTask(for: request).value
            }
        }
        let upload = try #require(server.uploads.first)
        #expect(server.uploads.count == 1)
        #expect(upload.bytes == Self.bytes)
        #expect(upload.pieces.count == 11)
        #expect(upload.pieces.map(\.count).reduce(0, +) == Self.bytes.count)
        #expect(server.requests.count { $0.method == "HEAD" } == 10)
        await server.shutdown()
    }

    @Test(arguments: [1, Self.bytes.count - 1, Self.bytes.count])
    func `a cut after any number of bytes is mended`(_ cut: Int) async throws {
        try await ResumableUploadServer.run(.init { $0.cuts = [cut] }) { server in
            try await withBody(.data) { body in
                try await withSession(.withoutPauses) { session in
                    _ = try await session.uploadTask(for: try Request(.post, to: server.baseURL + "/", body: body))
                        .value
                }
            }
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.requests.last?.value(of: "Content-Length") == "\(Self.bytes.count - cut)")
        }
    }

    @Test func `what a 104 has acknowledged must not be lost`() async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.loses = 900_000
            options.tellsEvery = 200_000
        }
        try await ResumableUploadServer.run(options) { server in
            try await withBody(.data) { body in
                try await withSession(.withoutPauses) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/", body: body))
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCut)
                    #expect(error.metrics?.transactionCount == 3 && error.metrics?.retryCount == 0)
                    #expect(error.message.contains("lost bytes that it had"))
                    #expect(error.uploadResumeData == nil)
                }
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "DELETE"])
        }
    }

    // MARK: The offer

    @Test func `a server that does not know the draft gets one ordinary request`() async throws {
        try await ResumableUploadServer.run(.init { $0.versions = [] }) { server in
            try await withBody(.file) { body in
                try await withSession(.withoutPauses) { session in
                    _ = try await session.uploadTask(for: try Request(.post, to: server.baseURL + "/", body: body))
                        .value
                }
            }
            #expect(server.requests.map(\.method) == ["POST"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test(arguments: [true, false])
    func `a cut is an error where no upload resource is known`(_ knowsDraft: Bool) async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.announces = false
            if !knowsDraft { options.versions = [] }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withBody(.file) { body in
                try await withSession(.withoutPauses) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/", body: body))
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCut)
                    #expect(error.uploadResumeData == nil)
                }
            }
            #expect(server.requests.map(\.method) == ["PUT"])
        }
    }

    @Test func `a 104 of another version of the draft is ignored`() async throws {
        let script: [FaultStep] = [
            .readHead,
            .informational(104, headers: [("Location", "/uploads/1"), ("Upload-Draft-Interop-Version", "7")]),
            .informational(104, headers: [("Location", "/uploads/1")]),
            .close,
        ]
        try await FaultServer.run(.steps(script)) { server in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.post, to: server.baseURL + "/", body: .string("text"))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                #expect(error.isCut)
                #expect(error.uploadResumeData == nil)
            }
        }
    }

    @Test func `a server may say often how many bytes it has`() async throws {
        let notice = FaultStep.informational(
            104,
            headers: [("Upload-Offset", "4"), ("Upload-Draft-Interop-Version", "6")]
        )
        let script = [.readRequest] + Array(repeating: notice, count: 1000) + [.respond(201)]
        try await FaultServer.run(.steps(script)) { server in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.post, to: server.baseURL + "/", body: .string("text"))
                let response = try await session.uploadTask(for: request).result.get()
                #expect(response.head.status.code == 201)
                #expect(response.informational.count == 64)
            }
        }
    }

    @Test func `a redirect to a GET leaves the offer out`() async throws {
        let script = FaultServer.Script.requests { request in
            request.method == "POST" ? [.respond(303, headers: [("Location", "/made")])] : [.respond(200)]
        }
        try await FaultServer.run(script) { server in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.post, to: server.baseURL + "/", body: .string("text"))
                _ = try await session.uploadTask(for: request).value
            }
            #expect(server.requests.map { $0.value(of: "Upload-Complete") } == ["?1", nil])
            #expect(server.requests.last?.value(of: "Upload-Draft-Interop-Version") == nil)
        }
    }

    @Test func `only uploads with a body that can be sent again are offered`() async throws {
        try await ResumableUploadServer.run { server in
            try await withAPI(at: server.baseURL, .withoutPauses) { api in
                let options: [RequestOption] = [.resumableUploads(.off)]
                try await api.upload("off", from: .text("text"), options: options)
                let pieces = AsyncStream { continuation in
                    continuation.yield(Data("text".utf8))
                    continuation.finish()
                }
                try await api.upload("once", from: .stream(pieces))
                try await api.upload("empty", from: .data(Data()))
                _ = try await api.post("data", body: .text("text"), as: .data)
                try await api.upload("own", from: .text("text"), headers: ["Upload-Complete": "?0"])
                #expect(server.requests.allSatisfy { $0.value(of: "Upload-Draft-Interop-Version") == nil })

                try await api.upload("on", from: .text("text"))
                let wanted: [RequestOption] = [.resumableUploads(.automatic)]
                _ = try await api.post("wanted", body: .text("text"), options: wanted, as: .data)
                try await api.upload("file", from: .text("text"), options: [.resumableUploads(.automatic(.version8))])
                let versions = server.requests.suffix(3).map { $0.value(of: "Upload-Draft-Interop-Version") }
                #expect(versions == ["6", "6", "8"])
                #expect(server.requests.last?.value(of: "Upload-Length") == "4")
            }
        }
    }

    @Test func `the session can be told to offer nothing`() async throws {
        try await ResumableUploadServer.run { server in
            try await withAPI(at: server.baseURL, .init { $0.resumableUploads = .off }) { api in
                try await api.upload("off", from: .text("text"))
            }
            #expect(server.requests.last?.value(of: "Upload-Complete") == nil)
        }
    }

    @Test func `version 8 of the draft is spoken too`() async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.versions = [8]
        }
        try await ResumableUploadServer.run(options) { server in
            try await withBody(.file) { body in
                try await withSession(.withoutPauses { $0.resumableUploads = .automatic(.version8) }) { session in
                    _ = try await session.uploadTask(for: try Request(.post, to: server.baseURL + "/", body: body))
                        .value
                }
            }
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.requests.allSatisfy { $0.value(of: "Upload-Draft-Interop-Version") == "8" })
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
        }
    }

    @Test func `what follows a cut is sent in the parts that the server wants`() async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.mostAtOnce = 900_000
        }
        try await ResumableUploadServer.run(options) { server in
            try await withBody(.file) { body in
                try await withSession(.withoutPauses) { session in
                    let task = session.uploadTask(for: try Request(.post, to: server.baseURL + "/", body: body))
                    _ = try await task.value
                    #expect(task.currentProgress.upload.completed == Self.bytes.count)
                    // The cut; not each part.
                    #expect(task.metrics?.transactionCount == 5 && task.metrics?.retryCount == 1)
                }
            }
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.uploads.first?.pieces.map(\.count) == [1_000_000, 900_000, 900_000, 200_000])
            let completes = server.requests.filter { $0.method == "PATCH" }.map { $0.value(of: "Upload-Complete") }
            #expect(completes == ["?0", "?0", "?1"])
        }
    }

    @Test func `a file that has changed is not continued`() async throws {
        try await ResumableUploadServer.run(.init { $0.cuts = [Self.cut] }) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "movie")
                try Data(Self.bytes).write(to: file)
                let configuration = SessionConfiguration.withoutPauses { configuration in
                    configuration.pauseOfUpload = { _ in
                        // Another version of the same length.
                        try? Data(Self.bytes.reversed()).write(to: file)
                        return .zero
                    }
                }
                try await withSession(configuration) { session in
                    let request = try Request(.put, to: server.baseURL + "/", body: .file(file))
                    let error = try await networkingError { try await session.uploadTask(for: request).value }
                    #expect(error.code == .requestBodyFailed)
                    #expect(error.message.contains("has changed since its upload was begun"))
                }
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }
}

extension SessionConfiguration {
    /// A configuration whose uploads go on at once.
    static var withoutPauses: SessionConfiguration { withoutPauses { _ in } }

    static func withoutPauses(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        SessionConfiguration { configuration in
            configuration.pauseOfUpload = { _ in .zero }
            change(&configuration)
        }
    }
}

extension NetworkingError {
    /// Whether a connection was lost before the response, or after informational ones only.
    var isCut: Bool { code == .connectionLost || code == .truncatedResponse }
}
