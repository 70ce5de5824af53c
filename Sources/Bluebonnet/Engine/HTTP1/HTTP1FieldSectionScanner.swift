import NIOCore

/// Reads a head or a trailer section line by line, each byte once, however it is cut into reads.
///
/// A section that arrives whole is scanned where it lies. One that does not is gathered in
/// `pending`, and the scan goes on where it stopped.
struct HTTP1FieldSectionScanner {
    private var state: State
    /// The bytes so far of a section that did not arrive whole.
    private var pending: [UInt8] = []

    /// Memory kept for the next section that does not arrive whole.
    private static let keptCapacity = 4_096

    init(limits: HTTP1Limits) {
        state = State(limits: limits)
    }

    /// The number of bytes that were looked at in this section: the measure of its cost.
    var examined: Int { state.examined }

    /// Starts over, for a head (which begins with a status line) or for a trailer section.
    mutating func begin(head: Bool) {
        state.begin(head: head)
        clear()
    }

    private mutating func clear() {
        if pending.capacity > Self.keptCapacity {
            pending = []
        } else {
            pending.removeAll(keepingCapacity: true)
        }
    }

    /// The fields of a finished section, and its status line if it is a head.
    struct Section {
        let statusLine: HTTP1StatusLine?
        let fields: RawHeaderFields
    }

    /// Takes bytes up to the end of the section, or all there are and returns nil.
    mutating func next(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Section? {
        if pending.isEmpty {
            let section = try unsafe buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
                try unsafe state.section(in: bytes)
            }
            if let section {
                buffer.moveReaderIndex(forwardBy: state.lineStart)
                return section
            }
            // The limits bound how much this can be.
            pending.append(contentsOf: buffer.readableBytesView)
            buffer.moveReaderIndex(forwardBy: buffer.readableBytes)
            return nil
        }
        while buffer.readableBytes > 0 {
            // In pieces, because the rest of a large read may be body.
            let before = pending.count
            let piece = buffer.readableBytesView.prefix(Self.keptCapacity)
            pending.append(contentsOf: piece)
            // The bytes are only read inside the closure.
            let section = try unsafe pending.withUnsafeBufferPointer { bytes throws(HTTP1ParseError) in
                try unsafe state.section(in: UnsafeRawBufferPointer(bytes))
            }
            if let section {
                buffer.moveReaderIndex(forwardBy: state.lineStart - before)
                clear()
                return section
            }
            buffer.moveReaderIndex(forwardBy: piece.count)
        }
        return nil
    }
}

extension HTTP1FieldSectionScanner {
    /// The progress of the scan; positions count from the start of the section.
    private struct State {
        private let limits: HTTP1Limits
        private var entries: [RawHeaderFields.Entry] = []
        private var statusLine: HTTP1StatusLine?
        private var isHead = true
        private var isFolded = false
        private var framingNames: RawHeaderFields.FramingNames = []
        /// The start of the first line that is not complete; after the last line, the length of the
        /// section.
        private(set) var lineStart = 0
        /// There is no line feed from `lineStart` up to here.
        private var searched = 0
        private(set) var examined = 0

        init(limits: HTTP1Limits) {
            var limits = limits
            // Positions are kept in 32 bits.
            limits.headerSection = min(limits.headerSection, Int(UInt32.max) / 2)
            // No line is longer than the section; and sums with a caller's largest number would
            // overflow.
            limits.headerLine = min(limits.headerLine, limits.headerSection)
            self.limits = limits
        }

        mutating func begin(head: Bool) {
            entries.removeAll(keepingCapacity: entries.capacity <= 256)
            statusLine = nil
            isHead = head
            isFolded = false
            framingNames = []
            lineStart = 0
            searched = 0
            examined = 0
        }

        /// Goes on with the lines that are complete in `bytes`, which begin at the start of the
        /// section.
        mutating func section(in bytes: UnsafeRawBufferPointer) throws(HTTP1ParseError) -> Section? {
            guard let base = bytes.baseAddress else { return nil }
            if isHead && statusLine == nil {
                try unsafe HTTP1StatusLine.checkPrefix(bytes)
            }
            while let lineFeed = unsafe ASCII.firstLineFeed(base, from: searched, to: bytes.count) {
                // RFC 9112 §2.2: a line may end in LF alone. Positions from here on are below
                // `bytes.count`.
                let hasReturn = unsafe lineFeed > lineStart && bytes[lineFeed &- 1] == ASCII.carriageReturn
                let lineEnd = hasReturn ? lineFeed &- 1 : lineFeed
                try unsafe checkLimits(lineEnd: lineEnd, in: bytes)
                let start = lineStart
                lineStart = lineFeed &+ 1
                examined &+= lineStart &- searched
                searched = lineStart
                if start == lineEnd && (statusLine != nil || !isHead) {
                    return unsafe finished(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
                }
                if isHead && statusLine == nil {
                    statusLine = try unsafe HTTP1StatusLine(UnsafeRawBufferPointer(rebasing: bytes[..<lineEnd]))
                } else {
                    try unsafe field(from: start, to: lineEnd, in: base)
                }
            }
            examined &+= bytes.count &- searched
            searched = bytes.count
            if searched > lineStart {
                let endsInReturn = unsafe bytes[searched &- 1] == ASCII.carriageReturn
                try unsafe checkLimits(lineEnd: endsInReturn ? searched &- 1 : searched, in: bytes)
            }
            return nil
        }

        /// Takes the line `start ..< end`, which is not empty, as a field or as the continuation of
        /// one.
        private mutating func field(from start: Int, to end: Int, in base: UnsafeRawPointer) throws(HTTP1ParseError) {
            // All positions below are inside the line.
            var position = start
            while position < end,
                unsafe ASCII.isToken(base.load(fromByteOffset: position, as: UInt8.self))
            {
                position &+= 1
            }
            let nameEnd = position
            guard nameEnd > start, nameEnd < end,
                unsafe base.load(fromByteOffset: nameEnd, as: UInt8.self) == ASCII.colon
            else {
                let line = unsafe UnsafeRawBufferPointer(start: base + start, count: end &- start)
                try unsafe continuation(line, at: start, in: base)
                return
            }
            unsafe note(UnsafeRawBufferPointer(start: base + start, count: nameEnd &- start))
            position = nameEnd &+ 1
            while position < end,
                unsafe ASCII.isBlank(base.load(fromByteOffset: position, as: UInt8.self))
            {
                position &+= 1
            }
            guard unsafe ASCII.firstControl(base, from: position, to: end) == nil else {
                let line = unsafe UnsafeRawBufferPointer(start: base + start, count: end &- start)
                throw unsafe HTTP1ParseError(.malformedHeader(.controlCharacter), showing: Self.name(of: line))
            }
            var valueEnd = end
            while valueEnd > position,
                unsafe ASCII.isBlank(base.load(fromByteOffset: valueEnd &- 1, as: UInt8.self))
            {
                valueEnd &-= 1
            }
            guard entries.count < HTTP1Limits.fieldCount else {
                throw HTTP1ParseError(.tooManyHeaders(limit: HTTP1Limits.fieldCount))
            }
            entries.append(
                RawHeaderFields.Entry(
                    nameStart: UInt32(truncatingIfNeeded: start),
                    nameEnd: UInt32(truncatingIfNeeded: nameEnd),
                    valueStart: UInt32(truncatingIfNeeded: position),
                    valueEnd: UInt32(truncatingIfNeeded: valueEnd)
                )
            )
        }

        /// Remembers a name that frames the message.
        @inline(__always)
        private mutating func note(_ name: UnsafeRawBufferPointer) {
            // The bytes are only compared here.
            switch name.count {
            case 10 where unsafe ASCII.isEqual(name, lowercased: "connection"):
                framingNames.insert(.connection)
            case 10 where unsafe ASCII.isEqual(name, lowercased: "keep-alive"):
                framingNames.insert(.keepAlive)
            case 14 where unsafe ASCII.isEqual(name, lowercased: "content-length"):
                framingNames.insert(.contentLength)
            case 16 where unsafe ASCII.isEqual(name, lowercased: "content-encoding"):
                framingNames.insert(.contentEncoding)
            case 17 where unsafe ASCII.isEqual(name, lowercased: "transfer-encoding"):
                framingNames.insert(.transferEncoding)
            default: break
            }
        }

        /// Takes a line that does not begin with a name and a colon: a folded one (RFC 9112 §5.2),
        /// or one that is not allowed.
        private mutating func continuation(
            _ line: UnsafeRawBufferPointer,
            at start: Int,
            in section: UnsafeRawPointer
        ) throws(HTTP1ParseError) {
            guard let base = line.baseAddress, let first = unsafe line.first, ASCII.isBlank(first) else {
                throw unsafe HTTP1ParseError(.malformedHeader(Self.nameFault(line)), showing: Self.name(of: line))
            }
            // RFC 9112 §2.2: whitespace between the start line and the first header.
            guard let folded = entries.last else { throw HTTP1ParseError(.malformedHeader(.foldedFirstLine)) }
            guard unsafe ASCII.firstControl(base, from: 0, to: line.count) == nil else {
                let (nameStart, nameEnd) = (Int(folded.nameStart), Int(folded.nameEnd))
                // In bounds: the name is inside the section, in front of the line.
                let name = unsafe UnsafeRawBufferPointer(start: section + nameStart, count: nameEnd - nameStart)
                throw unsafe HTTP1ParseError(.malformedHeader(.controlCharacter), showing: name)
            }
            isFolded = true
            entries[entries.count - 1].valueEnd = UInt32(truncatingIfNeeded: start + line.count)
        }

        /// The part of a line that messages show: its name, and the byte behind it where that
        /// should be a colon. Values may be secrets, and so may a line that is not a field.
        private static func name(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer.SubSequence {
            // The bytes are only read here.
            guard let end = unsafe line.firstIndex(where: { !ASCII.isToken($0) }) else {
                return unsafe line.prefix(0)
            }
            let next = unsafe line[end...].first { !ASCII.isBlank($0) }
            return unsafe line.prefix(next == ASCII.colon ? end : end + 1)
        }

        private static func nameFault(_ line: UnsafeRawBufferPointer) -> HTTP1ParseError.HeaderFault {
            // The bytes are only read here.
            let name = unsafe line.prefix { $0 != ASCII.colon }
            if unsafe name.isEmpty { return .emptyName }
            if unsafe name.count == line.count { return .missingColon }
            // RFC 9112 §5.1: whitespace there has led to request smuggling.
            let end = unsafe name.lastIndex { !ASCII.isBlank($0) }.map { $0 + 1 } ?? name.startIndex
            return unsafe end < name.endIndex && name[..<end].allSatisfy(ASCII.isToken)
                ? .whitespaceBeforeColon : .invalidName
        }

        /// Checks the limits at the end of a line, or at the end of what has arrived of it.
        ///
        /// Of the two limits the one that is reached first decides, so that the fault does not
        /// depend on the reads.
        @inline(__always)
        private func checkLimits(lineEnd: Int, in bytes: UnsafeRawBufferPointer) throws(HTTP1ParseError) {
            let longestLine = lineStart &+ limits.headerLine
            guard lineEnd > min(longestLine, limits.headerSection) else { return }
            throw unsafe HTTP1ParseError(
                longestLine <= limits.headerSection
                    ? .headerLineTooLarge(limit: limits.headerLine)
                    : .headerSectionTooLarge(limit: limits.headerSection),
                showing: isHead && statusLine == nil
                    ? bytes.prefix(HTTP1StatusLine.shownLength)
                    : Self.name(of: UnsafeRawBufferPointer(rebasing: bytes[lineStart..<lineEnd]))
            )
        }

        /// The fields of the section, which is given without the empty line that ended it.
        private func finished(_ section: UnsafeRawBufferPointer) -> Section {
            let reason = statusLine?.reason ?? 0..<0
            let fields =
                unsafe isFolded
                ? RawHeaderFields(folded: section, entries: entries, framingNames: framingNames, reason: reason)
                : RawHeaderFields(section: section, entries: entries, framingNames: framingNames, reason: reason)
            return Section(statusLine: statusLine, fields: fields)
        }
    }
}
