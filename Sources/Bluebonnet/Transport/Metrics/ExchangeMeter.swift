import NIOCore
import Synchronization

/// The instants and the bytes of an exchange while a connection carries it.
///
/// Only the connection writes, on its event loop; whoever ends the exchange reads, on any thread.
/// That is why they are atomics, and why no order is asked for: each is true by itself.
struct ExchangeMeter: ~Copyable {
    /// A count, or the nanoseconds of an instant where 0 is none.
    struct Number: ~Copyable {
        private let value = Atomic(0)

        var count: Int { value.load(ordering: .relaxed) }

        borrowing func set(_ count: Int) {
            value.store(count, ordering: .relaxed)
        }

        borrowing func add(_ count: Int) {
            value.store(self.count &+ count, ordering: .relaxed)
        }

        var instant: NIODeadline? {
            let nanoseconds = count
            return nanoseconds == 0 ? nil : .uptimeNanoseconds(UInt64(nanoseconds))
        }

        borrowing func note(_ instant: NIODeadline?) {
            value.store(instant.map { Int(clamping: $0.uptimeNanoseconds) } ?? 0, ordering: .relaxed)
        }
    }

    let requestStart = Number()
    let requestEnd = Number()
    let firstByte = Number()
    let lastByte = Number()

    let requestHead = Number()
    let requestBody = Number()
    let responseHead = Number()
    let responseBody = Number()
    /// The number of the HTTP/2 stream; 0 for none.
    let stream = Number()
    /// The bytes of the response body without its framing.
    let content = Number()

    var marks: TransactionMarks {
        TransactionMarks(
            requestStart: requestStart.instant,
            requestEnd: requestEnd.instant,
            firstByte: firstByte.instant,
            lastByte: lastByte.instant,
            stream: stream.count
        )
    }

    var bytes: TransactionMetrics.Bytes {
        var bytes = TransactionMetrics.Bytes()
        bytes.requestHead = requestHead.count
        bytes.requestBody = requestBody.count
        bytes.responseHead = responseHead.count
        bytes.responseBody = responseBody.count
        bytes.decodedResponseBody = content.count
        return bytes
    }
}
