import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Transactions as values, and the timings of archives made of them.
@Suite struct TransactionMetricsTests {
    private static func instant(_ milliseconds: Int) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(Int64(milliseconds))
    }

    /// A connection that was looked up from 10 to 20, made from 20 to 50, and secured from 50 to
    /// 90.
    private static let connection = ConnectionRecord(
        ConnectionTimes(
            nameLookup: .init(start: instant(10), end: instant(20)),
            connect: .init(start: instant(20), end: instant(50)),
            tls: .init(start: instant(50), end: instant(90))
        ),
        local: nil,
        remote: try? SocketAddress(ipAddress: "2001:db8::7", port: 443),
        tls: TLSAgreement(version: .tls1_3, cipherSuite: .init(rawValue: 0x1302))
    )

    private static func transaction(
        startedAt: Int,
        endedAt: Int? = 200,
        hop: Int = 1,
        _ change: (inout TransactionRecord) -> Void = { _ in }
    ) -> TransactionMetrics {
        var record = TransactionRecord(
            hop: hop,
            sent: SentRequest(Request(url: URL(filePath: "/"))),
            startedAt: instant(startedAt),
            endedAt: endedAt.map(instant)
        )
        record.connection = connection
        record.marks = TransactionMarks(
            requestStart: instant(100),
            requestEnd: instant(110),
            firstByte: instant(150),
            lastByte: instant(200)
        )
        change(&record)
        return TransactionMetrics(record, number: 0, taskStart: instant(0), dayOffset: 0)
    }

    private static func numbers(_ transaction: TransactionMetrics) throws -> [String: Double] {
        let object = try #require(HARTimings(transaction).json.object)
        return object.dictionary.compactMapValues(\.double)
    }

    @Test func `the phases count from the beginning of the task`() {
        let transaction = Self.transaction(startedAt: 5)
        #expect(transaction.queue == .init(start: .milliseconds(5), end: .milliseconds(10)))
        #expect(transaction.nameLookup == .init(start: .milliseconds(10), end: .milliseconds(20)))
        #expect(transaction.tls?.duration == .milliseconds(40))
        #expect(transaction.sending == .init(start: .milliseconds(100), end: .milliseconds(110)))
        #expect(transaction.waiting == .init(start: .milliseconds(110), end: .milliseconds(150)))
        #expect(transaction.receiving == .init(start: .milliseconds(150), end: .milliseconds(200)))
        #expect(transaction.duration == .milliseconds(195))
        #expect(transaction.startDate == Date(timeIntervalSince1970: 1.005))
    }

    @Test func `a request that joins a connection attempt has the rest of its phases`() {
        let transaction = Self.transaction(startedAt: 30)
        #expect(transaction.nameLookup == nil)
        #expect(transaction.connect == .init(start: .milliseconds(30), end: .milliseconds(50)))
        #expect(transaction.queue?.duration == .zero)
    }

    @Test func `a connection that was used before has no phases of its making`() {
        let transaction = Self.transaction(startedAt: 30) { $0.isConnectionReused = true }
        #expect(transaction.connect == nil && transaction.tls == nil)
        #expect(transaction.queue == .init(start: .milliseconds(30), end: .milliseconds(100)))
    }

    @Test func `a request that never got a connection waited until its end`() {
        let transaction = Self.transaction(startedAt: 30) {
            $0.connection = nil
            $0.marks = TransactionMarks()
        }
        #expect(transaction.queue == .init(start: .milliseconds(30)))
        #expect(transaction.sending == nil && transaction.waiting == nil && transaction.receiving == nil)
    }

    @Test func `a response that comes before the end of the request was not waited for`() {
        let transaction = Self.transaction(startedAt: 5) { $0.marks.requestEnd = Self.instant(160) }
        #expect(transaction.waiting == nil)
    }

    @Test func `an endpoint is written as in a URL`() {
        #expect("\(NetworkEndpoint(address: "203.0.113.7", port: 80))" == "203.0.113.7:80")
        #expect(Self.transaction(startedAt: 0).remoteEndpoint?.description == "[2001:db8::7]:443")
        #expect("\(NetworkEndpoint(address: "/run/socket"))" == "/run/socket")
    }

    // MARK: Archives

    @Test func `the timings of an archive follow each other without gaps`() throws {
        let numbers = try Self.numbers(Self.transaction(startedAt: 5))
        let expected: [String: Double] = [
            "blocked": 5, "dns": 10, "connect": 80, "ssl": 40, "send": 10, "wait": 40, "receive": 50,
        ]
        #expect(numbers == expected)
        #expect(HARTimings(Self.transaction(startedAt: 5)).total.double == 195)
    }

    @Test func `an early response leaves no time to wait in an archive`() throws {
        let numbers = try Self.numbers(
            Self.transaction(startedAt: 5) { $0.marks.requestEnd = Self.instant(160) }
        )
        #expect(numbers["send"] == 50 && numbers["wait"] == 0 && numbers["receive"] == 50)
    }

    @Test func `what did not take place is -1 in an archive, and what must be there 0`() throws {
        let transaction = Self.transaction(startedAt: 30) {
            $0.connection = nil
            $0.marks = TransactionMarks()
        }
        let numbers = try Self.numbers(transaction)
        let expected: [String: Double] = [
            "blocked": 170, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0,
        ]
        #expect(numbers == expected)
    }

    // MARK: The transactions of a call

    @Test func `a transaction replaces what was noted of it before, and keeps its head`() {
        func record(_ hop: Int) -> TransactionRecord {
            TransactionRecord(
                hop: hop,
                sent: SentRequest(Request(url: URL(filePath: "/"))),
                startedAt: Self.instant(hop)
            )
        }
        var transactions = Call.Transactions()
        var first = record(1)
        first.head = ResponseHead(status: .ok)
        transactions.note(first)
        transactions.note(record(3))
        transactions.note(record(2))
        transactions.noteDecoded(7, hop: 2)
        transactions.note(record(1))
        transactions.note(record(2))
        transactions.note(record(3))
        #expect(transactions.records.map(\.hop) == [1, 2, 3])
        #expect(transactions.records[0].head?.statusCode == 200)
        #expect(transactions.records.map(\.bytes.decodedResponseBody) == [0, 7, 0])
    }

    @Test func `what is noted late of a transaction that was left out changes nothing`() {
        var transactions = Call.Transactions()
        func note(_ hops: ClosedRange<Int>) {
            for hop in hops {
                var record = TransactionRecord(
                    hop: hop,
                    sent: SentRequest(Request(url: URL(filePath: "/"))),
                    startedAt: Self.instant(hop)
                )
                record.wireBytes.responseBody = 1
                transactions.note(record)
            }
        }
        note(1...150)
        note(20...30)
        #expect(transactions.records.map(\.hop) == Array(1...10) + Array(61...150))
        #expect(transactions.sums?.value.omitted == 50)
        #expect(transactions.sums?.value.omittedBytes.responseBody == 50)
        note(150...151)
        #expect(transactions.records.count == 100 && transactions.sums?.value.omitted == 51)
    }

    @Test func `the time of day is that of the system's clock`() {
        let now = NIODeadline.now()
        let date = DayClock.date(of: now, offset: DayClock.offset(at: now))
        #expect(abs(date.timeIntervalSinceNow) < 5)
    }
}
