import Testing

@testable import Bluebonnet

struct TokenBucketTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 1 << 50

    private func at(_ seconds: Double) -> UInt64 { Self.start + UInt64(seconds * 1e9) }

    @Test func `tokens come evenly`() {
        var bucket = TokenBucket(RateLimit(4, per: .seconds(1)))
        #expect(bucket.hasToken(at: at(0)))
        bucket.take(at: at(0))
        #expect(!bucket.hasToken(at: at(0.249)))
        #expect(bucket.hasToken(at: at(0.25)))
        #expect(bucket.time(ofToken: 1, at: at(0)) == at(0.25))
        #expect(bucket.time(ofToken: 5, at: at(0)) == at(1.25))
        #expect(bucket.time(ofToken: 5, at: at(10)) == at(11))
    }

    @Test func `a burst is there after a pause, and no more than that`() {
        var bucket = TokenBucket(RateLimit(1, per: .seconds(1), burst: 3))
        for _ in 0..<3 {
            #expect(bucket.hasToken(at: at(0)))
            bucket.take(at: at(0))
        }
        #expect(bucket.time(ofToken: 1, at: at(0)) == at(1))
        #expect(bucket.time(ofToken: 4, at: at(1000)) == at(1001))
        #expect(!bucket.isFull(at: at(2.9)))
        #expect(bucket.isFull(at: at(3)))
    }

    @Test func `a token that was not used is given back`() {
        var bucket = TokenBucket(RateLimit(1, per: .seconds(1)))
        bucket.take(at: at(0))
        bucket.giveBack()
        #expect(bucket.hasToken(at: at(0)))
        bucket = TokenBucket(RateLimit(1, per: .seconds(1)))
        bucket.giveBack()
        bucket.take(at: at(0))
        #expect(!bucket.hasToken(at: at(0.5)))
    }

    @Test func `a limit without an interval is none`() {
        for limit in [RateLimit.unlimited, RateLimit(5, per: .seconds(-1))] {
            var bucket = TokenBucket(limit)
            for _ in 0..<1000 { bucket.take(at: at(0)) }
            #expect(bucket.hasToken(at: at(0)))
        }
    }

    @Test(arguments: [
        RateLimit(0, per: .seconds(1), burst: 0), RateLimit(-5, per: .seconds(1), burst: .min),
        RateLimit(1, per: .seconds(Int64.max), burst: .max), RateLimit(.max, per: .nanoseconds(1), burst: .max),
        RateLimit(.min, per: .seconds(Int64.max), burst: 1),
    ])
    func `no number makes it overflow`(limit: RateLimit) {
        var bucket = TokenBucket(limit)
        for now in [0, at(0), UInt64(Int64.max), .max] {
            for _ in 0..<3 { bucket.take(at: now) }
            for number in [Int.min, 0, 1, 2, .max] { #expect(bucket.time(ofToken: number, at: now) >= now) }
            bucket.giveBack()
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(3_155_760_000)])
    func `a burst of a very long interval is over when its tokens are taken`(interval: Duration) {
        var bucket = TokenBucket(RateLimit(1, per: interval, burst: 10))
        var count = 0
        while count < 100, bucket.hasToken(at: at(0)) {
            bucket.take(at: at(0))
            count += 1
        }
        #expect((1...10).contains(count))
    }

    @Test func `in no interval there are more than the limit allows`() {
        var generator = SeededGenerator(seed: 5)
        for (requests, burst) in [(1, 1), (3, 1), (7, 1), (10, 4)] {
            var bucket = TokenBucket(RateLimit(requests, per: .seconds(1), burst: burst))
            var (now, times): (UInt64, [UInt64]) = (Self.start, [])
            for _ in 0..<2000 {
                now += UInt64.random(in: 0..<200_000_000, using: &generator)
                while bucket.hasToken(at: now) {
                    bucket.take(at: now)
                    times.append(now)
                }
            }
            for (index, first) in times.enumerated() {
                let count = times[index...].prefix { $0 < first + Self.second }.count
                #expect(count <= requests + burst - 1)
            }
        }
    }
}
