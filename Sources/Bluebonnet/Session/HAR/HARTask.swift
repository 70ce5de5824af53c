import FoundationEssentials
import HTTPTypes
import NIOCore

/// A task that a recorder keeps: what its entries need, and no more.
struct HARTask: Sendable {
    /// An entry with the time by which the archive is sorted.
    struct Entry {
        var startedAt: Date
        var json: JSONValue
    }

    /// The body of a request, as far as it is kept.
    enum SentBody: Sendable {
        case bytes(ByteBuffer)
        /// A form in memory, of which each part is known.
        case form(MultipartFormData)
        /// Above the limit, never in memory as a whole, or with trailers, for which an archive has
        /// no place.
        case omitted(length: Int?)

        init(_ body: RequestBody, limit: Int) {
            guard case .bytes(let bytes) = body.storage, bytes.readableBytes <= limit, body.trailers == nil else {
                self = .omitted(length: body.declaredLength)
                return
            }
            self = body.form.map { .form($0) } ?? .bytes(bytes)
        }

        var keptCount: Int {
            switch self {
            case .bytes(let bytes): bytes.readableBytes
            case .form(let form): form.contentLength ?? 0
            case .omitted: 0
            }
        }

        /// Whether there is nothing to send.
        var isEmpty: Bool {
            switch self {
            case .bytes(let bytes): bytes.readableBytes == 0
            case .form: false
            case .omitted(let length): length == 0
            }
        }

        /// Its length, where it is known before it is sent.
        var length: Int? {
            if case .omitted(let length) = self { length } else { keptCount }
        }
    }

    /// The body of the last response.
    struct ReceivedBody: Sendable {
        var count: Int
        /// The bytes, if they are not too many.
        var bytes: Data?
    }

    /// Without bodies.
    private let metrics: TaskMetrics
    private let sent: [SentBody?]
    private let received: ReceivedBody?
    /// The bytes of all that is kept.
    let byteCount: Int
    var entryCount: Int { sent.count }

    init(_ report: TaskReport, bodyLimit: Int) {
        metrics = report.metrics.bare
        sent = report.metrics.requestBodies.map { $0.map { SentBody($0, limit: bodyLimit) } }
        received =
            Self.isOfLast(report)
            ? report.body.map { ReceivedBody(count: $0.count, bytes: $0.count <= bodyLimit ? $0 : nil) }
            : nil
        byteCount =
            metrics.bytes.requestHead + metrics.bytes.responseHead
            + metrics.transactionCount * MemoryLayout<TransactionRecord>.stride
            + Self.keptCount(report.metrics.requestBodies, sent) + (received?.bytes?.count ?? 0)
    }

    /// The bytes of the bodies that are kept. Those that were sent again share their memory with
    /// the first one.
    private static func keptCount(_ bodies: [RequestBody?], _ sent: [SentBody?]) -> Int {
        var known: [RequestBody] = []
        return zip(bodies, sent).reduce(0) { sum, element in
            guard let body = element.0, let kept = element.1, kept.keptCount > 0 else { return sum }
            guard !known.contains(where: { $0.sharesMemory(with: body) }) else { return sum }
            known.append(body)
            return sum + kept.keptCount
        }
    }

    /// Whether the body of the result came with the last response: an interceptor can have taken an
    /// earlier one, or one from elsewhere.
    private static func isOfLast(_ report: TaskReport) -> Bool {
        guard let last = report.metrics.transactions.last, let head = last.response else {
            return false
        }
        // A body that was cut off is in the error.
        guard last.error == nil || report.error != nil else { return false }
        return report.statusCode.map { $0 == head.statusCode } ?? true
    }

    func entries(_ options: HAROptions) -> [Entry] {
        let transactions = metrics.transactions
        return zip(transactions, sent).enumerated().map { index, element in
            let (transaction, sent) = element
            let received = index == transactions.count - 1 ? received : nil
            return Entry(
                startedAt: transaction.startDate,
                json: HAREntry(transaction, sent: sent, received: received, options).json
            )
        }
    }
}

extension RequestBody {
    /// Whether the bytes of two bodies in memory are the same memory.
    fileprivate func sharesMemory(with other: RequestBody) -> Bool {
        guard case .bytes(let bytes) = storage, case .bytes(let others) = other.storage else { return false }
        // Only the addresses are compared.
        return unsafe bytes.withUnsafeReadableBytes { own in
            unsafe others.withUnsafeReadableBytes { other in
                unsafe own.count == other.count && own.baseAddress == other.baseAddress
            }
        }
    }
}
