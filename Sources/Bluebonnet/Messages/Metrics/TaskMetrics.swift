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
        startedAt: NIODeadline,
        endedAt: NIODeadline?,
        redirectCount: Int,
        dayOffset: Int64
    ) {
        self.records = records
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.redirectCount = redirectCount
        self.dayOffset = dayOffset
    }

    /// Each time that a request was sent, or was to be sent and waited for a connection, in the
    /// order in which they began. One that is under way has what is known of it when its response
    /// head is there; before that, it is missing.
    ///
    /// Counterpart of `transactionMetrics` of `NSURLSessionTaskMetrics`.
    public var transactions: [TransactionMetrics] {
        records.enumerated().map { number, record in
            TransactionMetrics(record, number: number, taskStart: startedAt, dayOffset: dayOffset)
        }
    }

    /// The number of ``transactions``, which costs less than counting them.
    public var transactionCount: Int { records.count }

    /// How many times a request was sent again without a redirect: by the session, because a pooled
    /// connection was stale or an expectation was refused, by an interceptor, or to continue a
    /// download.
    public var retryCount: Int { max(0, records.count - 1 - redirectCount) }

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
        records.reduce(into: TransactionMetrics.Bytes()) { $0 += $1.bytes }
    }
}

extension TaskMetrics: CustomStringConvertible {
    /// The number of transactions and the time: `2 transactions, 14.3 ms`.
    public var description: String {
        let count = records.count == 1 ? "1 transaction" : "\(records.count) transactions"
        return duration.map { "\(count), \($0.millisecondsText)" } ?? "\(count), under way"
    }
}

extension Duration {
    /// In milliseconds with one digit: `14.3 ms`.
    var millisecondsText: String { "\((self / .microseconds(100)).rounded() / 10) ms" }
}
