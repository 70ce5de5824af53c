#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One conversion by the system's `iconv`, used once by one owner. The handle stays inside.
@safe
struct CharsetConverter: ~Copyable {
    private let handle: iconv_t
    private let charset: Charset
    /// Whether UTF-8 is the source: then a character fails, not bytes.
    private let encodes: Bool
    /// The number of calls of `iconv`, which is the measure of the cost: no call reads bytes again
    /// that an earlier one has read.
    private(set) var calls = 0

    init(from source: String, to target: String, for charset: Charset) throws(CharsetError) {
        // Swift makes zero-terminated copies of the names that live until the call returns.
        guard let handle = unsafe Self.open(from: source, to: target) else { throw .unknown(charset.name) }
        unsafe self.handle = handle
        self.charset = charset
        encodes = source == "UTF-8"
    }

    deinit {
        // The handle came from `iconv_open`, and only this closes it.
        unsafe _ = iconv_close(handle)
    }

    /// Whether the system has such a conversion.
    static func exists(from source: String, to target: String) -> Bool {
        guard let handle = unsafe open(from: source, to: target) else { return false }
        // The handle was opened above and has no other user.
        unsafe _ = iconv_close(handle)
        return true
    }

    private static func open(from source: String, to target: String) -> iconv_t? {
        // `iconv_open` returns -1 as a handle when it fails.
        let handle = unsafe iconv_open(target, source)
        return unsafe Int(bitPattern: handle) == -1 ? nil : handle
    }

    /// Bytes at the end of the output buffer that are kept from `iconv`, since a version of it
    /// wrote beyond the length it was given (CVE-2024-2961).
    private static let slack = 16

    /// Converts the whole input. Bytes or characters that the target does not have are replaced;
    /// without a replacement they are an error.
    mutating func convert(_ input: some Collection<UInt8>, replacement: [UInt8]?) throws(CharsetError) -> [UInt8] {
        var source = Array(input)
        let sourceCount = source.count
        var output: [UInt8] = []
        output.reserveCapacity(sourceCount * 2 + 16)
        var block = [UInt8](repeating: 0, count: 4096 + Self.slack)
        var position = 0
        var isFlushing = false
        while true {
            let step = step(&source, from: position, count: sourceCount, flushing: isFlushing, into: &block)
            output.append(contentsOf: block[..<step.written])
            position += step.read
            switch step.outcome {
            case .done where isFlushing: return Self.withoutMark(output, decodes: !encodes)
            case .done: isFlushing = true
            case .full where step.written > 0 || step.read > 0: break
            // No progress with an empty block: the converter is broken, and this would never end.
            case .full:
                throw .invalid(charset, at: encodes ? nil : position)
            case .invalid, .incomplete:
                guard !isFlushing else { throw .invalid(charset, at: nil) }
                guard let replacement else { throw fault(in: source, at: position) }
                if step.outcome == .incomplete {
                    output.append(contentsOf: replacement)
                    position = sourceCount
                    continue
                }
                if encodes, !writeReplacement(replacement, into: &output, &block) {
                    throw fault(in: source, at: position)
                }
                if !encodes { output.append(contentsOf: replacement) }
                position += encodes ? Self.characterLength(source[position]) : 1
            }
        }
    }

    private enum Outcome { case done, full, invalid, incomplete }

    private mutating func step(
        _ source: inout [UInt8],
        from position: Int,
        count: Int,
        flushing: Bool,
        into block: inout [UInt8]
    ) -> (outcome: Outcome, read: Int, written: Int) {
        let room = block.count - Self.slack
        calls += 1
        // Both buffers are valid in the closures, and the counts for `iconv` stay inside them.
        return unsafe source.withUnsafeMutableBytes { source in
            unsafe block.withUnsafeMutableBytes { block in
                var outLeft = room
                var out = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
                var inLeft = count - position
                var result: Int
                if flushing || inLeft == 0 {
                    result = unsafe iconv(handle, nil, nil, &out, &outLeft)
                    return (result == -1 ? Self.outcome(errno) : .done, 0, room - outLeft)
                }
                var next = unsafe source.baseAddress.map { unsafe ($0 + position).assumingMemoryBound(to: CChar.self) }
                result = unsafe iconv(handle, &next, &inLeft, &out, &outLeft)
                return (result == -1 ? Self.outcome(errno) : .done, count - position - inLeft, room - outLeft)
            }
        }
    }

    private static func outcome(_ code: CInt) -> Outcome {
        switch code {
        case E2BIG: .full
        case EINVAL: .incomplete
        default: .invalid
        }
    }

    /// Writes a replacement in the target charset, with the shift sequence that it may need first.
    private mutating func writeReplacement(_ replacement: [UInt8], into output: inout [UInt8], _ block: inout [UInt8])
        -> Bool
    {
        var source = replacement
        let count = source.count
        let step = step(&source, from: 0, count: count, flushing: false, into: &block)
        output.append(contentsOf: block[..<step.written])
        return step.outcome == .done
    }

    private func fault(in source: [UInt8], at position: Int) -> CharsetError {
        guard encodes, position < source.count else { return .invalid(charset, at: position) }
        let bytes = source[position...].prefix(Self.characterLength(source[position]))
        let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
        return .inexpressible(charset, scalar, at: position)
    }

    /// The length of the UTF-8 sequence that a byte leads.
    private static func characterLength(_ byte: UInt8) -> Int {
        byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    /// The output without a byte-order mark, which is not part of a decoded text.
    private static func withoutMark(_ output: [UInt8], decodes: Bool) -> [UInt8] {
        decodes && output.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(output.dropFirst(3)) : output
    }
}
