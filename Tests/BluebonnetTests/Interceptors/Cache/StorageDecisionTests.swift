import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is stored, and what of it, as values (RFC 9111 §3), and the fields by which a response
/// varies (§4.1).
struct StorageDecisionTests {
    private func decision(
        _ fields: HTTPFields,
        status: Int = 200,
        request: HTTPFields = [:],
        policy: CachePolicy = .default,
        method: HTTPRequest.Method = .get,
        isShared: Bool = false
    ) throws -> StorageDecision {
        let request = try Request(method, to: "http://x.test/a", headerFields: request)
        return StorageDecision(
            ResponseHead(status: HTTPResponse.Status(code: status), headerFields: fields),
            to: request,
            try #require(CacheRequest(request, policy: policy)),
            requestedAt: CacheBench.start,
            receivedAt: CacheBench.start,
            isShared: isShared
        )
    }

    private func isStored(
        _ control: String,
        status: Int = 200,
        request: HTTPFields = [:],
        isShared: Bool = false
    ) throws -> Bool {
        let fields: HTTPFields = control.isEmpty ? [.eTag: "\"x\""] : [.cacheControl: control, .eTag: "\"x\""]
        if case .store = try decision(fields, status: status, request: request, isShared: isShared) { return true }
        return false
    }

    private static let rows: [(String, Int, Bool)] = [
        ("", 200, true), ("max-age=60", 200, true), ("no-store", 200, false), ("no-store, max-age=60", 200, false),
        ("private", 200, true), ("no-cache", 200, true), ("", 203, true), ("", 204, true), ("", 300, true),
        ("", 301, true), ("", 308, true), ("", 404, true), ("", 405, true), ("", 410, true), ("", 414, true),
        ("", 501, true), ("", 302, false), ("", 307, false), ("", 400, false), ("", 403, false), ("", 500, false),
        ("", 503, false), ("max-age=60", 302, true), ("max-age=60", 500, true), ("public", 418, true),
        ("max-age=60", 418, true), ("max-age=60", 206, false), ("max-age=60", 304, false),
        ("max-age=60", 401, false), ("max-age=60", 407, false), ("must-understand, no-store", 200, true),
        ("must-understand, no-store", 418, false), ("must-understand, max-age=60", 418, false),
    ]

    @Test(arguments: rows)
    func `directives and status code decide what is stored`(_ control: String, _ status: Int, _ expected: Bool) throws {
        #expect(try isStored(control, status: status) == expected)
    }

    @Test func `a response without lifetime and validator is not stored`() throws {
        guard case .refuse = try decision([.contentType: "text/plain"]) else { throw Unmet(description: "a refusal") }
    }

    @Test func `no-store of the request is obeyed`() throws {
        #expect(try !isStored("max-age=60", request: [.cacheControl: "no-store"]))
        guard case .refuse = try decision([.cacheControl: "max-age=60"], method: .head) else {
            throw Unmet(description: "a refusal of HEAD")
        }
    }

    @Test func `a private cache stores responses to requests with credentials`() throws {
        #expect(try isStored("max-age=60", request: [.authorization: "Basic eDp5"]))
    }

    @Test(arguments: [
        ("max-age=60", false), ("public, max-age=60", true), ("must-revalidate, max-age=60", true),
        ("s-maxage=60", true),
    ])
    func `a shared cache stores them where the response allows it`(_ control: String, _ expected: Bool) throws {
        let request: HTTPFields = [.authorization: "Basic eDp5"]
        #expect(try isStored(control, request: request, isShared: true) == expected)
        #expect(try !isStored("private, max-age=60", isShared: true))
    }

    @Test func `fields of the connection are not stored`() throws {
        var fields: HTTPFields = [
            .connection: "close, X-Hop", .transferEncoding: "chunked", .cacheControl: "max-age=60", .eTag: "\"x\"",
        ]
        for name in ["X-Hop", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Upgrade", "X-Kept"] {
            fields[try #require(HTTPField.Name(name))] = "1"
        }
        guard case .store(let record) = try decision(fields) else { throw Unmet(description: "a record") }
        #expect(Set(record.head.headerFields.map(\.name.rawName)) == ["Cache-Control", "ETag", "X-Kept"])
    }

    @Test func `fields that no-cache and private name are not stored where they bind`() throws {
        let (one, other) = (try #require(HTTPField.Name("X-One")), try #require(HTTPField.Name("X-Other")))
        let fields: HTTPFields = [
            .cacheControl: "max-age=60, no-cache=\"x-one\", private=\"X-Other\"", one: "1", other: "1",
        ]
        guard case .store(let own) = try decision(fields),
            case .store(let shared) = try decision(fields, isShared: true)
        else { throw Unmet(description: "records") }
        #expect(!own.head.contains(one) && own.head.contains(other))
        #expect(!shared.head.contains(one) && !shared.head.contains(other))
    }

    @Test func `a 304 replaces fields, but none that says how the body is to be read`() {
        let stored = ResponseHead(
            status: .ok,
            headerFields: [
                .contentLength: "5", .contentType: "text/plain", .cacheControl: "max-age=1", .eTag: "\"x\"", .age: "9",
                .contentEncoding: "gzip",
            ]
        )
        let newer = ResponseHead(
            status: .notModified,
            headerFields: [
                .contentLength: "0", .contentType: "text/html", .cacheControl: "max-age=60", .date: httpDate(0),
                .connection: "close", .contentEncoding: "br",
            ]
        )
        let head = StorageDecision.updated(stored, with: newer, false)
        #expect(head.status == .ok && head[.contentLength] == "5" && head[.contentType] == "text/plain")
        #expect(head[.cacheControl] == "max-age=60" && head[.date] == httpDate(0) && head[.eTag] == "\"x\"")
        #expect(!head.contains(.age) && !head.contains(.connection) && head[.contentEncoding] == "gzip")
    }

    @Test func `a weak entity tag stays weak when a strong one confirms it, as nginx does`() {
        let stored = ResponseHead(status: .ok, headerFields: [.eTag: "W/\"x\"", .contentEncoding: "gzip"])
        let newer = ResponseHead(status: .notModified, headerFields: [.eTag: "\"x\"", .date: httpDate(0)])
        let head = StorageDecision.updated(stored, with: newer, false)
        #expect(head.values(for: .eTag) == ["W/\"x\""] && head[.date] == httpDate(0))
    }

    @Test func `an entity tag that a confirmation brings is stored where there was none`() {
        let newer = ResponseHead(status: .notModified, headerFields: [.eTag: "\"x\""])
        let head = StorageDecision.updated(ResponseHead(status: .ok, headerFields: [:]), with: newer, false)
        #expect(head[.eTag] == "\"x\"")
    }

    // MARK: Vary

    private func record(_ vary: String, _ request: Request) throws -> CacheRecord {
        let head = ResponseHead(status: .ok, headerFields: [.vary: vary])
        let varying = try #require(Vary.fields(of: head, for: request))
        return CacheRecord(key: "k", url: request.url, head: head, varying: varying, requestedAt: 0, receivedAt: 0)
    }

    @Test func `a response is for requests with the same values of the fields that Vary names`() throws {
        let first = try Request(to: "http://x.test/", headerFields: [.acceptLanguage: "de , EN", .accept: "a/b"])
        let record = try record("Accept-Language, X-None", first)
        #expect(Vary.matches(record, first))
        #expect(Vary.matches(record, try Request(to: "http://x.test/", headerFields: [.acceptLanguage: "de,en"])))
        #expect(!Vary.matches(record, try Request(to: "http://x.test/", headerFields: [.acceptLanguage: "en"])))
        #expect(!Vary.matches(record, try Request(to: "http://x.test/")))
        var other = first
        other.headerFields[try #require(HTTPField.Name("X-None"))] = "1"
        #expect(!Vary.matches(record, other))
    }

    @Test func `several fields of one name are one list`() throws {
        let name = try #require(HTTPField.Name("X-List"))
        var (one, two) = (try Request(to: "http://x.test/"), try Request(to: "http://x.test/"))
        one.headerFields[name] = "a,  b"
        two.headerFields.append(HTTPField(name: name, value: "a"))
        two.headerFields.append(HTTPField(name: name, value: "b"))
        #expect(Vary.matches(try record("x-list", one), two))
    }

    @Test func `a star, and too many names, match nothing and are not stored`() throws {
        let request = try Request(to: "http://x.test/")
        let names = (0...HTTPCache.mostVaryingFields).map { "x-\($0)" }.joined(separator: ",")
        for vary in ["*", "accept, *", names] {
            #expect(Vary.fields(of: ResponseHead(status: .ok, headerFields: [.vary: vary]), for: request) == nil)
        }
    }

    @Test func `of a secret only the hash is kept`() throws {
        let request = try Request(
            to: "http://x.test/",
            headerFields: [.authorization: "Bearer abc", .cookie: "a=secret"]
        )
        let record = try record("Authorization, Cookie", request)
        #expect(!String(decoding: try record.encoded, as: UTF8.self).contains("abc"))
        #expect(!String(decoding: try record.encoded, as: UTF8.self).contains("secret"))
        #expect(Vary.matches(record, request))
        #expect(!Vary.matches(record, try Request(to: "http://x.test/", headerFields: [.authorization: "Bearer abd"])))
    }

    // MARK: Records

    @Test func `a record outlives its process`() throws {
        let request = try Request(to: "http://x.test/ä?b", headerFields: [.accept: "a/b"])
        var fields: HTTPFields = [.vary: "accept", .eTag: "\"x\"", .cacheControl: "max-age=60"]
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        let bytes = try #require(HTTPField(name: .server, latin1Value: "\u{e4}"))
        fields.append(bytes)
        let head = ResponseHead(status: .init(code: 404, reasonPhrase: "Gone fishing"), headerFields: fields)
        let record = CacheRecord(
            key: try request.cacheKey,
            url: request.url,
            head: head,
            varying: try #require(Vary.fields(of: head, for: request)),
            requestedAt: 10,
            receivedAt: 12
        ).complete(byteCount: 7, trailers: [.eTag: "\"t\""])
        let copy = try #require(CacheRecord(encoded: try record.encoded))
        #expect(copy.identifier == record.identifier && copy.key == record.key && copy.url == record.url)
        #expect(copy.head == head && copy.head.status.reasonPhrase == "Gone fishing")
        #expect(copy.head.latin1Fields.last?.value == "\u{e4}")
        #expect(copy.byteCount == 7 && copy.trailers == [.eTag: "\"t\""] && copy.varying == record.varying)
        #expect(copy.requestedAt == 10 && copy.receivedAt == record.receivedAt)
    }

    @Test(arguments: ["", "{}", "[]", "null", "{\"version\":2}"])
    func `bytes that are no record make none`(_ text: String) {
        #expect(CacheRecord(encoded: Data(text.utf8)) == nil)
    }
}
