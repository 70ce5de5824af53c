/// Makes doubles from decimals, correctly rounded.
enum JSONDoubleParser {
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest double, or nil when a slower algorithm is needed.
    @inline(__always)
    static func double(_ decimal: JSONDecimal) -> Double? {
        let magnitude: Double
        if decimal.mantissa <= 1 << 53, (-22...22).contains(decimal.exponent), !decimal.isTruncated {
            // Clinger's fast path: both factors are exact doubles, so that one operation rounds
            // once.
            let mantissa = Double(decimal.mantissa)
            magnitude =
                decimal.exponent < 0
                ? mantissa / exactPowers[-decimal.exponent] : mantissa * exactPowers[decimal.exponent]
        } else {
            guard let product = nearest(decimal.mantissa, decimal.exponent) else { return nil }
            // Digits were left out: the value lies between this mantissa and the next one.
            if decimal.isTruncated, nearest(decimal.mantissa &+ 1, decimal.exponent) != product { return nil }
            magnitude = product
        }
        return decimal.isNegative ? -magnitude : magnitude
    }

    /// Whether a decimal of sixteen or seventeen digits is the text of its nearest double:
    /// no shorter one reads back as the same double, and none of the same length is nearer to it.
    /// - Returns: Whether it is; nil where 128 bits do not hold both numbers, and for ties.
    @inline(__always)
    static func isShortest(_ decimal: JSONDecimal, of double: Double) -> Bool? {
        // The decimal is mantissa / 10^places, the double significand / 2^shift.
        let places = -decimal.exponent
        let shift = 52 + 1023 - Int(double.bitPattern >> 52 & 0x7FF)
        let significand = double.bitPattern & (1 << 52 - 1) | 1 << 52
        guard (1...18).contains(places), (0...59).contains(shift), significand != 1 << 52 else {
            return isShortest(decimal.mantissa, places, significand, shift)
        }
        return isShortest(
            decimal.mantissa,
            significand,
            shift,
            Int64(truncatingIfNeeded: JSONDecimal.powersOfTen[places])
        )
    }

    /// `isShortest` for numbers with more digits behind the point, or nearer to zero.
    @inline(never)
    private static func isShortest(_ mantissa: UInt64, _ places: Int, _ significand: UInt64, _ shift: Int) -> Bool? {
        guard (1...38).contains(places), (0...120).contains(shift), significand != 1 << 52 else { return nil }
        let first = min(places, 19)
        let power = Int128(JSONDecimal.powersOfTen[first]) * Int128(JSONDecimal.powersOfTen[places - first])
        return isShortest(mantissa, significand, shift, power)
    }

    /// `isShortest` for numbers that are multiplied by `2^shift * power`; a double then is the
    /// nearest to all numbers within half a power of it.
    @inline(__always)
    private static func isShortest<Word: FixedWidthInteger & SignedInteger>(
        _ mantissa: UInt64,
        _ significand: UInt64,
        _ shift: Int,
        _ power: Word
    ) -> Bool? {
        let unit: Word = 1 &<< Word(truncatingIfNeeded: shift)
        // The products may not fit, but their difference does, as the double is the nearest one.
        let difference = Word(truncatingIfNeeded: mantissa) &* unit &- Word(truncatingIfNeeded: significand) &* power
        // The distances to the next decimals with one digit less.
        let digit = Word(truncatingIfNeeded: mantissa % 10)
        let below = digit &* unit &- difference
        let above = (10 &- digit) &* unit &+ difference
        let half = power / 2
        let distance = difference.magnitude &* 2
        if distance < unit, below > half, above > half { return true }
        return digit == 0 || distance == unit || below == half || above == half ? nil : false
    }

    /// The double nearest to `mantissa * 10^exponent` by the algorithm of Eisel and Lemire.
    /// - Returns: The double; nil where 128 bits of the power do not decide, and for subnormal and
    ///   infinite results.
    private static func nearest(_ mantissa: UInt64, _ exponent: Int) -> Double? {
        guard mantissa != 0 else { return 0 }
        guard JSONPowersOfFive.exponents.contains(exponent) else { return nil }
        let zeros = mantissa.leadingZeroBitCount
        let product = product(mantissa << UInt64(zeros), exponent)
        if product.low == .max, !(-27...55).contains(exponent) { return nil }
        let upperBit = Int(product.high >> 63)
        // The shift leaves 53 bits and one more to round with.
        let shift = UInt64(upperBit + 9)
        var significand = product.high >> shift
        // The binary exponent with its bias; the factor is log2(10) in 16 bits of fraction.
        var power = (217_706 * exponent) >> 16 + 63 + upperBit - zeros + 1023
        guard power > 0 else { return nil }
        // A product exactly half way between two doubles is rounded to the even one.
        if product.low <= 1, (-4...23).contains(exponent), significand & 3 == 1, significand << shift == product.high {
            significand &= ~1
        }
        significand = (significand + significand & 1) >> 1
        if significand >= 1 << 53 {
            significand = 1 << 52
            power += 1
        }
        guard power < 0x7FF else { return nil }
        return Double(bitPattern: UInt64(power) << 52 | significand & ~(1 << 52))
    }

    /// The upper 128 bits of a normalised mantissa times a power of five, or only 64 where these
    /// are enough.
    private static func product(_ mantissa: UInt64, _ exponent: Int) -> (high: UInt64, low: UInt64) {
        let index = (exponent - JSONPowersOfFive.exponents.lowerBound) * 2
        var (high, low) = mantissa.multipliedFullWidth(by: JSONPowersOfFive.halves[index])
        // The lower half can change the result only when all bits below the rounding are set.
        if high & 0x1FF == 0x1FF {
            let (sum, overflow) = low.addingReportingOverflow(
                mantissa.multipliedFullWidth(by: JSONPowersOfFive.halves[index + 1]).high
            )
            low = sum
            if overflow { high += 1 }
        }
        return (high, low)
    }
}
