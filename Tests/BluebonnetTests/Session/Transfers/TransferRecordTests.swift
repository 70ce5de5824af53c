import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

struct TransferRecordTests {
    private func request(_ change: (inout Request) -> Void = { _ in }) throws -> Request {
        var request = try Request(.post, to: "http://user:secret@example.com/a?b=c#d")
        change(&request)
        return request
    }

    private func download(
        _ destination: any DownloadDestination,
        validations: [ResponseValidation] = [.default],
        resumeData: ResumeData? = nil,
        checksum: Checksum? = nil
    ) throws -> Download {
        Download(
            url: try request().url,
            destination: destination,
            resumeData: resumeData,
            checksum: checksum,
            validations: validations
        )
    }

    private func restored(_ record: TransferRecord) throws -> TransferRecord {
        try #require(TransferRecord(try record.data))
    }

    // MARK: Everything comes back

    private func call() throws -> Call {
        Call(try request(), core: SessionCore(configuration: SessionConfiguration(), transport: nil))
    }

    @Test func `a request is the same after it was stored`() throws {
        let original = try request { request in
            request.headerFields[.authorization] = "Bearer secret"
            request.headerFields.append(HTTPField(name: .accept, value: "a"))
            request.headerFields.append(HTTPField(name: .accept, value: "b"))
            request.headerFields.append(HTTPField(name: .userAgent, lenientValue: [0x61, 0xFF]))
            request.body = .data(Data([0, 1, 255]))
            request.timeouts = Timeouts(waiting: nil, firstByte: .milliseconds(1500))
            request.redirectPolicy = .manual
            request.expectsContinue = true
            request.taskDescription = "the third"
            request.properties.priority = RequestPriority(urgency: 2, isIncremental: true)
            request.properties.timeoutInterval = .seconds(7)
            request.properties.requestTimeout = .seconds(8)
            request.properties.cachePolicy = .noStore
            request.properties.handlesCookies = false
            request.properties.usesPipelining = true
            request.properties.allowsExpensiveNetworkAccess = false
            request.properties.allowsCellularAccess = false
            request.properties.downloadSegments = 4
        }
        let found = try #require(try restored(TransferRecord(original)).request.request)
        #expect(found.method == original.method)
        #expect(found.url == original.url)
        #expect(found.headerFields.map(\.latin1Value) == original.headerFields.map(\.latin1Value))
        #expect(found.headerFields.map(\.name.rawName) == original.headerFields.map(\.name.rawName))
        #expect(found.body?.data == Data([0, 1, 255]))
        #expect(found.timeouts == original.timeouts)
        #expect(found.redirectPolicy == .manual)
        #expect(found.expectsContinue == true)
        #expect(found.taskDescription == "the third")
        #expect(found.properties == original.properties)
    }

    @Test func `a download is the same after it was stored`() throws {
        var validation = ResponseValidation(statusCodes: [200, 203], contentTypes: ["text/*"])
        validation.followsAcceptHeader = true
        let digits = String(repeating: "ab", count: 32)
        let record = try TransferRecord(
            request(),
            download(
                .file(URL(filePath: "/tmp/x y"), options: [.createDirectories, .uniqueName]),
                validations: [validation, .none],
                checksum: .sha256(digits)
            )
        )
        let stored = try #require(try restored(record).download)
        let session = try #require(SessionTransfers(SessionConfiguration(journalIn: MemoryTransferStore())))
        let transfer = JournaledTransfer(restoring: 1, record, in: session)
        let found = stored.download(of: try request().url, transfer)
        let target = try #require(found.destination as? DownloadTarget)
        #expect(target == DownloadTarget(URL(filePath: "/tmp/x y"), options: [.createDirectories, .uniqueName]))
        #expect(found.validations == [validation, .none])
        #expect(found.checksum == .sha256(digits))
    }

    @Test func `a relative path is that of this process`() throws {
        let record = try TransferRecord(request(), download(URL(filePath: "folder/x")))
        let partial = try #require(record.knownPartialFile)
        #expect(partial == FileManager.default.currentDirectoryPath + "/folder/x.bluebonnet")
    }

    @Test func `the name of a partial file in a folder is only known when it was noted`() throws {
        var record = try TransferRecord(request(), download(.folder(URL(filePath: "/tmp"))))
        #expect(record.knownPartialFile == nil)
        record.partialFile = "/tmp/named.bluebonnet"
        #expect(try restored(record).knownPartialFile == "/tmp/named.bluebonnet")
    }

    @Test func `a checksum with wrong digits comes back as it is`() throws {
        let wrong = Checksum.sha512("xyz")
        #expect(Checksum(stored: wrong.description) == wrong)
        #expect(Checksum(stored: "md5:00") == nil)
    }

    @Test func `a record of another version, and what is none, is not read`() throws {
        let data = try TransferRecord(request()).data
        let newer = String(decoding: data, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
        #expect(TransferRecord(Data(newer.utf8)) == nil)
        #expect(TransferRecord(Data("{}".utf8)) == nil)
        #expect(TransferRecord(Data()) == nil)
        let header = String(decoding: data, as: UTF8.self).replacing("\"POST\"", with: "\"P T\"")
        #expect(TransferRecord(Data(header.utf8)) == nil)
    }

    // MARK: What cannot be stored

    @Test func `what is code, or too large, is refused with a sentence`() throws {
        struct Silent: Interceptor {
            func intercept(
                _ request: Request,
                context: ExchangeContext,
                next: Next
            ) async throws -> TransportResponse { try await next(request) }
        }
        let pieces = AsyncStream<Data> { $0.finish() }
        let large = Data(repeating: 0, count: StoredRequest.longestBody + 1)
        let requests = [
            try request { $0.interceptors = [Silent()] },
            try request { $0.body = .stream(pieces) },
            try request { $0.body = .data(large) },
        ]
        for request in requests {
            let error = #expect(throws: NetworkingError(.invalidRequest, "")) { try TransferRecord(request) }
            #expect(error?.message.contains("cannot outlive the process, because") ?? false)
        }
        let decided = DecidedDestination { _, _ in DownloadTarget(URL(filePath: "/tmp/x")) }
        #expect(throws: NetworkingError(.invalidRequest, "")) {
            try TransferRecord(request(), download(decided))
        }
        let rule = ResponseValidation.default.requiring { _, _, _ in }
        #expect(throws: NetworkingError(.invalidRequest, "")) {
            try TransferRecord(request(), download(URL(filePath: "/tmp/x"), validations: [rule]))
        }
    }

    // MARK: After a crash

    private func commit(_ file: URL, isNumbered: Bool) throws -> TransferRecord {
        var record = try TransferRecord(request(), download(file))
        record.commit = TransferRecord.Commit(
            path: file.path,
            isNumbered: isNumbered,
            identity: try #require(FileIdentity(of: file.path)),
            head: StoredHead(ResponseHead(status: .ok, headerFields: [.eTag: "\"1\""]))
        )
        return try restored(record)
    }

    @Test func `a file that has its name is a result, and any other is not`() async throws {
        try await withDirectory { directory in
            let (file, other) = (directory.appending(path: "a"), directory.appending(path: "b"))
            try Data("x".utf8).write(to: file)
            let record = try commit(file, isNumbered: false)
            let result = try #require(record.result { FileIdentity(of: $0) })
            #expect(result.file == file.path)
            #expect(result.head?.head[.eTag] == "\"1\"")
            // It still has the name of the partial file.
            try FileManager.default.moveItem(at: file, to: other)
            #expect(record.result { FileIdentity(of: $0) } == nil)
            // Another file came there.
            try Data("x".utf8).write(to: file)
            #expect(record.result { FileIdentity(of: $0) } == nil)
        }
    }

    @Test func `a file with a number in its name is found, also behind files that were removed`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.bin")
            try Data("x".utf8).write(to: file)
            let record = try commit(file, isNumbered: true)
            let numbered = directory.appending(path: "a 5.bin")
            try FileManager.default.moveItem(at: file, to: numbered)
            #expect(record.result { FileIdentity(of: $0) }?.file == numbered.path)
            try FileManager.default.removeItem(at: numbered)
            #expect(record.result { FileIdentity(of: $0) } == nil)
        }
    }

    @Test func `a result and an error are the same after they were stored`() throws {
        let head = ResponseHead(status: .init(code: 422, reasonPhrase: "Odd"), headerFields: [.eTag: "\"1\""])
        let response = TransportResponse(head: head, request: try request())
        let received = ReceivedResponse(
            transport: response,
            body: Data("body".utf8),
            startedAt: .now(),
            call: try call()
        )
        var record = try TransferRecord(request())
        record.result = TransferResult(received)
        let found = try #require(try restored(record).result).response(to: try call())
        #expect(found.body == Data("body".utf8))
        #expect(found.transport.head.status.reasonPhrase == "Odd")
        #expect(found.transport.head[.eTag] == "\"1\"")

        let failure = NetworkingError(
            .connectionLost,
            "It broke.",
            request: try request(),
            response: head,
            body: Data(repeating: 1, count: TransferResult.longestErrorBody + 1)
        )
        record.result = TransferResult(failure)
        let result = try #require(try restored(record).result)
        let error = #expect(throws: NetworkingError.self) { try result.response(to: try call()) }
        #expect(error?.code == .connectionLost)
        #expect(error?.message == "It broke.")
        #expect(error?.response?.statusCode == 422)
        #expect(error?.body?.count == TransferResult.longestErrorBody)
    }

    @Test(arguments: [0, 1])
    func `a long body is stored whole, or is an error that has its beginning`(excess: Int) throws {
        let received = ReceivedResponse(
            transport: TransportResponse(head: ResponseHead(status: .ok), request: try request()),
            body: Data(repeating: 7, count: StoredRequest.longestBody + excess),
            startedAt: .now(),
            call: try call()
        )
        var record = try TransferRecord(request())
        record.result = TransferResult(received)
        let found = try #require(try restored(record).result)
        guard excess > 0 else {
            #expect(try found.response(to: try call()).body == received.body)
            return
        }
        let error = #expect(throws: NetworkingError(.bodyTooLarge, "")) { try found.response(to: try call()) }
        #expect(error?.response?.statusCode == 200)
        #expect(error?.body == received.body.prefix(TransferResult.longestErrorBody))
    }
}
