import Foundation
import NIOCore

@testable import Bluebonnet

/// A parser of bytes from the network, and the rules that it keeps for every input.
enum FuzzTarget: String, CaseIterable, Sendable {
    case http1
    case http2
    case hpack
    case webSocket = "websocket"
    case json
    case decodable
    case gzip
    case deflate
    #if Brotli
        case brotli
    #endif
    #if Zstd
        case zstd
    #endif
    case events
    case lines
    case xml
    case xpath
    case propertyList = "property-list"
    case charset
    case challenge
    case cookie
    case retryAfter = "retry-after"
    case cacheControl = "cache-control"
    case contentRange = "content-range"
    case storedHead = "stored-head"
    case netlink
    #if Images
        case image
        case imageHelper = "image-helper"
    #endif

    /// Whether each input starts a process.
    var startsProcesses: Bool {
        #if Images
            self == .imageHelper
        #else
            false
        #endif
    }

    /// A rule that the parser did not keep.
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// Passes an input to the parser and checks the outcome.
    ///
    /// - Parameters:
    ///   - input: The bytes.
    ///   - pieces: The same bytes, cut into pieces.
    /// - Returns: The kind of the outcome: an input with a new kind is worth keeping.
    /// - Throws: ``Violation`` when the parser did not keep a rule.
    func run(_ input: [UInt8], cut pieces: [ArraySlice<UInt8>]) throws(Violation) -> String {
        switch self {
        case .http1: try Self.same(HTTP1Outcome.of, input, pieces)
        case .http2: try Self.same(HTTP2Outcome.of, input, pieces)
        case .hpack: try HTTP2Outcome.ofFields(input)
        case .webSocket: try WebSocketOutcome.of(input, cut: pieces)
        case .json: try Self.json(input)
        case .decodable: try Self.decodable(input)
        case .gzip: try Self.same({ Self.decoded("gzip", $0) }, input, pieces)
        case .deflate: try Self.same({ Self.decoded("deflate", $0) }, input, pieces)
        #if Brotli
            case .brotli: try Self.same({ Self.decoded("br", $0) }, input, pieces)
        #endif
        #if Zstd
            case .zstd: try Self.same({ Self.decoded("zstd", $0) }, input, pieces)
        #endif
        case .events: try Self.same(Self.events, input, pieces)
        case .lines: try Self.same(Self.lines, input, pieces)
        case .xml: try Self.xml(input)
        case .xpath: try Self.xpath(input)
        case .propertyList: try Self.propertyList(input)
        case .charset: try Self.charset(input)
        case .challenge: try Self.challenge(input)
        case .cookie: try Self.cookie(input)
        case .retryAfter: try Self.retryAfter(input)
        case .cacheControl: try Self.cacheControl(input)
        case .contentRange: try Self.contentRange(input)
        case .storedHead: try Self.storedHead(input)
        case .netlink: try Self.netlink(input)
        #if Images
            case .image: try Self.image(input)
            case .imageHelper: try Self.imageHelper(input)
        #endif
        }
    }

    /// The outcome of an input, in full, and its kind.
    struct Outcome: Equatable {
        var text: String
        var bytes = ByteBuffer()
        var kind: String

        /// Kinds are not compared: a library may notice a fault at another place when it receives
        /// smaller pieces.
        static func == (left: Self, right: Self) -> Bool {
            left.text == right.text && left.bytes == right.bytes
        }
    }

    /// Checks that the outcome does not depend on how the input was cut.
    private static func same(
        _ outcome: ([ArraySlice<UInt8>]) -> Outcome,
        _ input: [UInt8],
        _ pieces: [ArraySlice<UInt8>]
    ) throws(Violation) -> String {
        let whole = outcome([input[...]])
        let cut = outcome(pieces)
        guard whole == cut else {
            throw Violation(description: "in pieces \(cut.text) \(cut.kind), at once \(whole.text) \(whole.kind)")
        }
        return whole.kind
    }

    // MARK: JSON

    private static func json(_ input: [UInt8]) throws(Violation) -> String {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: input)
        } catch {
            return "\(error.code) \(error.message.prefix(40))"
        }
        guard let written = try? value.bytes(options: []), let again = try? JSONValue(parsing: written) else {
            throw Violation(description: "the written value cannot be read: \(value)")
        }
        guard again == value else { throw Violation(description: "written and read, the value differs: \(value)") }
        return "value \(bucket(written.count)) \(kind(value))"
    }

    private static func kind(_ value: JSONValue) -> String {
        switch value {
        case .array(let array): "array\(bucket(array.count))" + (array.first.map(kind) ?? "")
        case .object(let object): "object\(bucket(object.count))" + (object.values.first.map(kind) ?? "")
        case .string(let string): "string\(bucket(string.utf8.count))"
        case .number: "number"
        default: "word"
        }
    }

    /// A type with every kind of member that the decoder treats in its own way.
    private final class Record: Decodable {
        var id: Int?
        var small: UInt8?
        var ratio: Double?
        var name: String?
        var when: Date?
        var data: Data?
        var link: URL?
        var tags: [String: Int]?
        var values: [Double?]?
        var child: Record?
        var children: [Record]?
        var any: JSONValue?
    }

    /// What is not JSON cannot be decoded, and is corrupted. What is decoded has the members of the
    /// same text as a value.
    private static func decodable(_ input: [UInt8]) throws(Violation) -> String {
        let value = try? JSONValue(parsing: input)
        let kind: String
        do {
            let count = try JSONBodyDecoder().decode([Record].self, from: input).count
            guard count == value?.array?.count else { throw Violation(description: "\(count) records") }
            kind = "records \(bucket(count))"
        } catch let error as DecodingError {
            kind = try self.kind(error, isJSON: value != nil)
        } catch {
            throw error as? Violation ?? Violation(description: "an error of another type: \(error)")
        }
        // The decoder takes the first value of a repeated key and a `JSONValue` the last one, so
        // the records are those of the value, which has each key once.
        if let value, let records = try? JSONBodyDecoder().decode([Record].self, from: value) {
            for (record, object) in zip(records, value.array ?? []) { try compare(record, object) }
        }
        return kind
    }

    private static func kind(_ error: DecodingError, isJSON: Bool) throws(Violation) -> String {
        switch error {
        case .dataCorrupted(let context):
            return "corrupted \(context.codingPath.count) \(context.debugDescription.prefix(30))"
        case _ where !isJSON: throw Violation(description: "this is not JSON, but: \(error)")
        case .typeMismatch(let type, let context): return "mismatch \(type) \(context.codingPath.count)"
        case .valueNotFound(let type, let context): return "no value \(type) \(context.codingPath.count)"
        case .keyNotFound(let key, let context): return "no key \(key.stringValue) \(context.codingPath.count)"
        @unknown default: return "another error"
        }
    }

    private static func compare(_ record: Record, _ object: JSONValue) throws(Violation) {
        let isSame =
            record.id == object["id"]?.int && record.small.map(Int.init) == object["small"]?.int
            && record.ratio == object["ratio"]?.double && record.name == object["name"]?.string
            && record.tags == object["tags"]?.object.map(numbers)
            && record.values == object["values"]?.array.map { $0.map(\.double) }
            && record.any == object["any"].flatMap { $0.isNull ? nil : $0 }
            && record.children?.count == object["children"]?.array?.count
        guard isSame else { throw Violation(description: "decoded otherwise than it is written: \(object)") }
        if let child = record.child, let inner = object["child"] { try compare(child, inner) }
        for (child, inner) in zip(record.children ?? [], object["children"]?.array ?? []) { try compare(child, inner) }
    }

    private static func numbers(_ object: JSONObject) -> [String: Int] {
        Dictionary(object.map { ($0.key, $0.value.int ?? 0) }) { first, _ in first }
    }

    // MARK: Content codings

    private static func decoded(_ coding: String, _ pieces: [ArraySlice<UInt8>]) -> Outcome {
        let limits = Limits(decodedBody: 1 << 20)
        guard let coding = try? ContentCoding(contentEncoding: coding) else { return Outcome(text: "?", kind: "?") }
        let decoder = ContentDecoder(coding, limits: limits)
        var whole = ByteBuffer()
        do throws(NetworkingError) {
            for piece in pieces {
                decoder.push(ByteBuffer(bytes: piece))
                while var block = try decoder.nextBlock() { whole.writeBuffer(&block) }
            }
            try decoder.finish()
            return Outcome(text: "whole", bytes: whole, kind: "\(bucket(whole.readableBytes))")
        } catch {
            // The number of bytes decoded before the error depends on the pieces. So does the error
            // of a body that is both corrupt and too large.
            return Outcome(text: "refused", kind: error.message)
        }
    }

    // MARK: Lines and events

    private static func events(_ pieces: [ArraySlice<UInt8>]) -> Outcome {
        var parser = ServerSentEventParser(limit: 200)
        var events: [ServerSentEvent] = []
        do throws(ServerSentEventParser.EventTooLarge) {
            for piece in pieces {
                parser.push(ByteBuffer(bytes: piece))
                while let event = try parser.next() { events.append(event) }
            }
        } catch {
            return Outcome(text: "\(events) too large", kind: "too large \(bucket(events.count))")
        }
        let last = events.last
        let kind =
            "\(events.count) \(last?.type == "message") \(last?.id.isEmpty ?? true) \(last?.retry == nil) "
            + "\(bucket(last?.data.utf8.count ?? 0))"
        return Outcome(text: "\(events) \(parser.lastEventID)", kind: kind)
    }

    private static func lines(_ pieces: [ArraySlice<UInt8>]) -> Outcome {
        var splitter = LineSplitter(limit: 50)
        var lines: [ByteBuffer] = []
        do throws(LineSplitter.LineTooLong) {
            for piece in pieces {
                splitter.push(ByteBuffer(bytes: piece))
                while let line = try splitter.next() { lines.append(line) }
            }
            if let last = try splitter.finish() { lines.append(last) }
        } catch {
            return Outcome(
                text: "\(lines.map(Array.init(buffer:))) \(error.number)",
                kind: "long \(bucket(lines.count))"
            )
        }
        return Outcome(text: "\(lines.map(Array.init(buffer:)))", kind: "\(bucket(lines.count))")
    }

    /// The order of magnitude of a number.
    static func bucket(_ count: Int) -> Int {
        Int.bitWidth - count.leadingZeroBitCount
    }
}
