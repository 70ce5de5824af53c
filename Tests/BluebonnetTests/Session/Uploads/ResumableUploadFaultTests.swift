import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Resumable uploads to servers that fail, lie, or have forgotten.
@Suite(.timeLimit(.minutes(3)))
struct ResumableUploadFaultTests {
    private typealias Answer = ResumableUploadServer.Answer

    private static let bytes = RangeResponses.bytes(1_500_000)
    private static let cut = 500_000

    /// Uploads to a server whose first body is cut, and returns the error of the task.
    private func failure(
        _ method: HTTPRequest.Method = .put,
        _ change: (inout ResumableUploadServer.Options) -> Void,
        mostFailures: Int = 3,
        _ check: (ResumableUploadServer, NetworkingError?, Response<Data>?) throws -> Void
    ) async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            change(&options)
        }
        let configuration = SessionConfiguration.withoutPauses { $0.resumableUploads.mostFailures = mostFailures }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration) { session in
                var request = try Request(method, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                request.headerFields[.authorization] = "Bearer x"
                switch await session.uploadTask(for: request).result {
                case .success(let response): try check(server, nil, response)
                case .failure(let error): try check(server, error, nil)
                }
            }
        }
    }

    // MARK: Offsets

    @Test(arguments: ["-1", "x", "1.5", "99999999999999999999", "?1", "", "1, 2", "1500001", "9000000"])
    func `an offset that cannot be true ends the upload`(_ offset: String) async throws {
        try await failure { options in
            options.answer = { request in
                request.method == "HEAD" ? Answer(204, [("Upload-Offset", offset), ("Upload-Complete", "?0")]) : nil
            }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.message.contains("It was not resumed") == true)
            #expect(error?.uploadResumeData == nil)
            // The server is told that nothing follows.
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "DELETE"])
        }
    }

    @Test func `a response without an offset, or with two, ends the upload`() async throws {
        let fields = [[], [("Upload-Offset", "1"), ("Upload-Offset", "2")]]
        for fields in fields {
            try await failure { options in
                options.answer = { $0.method == "HEAD" ? Answer(204, fields) : nil }
            } _: { server, error, _ in
                #expect(error?.isCut == true)
                #expect(server.requests.map(\.method) == ["PUT", "HEAD", "DELETE"])
            }
        }
    }

    @Test func `an upload resource of another length is not continued`() async throws {
        try await failure { options in
            options.answer = { request in
                request.method == "HEAD" ? Answer(204, [("Upload-Offset", "1"), ("Upload-Length", "5")]) : nil
            }
        } _: { _, error, _ in
            #expect(error?.message.contains("another length") == true)
        }
    }

    @Test func `an offset may not fall behind one that was acknowledged before`() async throws {
        try await failure { options in
            options.cuts = [Self.cut, Self.cut]
            options.answer = { request in
                request.method == "HEAD" && request.number == 1
                    ? Answer(204, [("Upload-Offset", "\(Self.cut - 1)")]) : nil
            }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "DELETE"])
        }
    }

    // MARK: Statuses

    @Test(arguments: [500, 503, 423, 429])
    func `an upload resource that is out of order for a while is asked again`(_ status: Int) async throws {
        try await failure { options in
            options.answer = { $0.method == "HEAD" && $0.number < 2 ? Answer(status) : nil }
        } _: { server, error, response in
            #expect(error == nil && response?.head.status.code == 201)
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "HEAD", "HEAD", "PATCH"])
        }
    }

    @Test func `an upload resource that stays out of order ends the upload, which can be resumed later`() async throws {
        try await failure { options in
            options.answer = { $0.method == "HEAD" ? Answer(503) : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.uploadResumeData?.url.path == "/uploads/0")
            #expect(error?.uploadResumeData?.totalByteCount == Self.bytes.count)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "HEAD", "HEAD"])
        }
    }

    @Test func `connections that are cut again and again without progress end the upload`() async throws {
        try await failure { options in
            options.answer = { $0.method == "PATCH" ? .cut : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.uploadResumeData != nil)
            let appends = server.requests.count { $0.method == "PATCH" }
            #expect(appends == 4)
            // Progress was made once: by the creation.
            #expect(server.requests.count { $0.method == "HEAD" } == 4)
        }
    }

    @Test(arguments: [400, 405, 415])
    func `an upload resource that refuses ends the upload with the error of the cut`(_ status: Int) async throws {
        try await failure { options in
            options.answer = { $0.method == "HEAD" ? Answer(status) : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.message.contains("responded \(status)") == true)
            #expect(error?.uploadResumeData == nil)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test(arguments: [404, 410])
    func `the whole is sent again when the upload resource is gone`(_ status: Int) async throws {
        try await failure { options in
            options.answer = { $0.method == "HEAD" ? Answer(status) : nil }
        } _: { server, error, response in
            #expect(error == nil && response?.head.status.code == 201)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT"])
            #expect(server.uploads.last?.bytes == Self.bytes)
        }
    }

    @Test func `the whole is sent again once only`() async throws {
        try await failure { options in
            options.cuts = [Self.cut, Self.cut]
            options.answer = { $0.method == "HEAD" ? Answer(404) : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT", "HEAD"])
        }
    }

    @Test func `a POST that the server may have processed is not sent again`() async throws {
        try await failure(.post) { options in
            options.cuts = []
            options.result = { _ in .cut }
            options.answer = { $0.method == "HEAD" ? Answer(404) : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.message.contains("is gone") == true)
            #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        }
    }

    @Test func `a response that was lost is an error that says so`() async throws {
        try await failure { options in
            options.cuts = []
            options.result = { _ in .cut }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.message.contains("The server has the whole upload") == true)
            #expect(error?.uploadResumeData == nil)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test func `the error of a server that has the whole upload is its response`() async throws {
        try await failure { options in
            options.cuts = []
            options.result = { _ in Answer(500, [], "out of order") }
        } _: { server, _, response in
            #expect(response?.head.status.code == 500)
            #expect(response?.body == Data("out of order".utf8))
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test func `a server that ends the upload with an error is not asked again`() async throws {
        try await failure { options in
            options.result = { _ in Answer(503, [], "out of order") }
        } _: { server, _, response in
            #expect(response?.head.status.code == 503)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        }
    }

    @Test func `after a conflict the offset is asked for again`() async throws {
        try await failure { options in
            options.answer = { $0.method == "PATCH" && $0.number == 0 ? Answer(409, [("Upload-Offset", "3")]) : nil }
        } _: { server, error, _ in
            #expect(error == nil)
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
        }
    }

    @Test func `conflicts without end are the response in the end`() async throws {
        try await failure { options in
            options.answer = { $0.method == "PATCH" ? Answer(409, [], "no") : nil }
        } _: { server, _, response in
            #expect(response?.head.status.code == 409)
            #expect(response?.body == Data("no".utf8))
            #expect(server.requests.count { $0.method == "PATCH" } == 4)
        }
    }

    // MARK: Limits

    @Test func `a server that takes a few bytes at a time is not sent millions of requests`() async throws {
        try await failure { options in
            options.mostAtOnce = 1
            // Nothing else would end it soon.
            options.answer = { $0.method == "PATCH" && $0.number > 9 ? Answer(403) : nil }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.message.contains("takes no more than 1 byte in one request") == true)
            #expect(error?.uploadResumeData == nil)
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test func `a small limit is kept to where a few requests are enough`() async throws {
        try await failure { options in
            options.mostAtOnce = 65_535
        } _: { server, error, _ in
            #expect(error == nil)
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(server.requests.count { $0.method == "PATCH" } == 16)
        }
    }

    // MARK: Locations

    @Test(arguments: ["/uploads/0", "uploads/0", "../uploads/0", "?"])
    func `a location may be relative`(_ location: String) async throws {
        try await failure { options in
            options.locations = { path in [location == "?" ? path : location] }
        } _: { server, error, _ in
            #expect(error == nil)
            #expect(server.requests.map(\.path).dropFirst() == ["/uploads/0", "/uploads/0"])
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/uploads/0", "", "http+unix://%2Ftmp%2Fa/uploads/0", "http://"])
    func `a location where no redirect may lead is no upload resource`(_ location: String) async throws {
        try await failure { options in
            options.locations = { _ in [location] }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(error?.uploadResumeData == nil)
            #expect(server.requests.map(\.method) == ["PUT"])
        }
    }

    @Test func `two locations are no upload resource`() async throws {
        try await failure { options in
            options.locations = { [$0, "/uploads/1"] }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(server.requests.map(\.method) == ["PUT"])
        }
    }

    @Test(arguments: [true, false])
    func `of two 104 the second one must have the same location`(_ isSame: Bool) async throws {
        func announcement(_ path: String) -> FaultStep {
            .informational(104, headers: [("Location", path), ("Upload-Draft-Interop-Version", "6")])
        }
        let first: [FaultStep] = [.readHead, announcement("/u/1"), announcement(isSame ? "/u/1" : "/u/2"), .close]
        let second: [FaultStep] = [.readHead, .respond(403), .close]
        try await FaultServer.run(.connections([first, second])) { server in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.put, to: server.baseURL + "/", body: .string("text"))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                #expect(error.isCut)
            }
            #expect(server.connections.count == (isSame ? 2 : 1))
        }
    }

    @Test func `another origin does not get what was meant for the first one`() async throws {
        let other = try await ResumableUploadServer.start(
            .init { $0.answer = { $0.method == "HEAD" ? Answer(403) : nil } }
        )
        try await failure { options in
            options.locations = { _ in [other.baseURL + "/uploads/0"] }
        } _: { server, error, _ in
            #expect(error?.isCut == true)
            #expect(server.requests.map(\.method) == ["PUT"])
            #expect(server.requests.first?.value(of: "Authorization") == "Bearer x")
            #expect(other.requests.map(\.method) == ["HEAD"])
            #expect(other.requests.first?.value(of: "Authorization") == nil)
        }
        await other.shutdown()
    }

    @Test func `a redirect of the creation is followed, and its 104 counts`() async throws {
        let second = try await ResumableUploadServer.start(.init { $0.cuts = [Self.cut] })
        try await failure { options in
            options.cuts = []
            options.answer = { _ in Answer(307, [("Location", second.baseURL + "/b")]) }
        } _: { _, error, response in
            #expect(error == nil && response?.head.status.code == 201)
            #expect(second.uploads.map(\.bytes) == [Self.bytes])
            #expect(second.requests.map(\.path) == ["/b", "/uploads/0", "/uploads/0"])
            #expect(second.requests.allSatisfy { $0.value(of: "Authorization") == nil })
        }
        await second.shutdown()
    }

    @Test func `another origin is not told that an upload is given up`() async throws {
        let other = try await ResumableUploadServer.start(
            .init { $0.answer = { $0.method == "HEAD" ? Answer(204, [("Upload-Offset", "9000000")]) : nil } }
        )
        try await failure { options in
            options.locations = { _ in [other.baseURL + "/uploads/0"] }
        } _: { server, error, _ in
            #expect(error?.message.contains("It was not resumed") == true)
            #expect(server.requests.map(\.method) == ["PUT"])
            #expect(other.requests.map(\.method) == ["HEAD"])
        }
        await other.shutdown()
    }

    /// Somebody who wants no other server.
    enum Refusal: CaseIterable, Sendable {
        case policy, hook
    }

    @Test(arguments: Refusal.allCases)
    func `who does not follow redirects asks no other origin`(_ refusal: Refusal) async throws {
        let other = try await ResumableUploadServer.start()
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.locations = { _ in [other.baseURL + "/uploads/0"] }
        }
        try await ResumableUploadServer.run(options) { server in
            var configuration = SessionConfiguration.withoutPauses
            switch refusal {
            case .policy: configuration.redirectPolicy = .manual
            case .hook: configuration.hooks.taskWillPerformRedirection = { _, _, request in request }
            }
            try await withSession(configuration) { session in
                let request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                #expect(error.isCut)
            }
        }
        #expect(other.requests.isEmpty)
        await other.shutdown()
    }

    @Test(arguments: [true, false])
    func `a body with a redirect behind it is neither sent again nor given up`(isGone: Bool) async throws {
        let options = ResumableUploadServer.Options { options in
            options.result = { _ in Answer(303, [("Location", "/done")]) }
            options.answer = { request in
                switch request.method {
                case "GET": .cut
                case "HEAD" where isGone: Answer(404)
                default: nil
                }
            }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(.withoutPauses) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                #expect(error.message.contains(isGone ? "is gone" : "its response was lost"))
            }
            let methods = server.requests.map(\.method)
            #expect(methods.count { $0 == "POST" } == 1 && methods.contains("HEAD") && !methods.contains("DELETE"))
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }
}
