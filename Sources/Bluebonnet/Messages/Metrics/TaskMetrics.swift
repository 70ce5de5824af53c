public import FoundationEssentials
import NIOCore

/// What happened for a task, and when: one transaction for each time that a request was sent,
/// redirects and retries included.
///
/// It is on every ``Response``, on every ``NetworkingError`` of a task that had begun, and on the
/// tasks themselves, where it grows until the task is over.
///
/// All times count from the beginning of the task, by a clock that is never set;
/// ``date(at:)`` gives the time of day of one.
///
/// Counterpart of `NSURLSessionTaskMetrics`, which `setTaskDidFinishCollectingMetricsBlock:` of
/// AFNetworking and `metrics` of Alamofire's responses bring.
public struct TaskMetrics: Sendable {
    /// In the order in which they began.
    private let records: [TransactionRecord]
    private let sums: CopyOnWrite<TransactionSums>?
    private let startedAt: NIODeadline
    private let endedAt: NIODeadline?
    /// The time of day less the time of the event loops.
    private let dayOffset: Int64

    /// How many redirects were followed.
    ///
    /// Counterpart of `redirectCount` of `NSURLSessionTaskMetrics`.
    public let redirectCount: Int

    init(
        _ records: [TransactionRecord],
        sums: CopyOnWrite<TransactionSums>?,
        startedAt: NIODeadline,
        endedAt: NIODeadline?,
        redirectCount: Int,
        dayOffset: Int64
    ) {
        self.records = records
        self.sums = sums
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.redirectCount = redirectCount
        self.dayOffset = dayOffset
    }

    /// Each time that a request was sent, or was to be sent and waited for a connection, in the
    /// order in which they began. One that is under way has what is known of it when its response
    /// head is there; before that, it is missing.
    ///
    /// At most 100 are kept: the first 10 and the last 90. ``omittedTransactionCount`` tells how
    /// many are not.
    ///
    /// Counterpart of `transactionMetrics` of `NSURLSessionTaskMetrics`.
    public var transactions: [TransactionMetrics] {
        let omitted = omittedTransactionCount
        return records.enumerated().map { index, record in
            TransactionMetrics(
                record,
                number: index < Self.firstKept ? index : index + omitted,
                taskStart: startedAt,
                dayOffset: dayOffset
            )
        }
    }

    /// The most transactions that are kept of a task, and how many of them are the first ones.
    static let mostKept = 100
    static let firstKept = 10

    /// The response of the last transaction, which costs less than asking ``transactions``.
    package var lastResponse: ResponseHead? { records.last?.head }

    /// The number of ``transactions``, which costs less than counting them.
    public var transactionCount: Int { records.count }

    /// How many transactions are not in ``transactions``, because there were too many. Their bytes
    /// are in ``bytes``.
    public var omittedTransactionCount: Int { sums?.value.omitted ?? 0 }

    /// How many times a request was sent again without a redirect: by the session, because a pooled
    /// connection was stale or an expectation was refused, by an interceptor, or to continue a
    /// download or an upload that was interrupted.
    ///
    /// The requests for the parts of a segmented download do not count. Neither do those of a
    /// resumable upload that ask the server what it has (HEAD), give it up (DELETE), or send the
    /// next part to a server that wants it in parts: an upload that was cut once has one retry.
    ///
    /// No counterpart in `NSURLSessionTaskMetrics`, which counts redirects only.
    public var retryCount: Int {
        max(0, records.count + omittedTransactionCount - 1 - redirectCount - (sums?.value.parts ?? 0))
    }

    /// The time from the beginning to the end of the task, parsing included; nil while it is under
    /// way.
    ///
    /// Counterpart of the duration of `taskInterval` of `NSURLSessionTaskMetrics`.
    public var duration: Duration? {
        endedAt.map { .nanoseconds(($0 - startedAt).nanoseconds) }
    }

    /// The time of day at which the task began.
    ///
    /// Counterpart of the start of `taskInterval` of `NSURLSessionTaskMetrics`.
    public var startDate: Date { date(at: .zero) }

    /// The instant at which the task began, by the clock of the metrics: one that stops while the
    /// machine sleeps.
    public var startInstant: SuspendingClock.Instant {
        SuspendingClock.now - .nanoseconds((NIODeadline.now() - startedAt).nanoseconds)
    }

    /// The time of day of a time of the metrics, by the system's clock when the task ended, or when
    /// the metrics were read before.
    ///
    /// - Parameter time: The time since the beginning of the task.
    /// - Returns: The time of day.
    public func date(at time: Duration) -> Date {
        DayClock.date(of: startedAt, offset: dayOffset).addingTimeInterval(time / .seconds(1))
    }

    /// The bytes of all transactions.
    public var bytes: TransactionMetrics.Bytes {
        records.reduce(into: sums?.value.omittedBytes ?? TransactionMetrics.Bytes()) { $0 += $1.bytes }
    }

    /// The same without bodies and what else requests and errors carry: for a record that is kept
    /// long.
    var bare: TaskMetrics {
        TaskMetrics(
            records.map(\.bare),
            sums: sums,
            startedAt: startedAt,
            endedAt: endedAt,
            redirectCount: redirectCount,
            dayOffset: dayOffset
        )
    }

    /// The bodies of the requests of all transactions.
    var requestBodies: [RequestBody?] { records.map(\.sent.base.body) }
}

extension TaskMetrics: CustomStringConvertible {
    /// The number of transactions and the time: `2 transactions, 14.3 ms`.
    public var description: String {
        let number = records.count + omittedTransactionCount
        let count = number == 1 ? "1 transaction" : "\(number) transactions"
        return duration.map { "\(count), \($0.millisecondsText)" } ?? "\(count), under way"
    }
}

extension Duration {
    /// In milliseconds with one digit: `14.3 ms`.
    var millisecondsText: String { "\((self / .microseconds(100)).rounded() / 10) ms" }
}
