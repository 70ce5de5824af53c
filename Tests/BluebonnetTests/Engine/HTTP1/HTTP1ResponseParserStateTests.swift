import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct HTTP1ResponseParserStateTests {
    @Test func `one HTTP/1.1 parser reads response after response`() throws {
        var parser = HTTP1ResponseParser()
        #expect(parser.isIdle)
        var buffer = ByteBuffer(
            string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 204 No\r\n\r\nHTTP/1.1 400 No\r\n"
        )
        for kind in [HTTP1ResponseParser.RequestKind.ordinary, .head] {
            parser.begin(kind)
            #expect(!parser.isIdle && !parser.hasReceivedBytes)
            while try parser.next(&buffer) != nil {}
            #expect(parser.isIdle && parser.hasReceivedBytes && parser.isKeepAlive)
        }
        #expect(buffer.readableBytes == 17)
        #expect(try parser.next(&buffer) == nil)
        parser.begin(.ordinary)
        #expect(try parser.next(&buffer) == nil)
        #expect(buffer.readableBytes == 0 && parser.hasReceivedBytes)
    }

    @Test func `a response parsing error is final until the next begin`() {
        var parser = HTTP1ResponseParser()
        parser.begin(.ordinary)
        var buffer = ByteBuffer(string: "nonsense")
        let first = #expect(throws: HTTP1ParseError.self) { try parser.next(&buffer) }
        let second = #expect(throws: HTTP1ParseError.self) { try parser.next(&buffer) }
        let third = #expect(throws: HTTP1ParseError.self) { try parser.finish() }
        #expect(first == second && second == third)
        parser.begin(.ordinary)
        let fourth = #expect(throws: HTTP1ParseError.self) { try parser.finish() }
        #expect(fourth?.fault == .closedBeforeResponse)
    }

    @Test func `a parsed body event is a slice of the buffer and takes all of it`() throws {
        var parser = HTTP1ResponseParser()
        parser.begin(.ordinary)
        var head = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")
        while try parser.next(&head) != nil {}
        var buffer = ByteBuffer(repeating: 7, count: 1500)
        let address = unsafe buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        guard case .body(let slice)? = try parser.next(&buffer) else {
            Issue.record("no body")
            return
        }
        #expect(slice.readableBytes == 1500)
        #expect(unsafe slice.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } == address)
        #expect(buffer.readableBytes == 0)
    }

    static let limits = HTTP1Limits(headerSection: 200, headerLine: 64, chunkLine: 16)

    @Test func `a header line may be as long as the limit and no longer`() {
        for ending in ["\r\n", "\n"] {
            let fitting = "HTTP/1.1 200 OK\(ending)A: " + String(repeating: "x", count: 61) + ending
            #expect(ParserProbe.checked(fitting + ending, limits: Self.limits).fault == nil)
            let longer = "HTTP/1.1 200 OK\(ending)A: " + String(repeating: "x", count: 62) + ending
            let fault = HTTP1ParseError.Fault.headerLineTooLarge(limit: 64)
            #expect(ParserProbe.checked(longer + ending, limits: Self.limits).fault == fault)
        }
        let status = "HTTP/1.1 200 " + String(repeating: "x", count: 52) + "\r\n\r\n"
        #expect(ParserProbe.checked(status, limits: Self.limits).fault == .headerLineTooLarge(limit: 64))
        let trailer =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " + String(repeating: "x", count: 90)
        #expect(ParserProbe.checked(trailer, limits: Self.limits).fault == .headerLineTooLarge(limit: 64))
    }

    @Test func `a header section may be as long as the limit and no longer`() {
        let line = "A: 345678\r\n"
        let lines = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 30)
        let fault = HTTP1ParseError.Fault.headerSectionTooLarge(limit: 200)
        #expect(ParserProbe.checked(lines + "\r\n", limits: Self.limits).fault == fault)
        let fitting = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 16) + "\r\n"
        #expect(ParserProbe.checked(fitting, limits: Self.limits).fault == nil)
        let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: line, count: 30)
        #expect(ParserProbe.checked(trailers, limits: Self.limits).fault == fault)
    }

    @Test func `an endless header line is refused when the limit is reached, not when it ends`() {
        let endless = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 16_382)
        let probe = ParserProbe([endless.latin1Bytes], limits: HTTP1Limits(headerLine: 16_384), closes: false)
        #expect(probe.fault == .headerLineTooLarge(limit: 16_384))
    }

    @Test func `more header fields than HTTPFields can hold are refused`() {
        let limits = HTTP1Limits(headerSection: 1 << 20)
        let text = "HTTP/1.1 200 OK\r\n" + String(repeating: "a:\n", count: HTTP1Limits.fieldCount + 1) + "\r\n"
        #expect(ParserProbe(text, limits: limits).fault == .tooManyHeaders(limit: HTTP1Limits.fieldCount))
    }

    @Test func `chunk extensions are bounded`() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let fitting = head + "1;" + String(repeating: "x", count: 14) + "\r\ny\r\n0\r\n\r\n"
        #expect(ParserProbe.checked(fitting, limits: Self.limits).body == "y")
        let longer = head + "1;" + String(repeating: "x", count: 15) + "\r\ny\r\n0\r\n\r\n"
        #expect(ParserProbe.checked(longer, limits: Self.limits).fault == .malformedChunk)
    }

    @Test func `a large response head means the same however it is split`() {
        let lines = (0..<900).map { "X-\($0): " + String(repeating: "v", count: $0 % 97) + "\r\n" }.joined()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n" + lines + "\r\n"
        let bytes = (head + String(repeating: "b", count: 9_000)).latin1Bytes
        #expect(head.utf8.count > 50_000 && head.utf8.count < 65_536)
        let whole = ParserProbe([bytes])
        #expect(whole.isComplete && whole.body.utf8.count == 9_000)
        for cut in stride(from: 1, to: bytes.count, by: 1_999) {
            #expect(ParserProbe([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
        }
        for size in [1_000, 4_096, 5_000, 10_000, 30_000] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
            #expect(ParserProbe(pieces) == whole, "pieces of \(size)")
        }
    }

    @Test(arguments: [16_385, 60_000, 65_000])
    func `a header line may be as long as the header section`(length: Int) {
        let head = "HTTP/1.1 200 OK\r\nSet-Cookie: " + String(repeating: "c", count: length) + "\r\n\r\n"
        let bytes = head.latin1Bytes
        for pieces in [[bytes], bytes.map { [$0] }] {
            let probe = ParserProbe(pieces)
            #expect(probe.fault == nil && probe.head?.utf8.count ?? 0 > length)
        }
        let longer = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "c", count: 65_536)
        #expect(ParserProbe([longer.latin1Bytes]).fault == .headerSectionTooLarge(limit: 65_536))
    }

    @Test(arguments: [HTTP1Limits(headerSection: .max, headerLine: .max), HTTP1Limits(headerLine: .max)])
    func `the largest number is a limit of a response head like any other`(limits: HTTP1Limits) {
        let probe = ParserProbe.checked("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 1\r\n\r\nx", limits: limits)
        #expect(probe.fault == nil && probe.body == "x")
    }

    /// Lines with a secret, and what an error may show of them.
    private static let secrets: [(String, String)] = [
        ("Set-Cookie: s3cret\u{1}", "Set-Cookie"), ("Set-Cookie: s3cret\r\n s3cret\u{1}", "Set-Cookie"),
        ("Set-Cookie : s3cret", "Set-Cookie"), ("Set-Cookie s3cret", "Set-Cookie "), ("s3cret", ""),
        ("a=s3cret: b", "a="),
        (": s3cret", ""), ("Bad\u{1}: s3cret", "Bad\\x01"), ("A: " + String(repeating: "s3cret", count: 20), "A"),
        (String(repeating: "s3cret", count: 20), ""),
    ]

    @Test(arguments: secrets)
    func `a response parsing error shows the name of a field and nothing else`(line: String, shown: String) throws {
        for start in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"] {
            var parser = HTTP1ResponseParser(limits: HTTP1Limits(headerLine: 100))
            parser.begin(.ordinary)
            var buffer = ByteBuffer(string: start + line + "\r\n")
            let error = try #require(
                #expect(throws: HTTP1ParseError.self) { while try parser.next(&buffer) != nil {} }
            )
            #expect(error.excerpt == shown, "\(error)")
            #expect(!error.description.contains("s3cret"), "\(error)")
        }
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2 s3cret\r\n", "SSH-2.0-OpenSSH_9.2"), ("{\"token\": \"s3cret\"}", ""),
        ("HTTP/1.1 2x0 s3cret\r\n", "HTTP/1.1 2x0"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ns3cret", "3"),
    ])
    func `a response parsing error shows nothing of the body`(text: String, shown: String) throws {
        var parser = HTTP1ResponseParser()
        parser.begin(.ordinary)
        var buffer = ByteBuffer(string: text)
        let error = try #require(#expect(throws: HTTP1ParseError.self) { while try parser.next(&buffer) != nil {} })
        #expect(error.excerpt == shown, "\(error)")
    }

    @Test func `header parsing work grows linearly with the section, however it is split`() throws {
        for makeLine in [
            { "A: " + String(repeating: "c", count: $0) + "\r\n" }, { String(repeating: "A: b\r\n", count: $0 / 6) },
        ] {
            for isWhole in [true, false] {
                let steps = try [8_000, 16_000, 32_000, 64_000].map { size in
                    var scanner = HTTP1FieldSectionScanner(limits: HTTP1Limits())
                    scanner.begin(head: true)
                    let head = "HTTP/1.1 200 OK\r\n" + makeLine(size) + "\r\n"
                    var bytes = ByteBuffer(string: head)
                    if isWhole {
                        _ = try #require(try scanner.next(&bytes))
                    } else {
                        while var byte = bytes.readSlice(length: 1) { _ = try scanner.next(&byte) }
                    }
                    #expect(scanner.examined == head.utf8.count, "each byte once")
                    return scanner.examined
                }
                for (less, more) in zip(steps, steps.dropFirst()) { #expect(more < less * 9 / 4) }
            }
        }
    }
}
