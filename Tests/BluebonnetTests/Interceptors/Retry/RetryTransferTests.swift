import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Uploads and downloads that have a way of their own to go on after a failure.
@Suite(.timeLimit(.minutes(3)))
struct RetryTransferTests {
    private static let bytes = RangeResponses.bytes(1_500_000)
    private static let cut = 500_000

    private func configuration(mostFailures: Int = 3) -> SessionConfiguration {
        .withoutPauses { configuration in
            configuration.resumableUploads.mostFailures = mostFailures
            configuration.retryPolicy = .standard
            configuration.retryTiming.sleep = { _, _ in }
        }
    }

    // MARK: Uploads

    @Test func `an upload that the server can resume goes on, and does not begin again`() async throws {
        let options = ResumableUploadServer.Options { $0.cuts = [Self.cut] }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration()) { session in
                let request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let response = try await session.uploadTask(for: request).result.get()
                #expect(response.head.status == .created)
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test func `an upload that could not be resumed keeps its resume data`() async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.answer = { $0.method == "HEAD" ? .cut : nil }
        }
        let heard = Counter()
        try await ResumableUploadServer.run(options) { server in
            var configuration = configuration(mostFailures: 1)
            configuration.retriers = [
                CallingRetrier { _ in
                    heard.increment()
                    return .retryNow
                }
            ]
            try await withSession(configuration) { session in
                let request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                #expect(error.uploadResumeData != nil)
                // The stale connection that the engine repeats by itself may be there, too.
                #expect(server.requests.count { $0.method == "PUT" } == 1)
            }
        }
        #expect(heard.value == 0)
    }

    @Test func `an upload that continues from resume data does not begin again`() async throws {
        let isCut = Mutex(true)
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.cut]
            options.answer = { $0.method == "HEAD" && isCut.withLock { $0 } ? .cut : nil }
            // The response of the whole asks for another attempt.
            options.result = { _ in ResumableUploadServer.Answer(503) }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration(mostFailures: 1)) { session in
                let request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let error = try await networkingError { try await session.uploadTask(for: request).value }
                let resumeData = try #require(error.uploadResumeData)
                isCut.withLock { $0 = false }
                let task = session.uploadTask(for: request, resuming: resumeData)
                #expect(try await task.result.get().head.status.code == 503)
                #expect(server.requests.count { $0.method == "PUT" } == 1)
            }
        }
    }

    @Test func `an upload to a server that cannot resume it is sent again as a whole`() async throws {
        let options = ResumableUploadServer.Options { options in
            options.versions = []
            options.answer = { $0.number == 0 ? ResumableUploadServer.Answer(503) : nil }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration()) { session in
                let request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(Self.bytes)))
                let response = try await session.uploadTask(for: request).result.get()
                #expect(response.head.status == .created)
                #expect(response.retries == 1)
            }
            #expect(server.requests.map(\.method) == ["PUT", "PUT"])
        }
    }

    // MARK: Downloads

    @Test func `a download asks again before a response, and keeps what it has`() async throws {
        let bytes = RangeResponses.bytes(200_000)
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 120_000))
        let busy = Counter()
        let script = FaultServer.Script.requests { request in
            if busy.increment() % 2 == 1 { return [.respond(503, body: "busy")] }
            return responses.withLock { $0 }.steps(request)
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL, configuration()) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a.bin")
                    // The body was cut: that is the download's to continue, and not sent again.
                    let error = try await networkingError { try await api.download("a", to: file) }
                    #expect(error.code == .truncatedResponse)
                    #expect(server.requests.count == 2)
                    let resumeData = try #require(error.resumeData)
                    #expect(resumeData.byteCount == 120_000)
                    responses.withLock { $0.cut = nil }
                    try await api.download("a", to: file, resuming: resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    let ranges = server.requests.map { $0.value(of: "Range") }
                    #expect(ranges == [nil, nil, "bytes=120000-", "bytes=120000-"])
                    #expect(try names(in: directory) == ["a.bin"])
                }
            }
        }
    }

    @Test func `the parts of a segmented download are asked for again, each by itself`() async throws {
        let faults = Counter()
        let server = SegmentServer(fault: { start in
            start > 0 && faults.increment() <= 2 ? [.respond(503, body: "busy")] : nil
        })
        try await FaultServer.run(.requests { server.steps($0) }) { fault in
            try await withAPI(at: fault.baseURL, configuration()) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a.bin")
                    try await api.download("a", options: [.downloadSegments(2)], to: file)
                    #expect(try Data(contentsOf: file) == Data(SegmentServer.bytes))
                }
            }
        }
        #expect(faults.value > 2)
    }
}
