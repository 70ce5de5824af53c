import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An origin of the tests of caches: nginx or Apache, with the cache of nginx in front of it.
enum CacheOrigin: String, CaseIterable, Sendable {
    case nginx
    case apache

    var server: InteropServer { self == .nginx ? .nginxOrigin : .apache }
    var cache: InteropServer { self == .nginx ? .nginxCache : .apacheCache }

    /// The policies that this server has.
    func having(_ policies: [OriginPolicy]) -> [OriginPolicy] {
        policies.filter { self == .nginx || $0.name != OriginPolicy.compressed.name }
    }

    /// The lines of its log about a run.
    func log(of run: String) throws -> [Substring] {
        let log = URL(filePath: try InteropServer.files.address + "/../origin-\(rawValue).log")
        let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        return text.split(separator: "\n").filter { $0.contains("/\(run)/") }
    }
}

/// A version of a file, as the origin serves it.
struct ServedVersion: Equatable {
    var body: Data
    var entityTag: String?
    var lastModified: String?
}

/// A URL of an origin whose file changes.
struct ServedFile {
    let policy: OriginPolicy
    let path: String
    private(set) var versions: [ServedVersion] = []

    init(_ policy: OriginPolicy, of run: String) {
        self.policy = policy
        path = "/differential/\(run)/\(policy.name)/file.txt"
    }

    /// The day on which the files were changed for the first time, more than ten weeks ago.
    private static let firstChange = Date(timeIntervalSince1970: 1_700_000_000)

    /// Writes the next version, of so many bytes.
    mutating func change(length: Int) throws {
        let number = versions.count
        let line = "\(path), version \(number). "
        let body = Data(String(repeating: line, count: length / line.utf8.count + 1).utf8.prefix(length))
        if policy.isFile {
            let file = URL(filePath: try InteropServer.files.address + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try body.write(to: file)
            // nginx and Apache make the entity tag of the time and the size.
            let attributes: [FileAttributeKey: Any] = [
                .posixPermissions: 0o644, .modificationDate: Self.firstChange.addingTimeInterval(Double(number)),
            ]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: file.path(percentEncoded: false))
        }
        versions.append(ServedVersion(body: body))
    }

    /// Notes the validators of the current version.
    mutating func note(_ head: ResponseHead) {
        versions[versions.count - 1].entityTag = head.headerFields[.eTag]
        versions[versions.count - 1].lastModified = head.headerFields[.lastModified]
    }
}

/// A request of a sequence for one URL.
struct CacheProbe: Sendable, CustomStringConvertible {
    enum Condition: Sendable, Equatable {
        case none
        case noneMatch(String)
        case modifiedSince(String)
    }

    var method = HTTPRequest.Method.get
    var wish = Wish.none
    var condition = Condition.none
    var range: String?
    /// The entity tag of the version that the range is wanted of.
    var rangeTag: String?
    var language: String?
    var coding: String?
    var isAuthorized = false

    /// Whether the whole is wanted, if possible from the cache.
    var isPlain: Bool { method == .get && wish == .none && condition == .none && range == nil && !isAuthorized }

    var description: String {
        let parts = [method.rawValue, wish.rawValue, range ?? "", rangeTag ?? "", language ?? "", coding ?? ""]
        return (parts + [condition == .none ? "" : "\(condition)"]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The request to a server, on behalf of a client that its log names.
    func request(_ server: InteropServer, _ file: ServedFile, client: String) throws -> Request {
        let policy = file.policy
        var fields: [(String, String?)] = [
            ("X-Client", client), ("X-Cache-Control", policy.cacheControl), ("X-Expires", policy.expires),
            ("X-Age", policy.age > 0 ? "\(policy.age)" : nil), ("X-Vary", policy.vary),
            ("X-Set-Cookie", policy.setsCookie ? "a=b" : nil),
            ("Cache-Control", wish == .none ? nil : wish.rawValue), ("Range", range), ("If-Range", rangeTag),
            ("Accept-Language", language),
            ("Accept-Encoding", coding), ("Authorization", isAuthorized ? "Bearer t0ken" : nil),
        ]
        switch condition {
        case .none: break
        case .noneMatch(let tag): fields.append(("If-None-Match", tag))
        case .modifiedSince(let date): fields.append(("If-Modified-Since", date))
        }
        var request = try server.request(file.path, method: method)
        for case (let name, let value?) in fields {
            request.headerFields[try #require(HTTPField.Name(name))] = value
        }
        request.redirectPolicy = .manual
        return request
    }
}

extension Response<Data> {
    /// The parts of a response that do not depend on the caches on the way.
    var essence: String {
        let tag = headerFields[.eTag] ?? ""
        let range = headerFields[.contentRange] ?? ""
        return "\(status.code) \(tag) \(range) \(String(decoding: body, as: UTF8.self))"
    }
}
