import Testing

@testable import Bluebonnet

struct JSONPowersOfFiveTests {
    @Test func `the table of powers of five holds the upper 128 bits of each`() {
        // 5^-n as floor(2^2048 / 5^n), divided again and again: dividing a rounded quotient rounds
        // the same.
        var reciprocal = Digits(words: Array(repeating: 0, count: 64) + [1])
        for exponent in 1...342 {
            reciprocal.divideByFive()
            var (high, low) = reciprocal.upper128
            if exponent <= 27 {
                let (sum, carry) = low.addingReportingOverflow(1)
                low = sum
                high += carry ? 1 : 0
            }
            check(-exponent, high, low)
        }
        var power = Digits(words: [1])
        for exponent in 0...308 {
            check(exponent, power.upper128.high, power.upper128.low)
            power.multiplyByFive()
        }
        #expect(JSONPowersOfFive.halves.count == 2 * 651)
    }

    private func check(_ exponent: Int, _ high: UInt64, _ low: UInt64) {
        let index = (exponent + 342) * 2
        #expect(JSONPowersOfFive.halves[index] == high, "5^\(exponent)")
        #expect(JSONPowersOfFive.halves[index + 1] == low, "5^\(exponent)")
    }

    /// A natural number in words of 32 bits, the lowest first.
    private struct Digits {
        var words: [UInt64]

        mutating func multiplyByFive() {
            var carry: UInt64 = 0
            for index in words.indices {
                let product = words[index] * 5 + carry
                words[index] = product & 0xFFFF_FFFF
                carry = product >> 32
            }
            if carry > 0 { words.append(carry) }
        }

        mutating func divideByFive() {
            var rest: UInt64 = 0
            for index in words.indices.reversed() {
                let value = rest << 32 | words[index]
                words[index] = value / 5
                rest = value % 5
            }
            while words.last == 0 { words.removeLast() }
        }

        /// The 128 bits from the highest one.
        var upper128: (high: UInt64, low: UInt64) {
            var bits: [UInt64] = [0, 0]
            let length = words.count * 32 - (words[words.count - 1].leadingZeroBitCount - 32)
            for position in 0..<min(128, length) {
                let source = length - 1 - position
                let bit = words[source / 32] >> UInt64(source % 32) & 1
                bits[position / 64] |= bit << UInt64(63 - position % 64)
            }
            return (bits[0], bits[1])
        }
    }
}
