import FoundationEssentials

extension JSONDecodingContext {
    func bool(at index: Int) throws -> Bool {
        switch kind(at: index) {
        case .true: return true
        case .false: return false
        // As in Foundation's decoder, null is the wrong kind for this type only, and not missing.
        default: throw mismatch(Bool.self, at: index, nullIsMissing: false)
        }
    }

    @inline(__always)
    func string(at index: Int) throws -> String {
        let word = word(at: index)
        guard JSONTape.kind(of: word) == .string else { throw mismatch(String.self, at: index) }
        return tape.string(of: word)
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type, at index: Int) throws -> T {
        let word = word(at: index)
        guard JSONTape.kind(of: word) == .number else { throw mismatch(type, at: index) }
        if word & JSONTape.firstFlag == 0, JSONTape.length(of: word) < 19 {
            let start = JSONTape.offset(of: word)
            if let integer = JSONIntegerParser.magnitude(bytes, start, JSONTape.length(of: word)) {
                let value = Int64(truncatingIfNeeded: integer.magnitude)
                if let result = T(exactly: integer.isNegative ? -value : value) { return result }
            }
        }
        return try uncommonInteger(type, at: index)
    }

    /// An integer that is long, has a fraction or an exponent, or does not fit.
    private func uncommonInteger<T: FixedWidthInteger>(_ type: T.Type, at index: Int) throws -> T {
        let text = tape.numberText(of: word(at: index))
        let digits = JSONDecimalDigits(text)
        if let value = digits.int64.flatMap({ T(exactly: $0) }) ?? digits.uint64.flatMap({ T(exactly: $0) }) ?? T(text)
        {
            return value
        }
        // A number smaller than every double is zero, as in Foundation's decoder.
        if digits.exponent < 0, tape.double(of: word(at: index)) == 0 { return 0 }
        throw unrepresentable(type, at: index)
    }

    @inline(__always)
    func double(at index: Int) throws -> Double {
        let word = word(at: index)
        guard JSONTape.kind(of: word) == .number else { return try uncommonDouble(Double.self, at: index) }
        guard let value = tape.finiteDouble(of: word) else { throw unrepresentable(Double.self, at: index) }
        return value
    }

    func float(at index: Int) throws -> Float {
        let word = word(at: index)
        guard JSONTape.kind(of: word) == .number else { return try uncommonDouble(Float.self, at: index) }
        // The text is not read as a double first, which would round twice.
        guard let value = Float(tape.numberText(of: word)), value.isFinite,
            value != 0 || tape.finiteDouble(of: word) == 0
        else {
            throw unrepresentable(Float.self, at: index)
        }
        return value
    }

    private func unrepresentable(_ type: any Any.Type, at index: Int) -> DecodingError {
        corrupted(
            at: index,
            "The number \(tape.numberText(of: word(at: index)).shortened) does not fit in \(type)."
        )
    }

    private func uncommonDouble<T: BinaryFloatingPoint>(_ type: T.Type, at index: Int) throws -> T {
        guard kind(at: index) == .string,
            case .convertFromString(let positive, let negative, let nan) = options.nonConformingFloatDecodingStrategy
        else { throw mismatch(type, at: index) }
        switch tape.string(at: index) {
        case positive: return T.infinity
        case negative: return -T.infinity
        case nan: return T.nan
        default: throw mismatch(type, at: index)
        }
    }

    func decimal(at index: Int) throws -> Decimal {
        let word = word(at: index)
        guard JSONTape.kind(of: word) == .number else { throw mismatch(Decimal.self, at: index) }
        guard let value = Decimal(string: tape.numberText(of: word)) else {
            throw unrepresentable(Decimal.self, at: index)
        }
        return value
    }

    func url(at index: Int) throws -> URL {
        guard let url = URL(string: try string(at: index)) else { throw corrupted(at: index, "The text is not a URL.") }
        return url
    }

    func date(at index: Int) throws -> Date {
        switch options.dateDecodingStrategy {
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(at: index))
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(at: index))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(at: index) / 1000)
        case .iso8601:
            let text = try string(at: index)
            guard let date = JSONTimestamp.date(text) ?? (try? Date.ISO8601FormatStyle().parse(text)) else {
                throw corrupted(at: index, "The text is not a date in the form of ISO 8601.")
            }
            return date
        case .custom(let decode):
            return try scoped(index) { try decode(JSONTapeDecoder(context: self, index: index)) }
        @unknown default: return try Date(from: JSONTapeDecoder(context: self, index: index))
        }
    }

    func data(at index: Int) throws -> Data {
        switch options.dataDecodingStrategy {
        case .deferredToData: return try Data(from: JSONTapeDecoder(context: self, index: index))
        case .base64:
            guard let data = Data(base64Encoded: try string(at: index)) else {
                throw corrupted(at: index, "The text is not Base64.")
            }
            return data
        case .custom(let decode):
            return try scoped(index) { try decode(JSONTapeDecoder(context: self, index: index)) }
        @unknown default: return try Data(from: JSONTapeDecoder(context: self, index: index))
        }
    }
}
