public import FoundationEssentials
public import HTTPTypes

/// A stored response without its body: what a ``CacheStore`` keeps, and what a cache decides by.
///
/// Counterpart of `NSCachedURLResponse`, which has the body too.
public struct CacheRecord: Sendable {
    /// A field of the request that `Vary` names: the response is for requests that have the same
    /// value, or none either (RFC 9111 §4.1).
    struct VaryingField: Sendable, Hashable, Codable {
        /// In lower case.
        var name: String
        /// Normalised; of a secret its hash.
        var value: String?
    }

    /// The bytes of a body that are stored, where they are not all of them (RFC 9111 §3.3).
    struct Part: Sendable, Hashable, Codable {
        /// Not empty, and within the length.
        var range: Range<Int>
        /// The size of the whole body.
        var length: Int

        /// Nil for bytes that are not in the body.
        init?(_ range: Range<Int>, of length: Int) {
            guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= length else { return nil }
            (self.range, self.length) = (range, length)
        }
    }

    private struct Contents: Sendable {
        var identifier: UInt64
        var key: String
        var url: URL
        var head: ResponseHead
        var trailers: HTTPFields
        var varying: [VaryingField]
        var requestedAt: Int
        var receivedAt: Int
        var byteCount: Int
        var part: Part?
        var facts: StoredFacts
        /// That of the head, which no copy changes.
        let aged = AgedAnswer()
    }

    private var contents: CopyOnWrite<Contents>

    /// A number that no other stored response has, as far as chance goes.
    public var identifier: UInt64 { contents.value.identifier }

    /// The key under which it is stored: scheme, host, port, path and query of its URL.
    public var key: String { contents.value.key }

    /// The URL of the request.
    public var url: URL { contents.value.url }

    /// Status and header fields, as they are stored: without those for the connection alone (RFC
    /// 9111 §3.1).
    public var head: ResponseHead { contents.value.head }

    /// The fields behind the body.
    public var trailers: HTTPFields { contents.value.trailers }

    /// The time at which the response came, or was last confirmed by the server.
    public var receivedAt: Date { Date(timeIntervalSince1970: Double(contents.value.receivedAt)) }

    /// The size of the body as it is stored, with its content coding; known when it is stored. That
    /// of a part where only a part is stored.
    public var byteCount: Int { contents.value.byteCount }

    /// The bytes of the body that are stored; nil where all are. The head is that of the whole
    /// response.
    public var part: Range<Int>? { contents.value.part?.range }

    /// The size of the whole body, also where only a part of it is stored.
    public var completeByteCount: Int { contents.value.part?.length ?? byteCount }

    var varying: [VaryingField] { contents.value.varying }
    var facts: StoredFacts { contents.value.facts }
    var aged: AgedAnswer { contents.value.aged }

    /// The age at a time, and the seconds for which it is fresh; nil where it is not, or has to be
    /// confirmed each time (RFC 9111 §4.2, §5.2.2.4).
    func freshness(at now: Int, isShared: Bool) -> (age: Int, timeToLive: Int)? {
        let age = contents.value.facts.age(at: now)
        let timeToLive = contents.value.facts.lifetime(isShared: isShared) - age
        guard timeToLive > 0, !contents.value.facts.directives.flags.contains(.noCache) else { return nil }
        return (age, timeToLive)
    }

    var requestedAt: Int { contents.value.requestedAt }

    /// The head of a hit. A response that was not confirmed tells its age (RFC 9111 §5.1), and each
    /// one the time at which it was made, or at which it came (RFC 9110 §6.6.1).
    func head(atAge age: Int) -> ResponseHead {
        head.dated(contents.value.receivedAt).withAge(age)
    }

    /// The seconds for which it is fresh, at most: in a private or in a shared cache.
    package var freshTime: Int { max(facts.lifetime(isShared: false), facts.lifetime(isShared: true)) }

    /// What it takes of memory without its body, about.
    var headCost: Int { 512 + contents.value.key.utf8.count + 64 * contents.value.varying.count + headBytes }

    private var headBytes: Int { contents.value.head.byteCount }

    init(
        identifier: UInt64 = .random(in: 1...UInt64(Int64.max)),
        key: String,
        url: URL,
        head: ResponseHead,
        trailers: HTTPFields = [:],
        varying: [VaryingField],
        requestedAt: Int,
        receivedAt: Int,
        byteCount: Int = 0,
        part: Part? = nil
    ) {
        contents = CopyOnWrite(
            Contents(
                identifier: identifier,
                key: key,
                url: url,
                head: head,
                trailers: trailers,
                varying: varying,
                requestedAt: requestedAt,
                receivedAt: receivedAt,
                byteCount: byteCount,
                part: part,
                facts: StoredFacts(head, requestedAt: requestedAt, receivedAt: receivedAt)
            )
        )
    }

    /// The same with the size of its body, now that all of it is there.
    func complete(byteCount: Int, trailers: HTTPFields) -> CacheRecord {
        var copy = self
        copy.contents.value.byteCount = byteCount
        copy.contents.value.trailers = trailers
        return copy
    }

    /// The same response, of which only a part is stored; nil for all of it.
    func with(_ part: Part?) -> CacheRecord {
        var copy = self
        copy.contents.value.part = part
        return copy
    }

    /// The same under another number: a response of its own for the store.
    func renumbered() -> CacheRecord {
        var copy = self
        copy.contents.value.identifier = .random(in: 1...UInt64(Int64.max))
        return copy
    }

    /// The same response with another head, as of a time.
    func updated(_ head: ResponseHead, requestedAt: Int, receivedAt: Int) -> CacheRecord {
        CacheRecord(
            identifier: identifier,
            key: key,
            url: url,
            head: head,
            trailers: trailers,
            varying: varying,
            requestedAt: requestedAt,
            receivedAt: receivedAt,
            byteCount: byteCount,
            part: contents.value.part
        )
    }
}

extension CacheRecord {
    /// The form in which it is stored outside of memory. Field values are bytes, each of which is
    /// the character of the same number.
    private struct Form: Codable {
        struct Field: Codable {
            var name: String
            var value: String
        }

        /// 2 for a part, which earlier versions of the library would take for the whole.
        var version = 1
        var identifier: UInt64
        var key: String
        var url: URL
        var status: Int
        var reason: String
        var protocolVersion: String
        var fields: [Field]
        var trailers: [Field]
        var varying: [VaryingField]
        var requestedAt: Int
        var receivedAt: Int
        var byteCount: Int
        var part: Part?

        /// Whether it is a whole response, or one with a part that is possible.
        var hasPart: Bool {
            guard version > 1, let part else { return version == 1 && part == nil }
            return Part(part.range, of: part.length) != nil && part.range.count == byteCount
        }
    }

    /// The record as bytes, for a store outside of memory.
    ///
    /// - Throws: What an encoder throws; nothing for a record of the library's.
    public var encoded: Data {
        get throws {
            try JSONEncoder().encode(
                Form(
                    version: contents.value.part == nil ? 1 : 2,
                    identifier: identifier,
                    key: key,
                    url: url,
                    status: head.statusCode,
                    reason: head.status.reasonPhrase,
                    protocolVersion: head.httpVersion.description,
                    fields: head.latin1Fields.map { Form.Field(name: $0.name, value: $0.value) },
                    trailers: trailers.map { Form.Field(name: $0.name.rawName, value: $0.latin1Value) },
                    varying: varying,
                    requestedAt: requestedAt,
                    receivedAt: contents.value.receivedAt,
                    byteCount: byteCount,
                    part: contents.value.part
                )
            )
        }
    }

    /// Reads a record that ``encoded`` has written; nil for anything else, and for one of a newer
    /// version of the library.
    ///
    /// - Parameter encoded: The bytes.
    public init?(encoded: Data) {
        // Times that no clock has could overflow in sums.
        let times = 0...(1 << 40)
        guard let form = try? JSONDecoder().decode(Form.self, from: encoded), 1...2 ~= form.version,
            form.hasPart, 100...999 ~= form.status, form.byteCount >= 0, times ~= form.requestedAt,
            times ~= form.receivedAt
        else { return nil }
        let version: HTTPVersion =
            switch form.protocolVersion {
            case "1.0": .http1_0
            case "2": .http2
            default: .http1_1
            }
        self.init(
            identifier: form.identifier,
            key: form.key,
            url: form.url,
            head: ResponseHead(
                status: HTTPResponse.Status(code: form.status, reasonPhrase: form.reason),
                headerFields: Self.fields(form.fields),
                httpVersion: version
            ),
            trailers: Self.fields(form.trailers),
            varying: form.varying,
            requestedAt: form.requestedAt,
            receivedAt: form.receivedAt,
            byteCount: form.byteCount,
            part: form.part
        )
    }

    private static func fields(_ list: [Form.Field]) -> HTTPFields {
        HTTPFields(
            list.compactMap { field in
                HTTPField.Name(field.name).flatMap { HTTPField(name: $0, latin1Value: field.value) }
            }
        )
    }
}
