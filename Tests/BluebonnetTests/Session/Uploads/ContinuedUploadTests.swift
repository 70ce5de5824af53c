import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Resume data of uploads that goes with another body, or with another request.
@Suite(.timeLimit(.minutes(3)))
struct ContinuedUploadTests {
    private typealias Options = ResumableUploadServer.Options

    private static let bytes = RangeResponses.bytes(1_500_000)
    private static let half = 700_000

    private func withFile(_ work: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "movie")
            try Data(Self.bytes).write(to: file)
            try await work(file)
        }
    }

    private static func content(_ file: URL) -> RequestContent {
        .multipart { form in
            form.append("Ada", name: "user")
            try form.append(fileURL: file, name: "movie")
        }
    }

    private static func form(_ file: URL, boundary: String) async throws -> [UInt8] {
        var form = try MultipartFormData(boundary: boundary)
        form.append("Ada", name: "user")
        try form.append(fileURL: file, name: "movie")
        return try await form.makeBody().bytes()
    }

    /// Runs a server whose first body does not get beyond its half, and an upload to it that is
    /// cancelled then.
    private func withCancelledUpload(
        of content: (URL) -> RequestContent,
        _ work: (ResumableUploadServer, HTTPSessionManager, URL, UploadResumeData) async throws -> Void
    ) async throws {
        try await ResumableUploadServer.run(Options { $0.stalls = [Self.half] }) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    let task = try api.uploadTask("videos", from: content(file), as: .json)
                    task.resume()
                    try await until("bytes came") { server.uploads.last?.bytes.count == Self.half }
                    try await until("the 104 response came") { task.core.call.uploadOffer?.resource != nil }
                    let found = await task.cancelProducingResumeData()
                    let data = try JSONEncoder().encode(try #require(found))
                    let decoded = try JSONDecoder().decode(UploadResumeData.self, from: data)
                    #expect(decoded == found)
                    try await work(server, api, file, decoded)
                }
            }
        }
    }

    // MARK: Forms

    @Test func `a form that another task continues has the boundary with which it was begun`() async throws {
        try await withCancelledUpload(of: { Self.content($0) }) { server, api, file, resumeData in
            // Another form, and so another random boundary.
            let task = try api.uploadTask("videos", from: Self.content(file), resuming: resumeData, as: .json)
            _ = try await task.value
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(task.metrics?.retryCount == 0)
            let type = try #require(server.requests.first?.value(of: "Content-Type"))
            let boundary = String(try #require(type.split(separator: "=").last))
            let whole = try await Self.form(file, boundary: boundary)
            #expect(server.uploads.map(\.bytes) == [whole])
        }
    }

    @Test func `a form that is sent anew has its own boundary in its type`() async throws {
        try await ResumableUploadServer.run(Options { $0.stalls = [Self.half] }) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    let task = try api.uploadTask("videos", from: Self.content(file), method: .put, as: .json)
                    task.resume()
                    try await until("bytes came") { server.uploads.last?.bytes.count == Self.half }
                    try await until("the 104 response came") { task.core.call.uploadOffer?.resource != nil }
                    let resumeData = await task.cancelProducingResumeData()
                    server.forgetUploads()
                    let content = Self.content(file)
                    _ = try await api.upload("videos", from: content, method: .put, resuming: resumeData, as: .json)
                    let types = server.requests.filter { $0.method == "PUT" }.map { $0.value(of: "Content-Type") }
                    let boundary = try #require(types.last??.split(separator: "=").last)
                    let whole = try await Self.form(file, boundary: String(boundary))
                    #expect(server.uploads.last?.bytes == whole)
                }
            }
        }
    }

    @Test func `a form whose file has changed is not continued by another task`() async throws {
        try await withCancelledUpload(of: { Self.content($0) }) { server, api, file, resumeData in
            // Another version of the same length.
            try Data(Self.bytes.reversed()).write(to: file)
            let error = try await networkingError {
                try await api.upload("videos", from: Self.content(file), resuming: resumeData)
            }
            #expect(error.code == .requestBodyFailed)
            #expect(error.message.contains("has changed since its upload was begun"))
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    @Test func `a form whose file has changed is not continued after a cut`() async throws {
        try await ResumableUploadServer.run(Options { $0.cuts = [Self.half] }) { server in
            try await withFile { file in
                let configuration = SessionConfiguration.withoutPauses { configuration in
                    configuration.pauseOfUpload = { _ in
                        try? Data(Self.bytes.reversed()).write(to: file)
                        return .zero
                    }
                }
                try await withAPI(at: server.baseURL, configuration) { api in
                    let error = try await networkingError { try await api.upload("videos", from: Self.content(file)) }
                    #expect(error.code == .requestBodyFailed)
                }
            }
            #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        }
    }

    /// Another body for resume data of a form.
    enum Other: CaseIterable, Sendable {
        case file, writtenForm, data
    }

    @Test(arguments: Other.allCases)
    func `a form is not continued by a body whose boundary is another one`(_ other: Other) async throws {
        try await withCancelledUpload(of: { Self.content($0) }) { server, api, file, resumeData in
            let length = try #require(resumeData.totalByteCount)
            var form = MultipartFormData()
            form.append("Ada", name: "user")
            try form.append(fileURL: file, name: "movie")
            let written = file.appendingPathExtension("form")
            let body = try await form.write(to: written)
            #expect(body.length == length)
            let content: RequestContent =
                switch other {
                case .file: .file(written)
                case .writtenForm: .file(written, contentType: form.contentType)
                case .data: .data(Data(count: length))
                }
            let error = try await networkingError {
                try await api.upload("videos", from: content, resuming: resumeData)
            }
            #expect(error.code == .requestBodyFailed)
            #expect(error.message.contains("begun with another body"))
            #expect(error.uploadResumeData == resumeData)
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    @Test func `a form does not continue the upload of something else`() async throws {
        try await withCancelledUpload(of: { .file($0) }) { server, api, file, resumeData in
            let error = try await networkingError {
                try await api.upload("videos", from: Self.content(file), resuming: resumeData)
            }
            #expect(error.code == .requestBodyFailed)
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    // MARK: Requests

    /// A request that no resume data is for.
    enum Unusable: CaseIterable, Sendable {
        case noBody, sequence, emptyBody, method, ownField, range, otherOrigin
    }

    @Test(arguments: Unusable.allCases)
    func `resume data that cannot be used is an error, and nothing is sent`(_ unusable: Unusable) async throws {
        try await ResumableUploadServer.run { server in
            let resource = unusable == .otherOrigin ? "http://127.0.0.1:1" : server.baseURL
            let resumeData = UploadResumeData(
                url: try #require(URL(string: resource + "/uploads/0")),
                originalURL: try #require(URL(string: resource + "/videos")),
                totalByteCount: nil,
                version: .version6
            )
            var configuration = SessionConfiguration.withoutPauses
            configuration.redirectPolicy = .manual
            try await withSession(configuration) { session in
                var request = try Request(.post, to: server.baseURL + "/videos", body: .string("text"))
                switch unusable {
                case .noBody: request.body = nil
                case .sequence: request.body = .stream(Pieces(["text"]))
                case .emptyBody: request.body = .data(Data())
                case .method: request.method = .get
                case .ownField: request.headerFields[.uploadOffset] = "1"
                case .range: request.headerFields[.contentRange] = "bytes 0-3/4"
                case .otherOrigin: break
                }
                let task = session.uploadTask(for: request, resuming: resumeData)
                let error = try await networkingError { try await task.value }
                #expect(error.code == .invalidRequest)
                #expect(error.message.contains("cannot continue") && !error.message.contains("/uploads/"))
                #expect(error.uploadResumeData == resumeData)
            }
            #expect(server.requests.isEmpty)
        }
    }
}

extension HTTPField.Name {
    fileprivate static var uploadOffset: HTTPField.Name { .init("Upload-Offset") ?? .contentRange }
}
