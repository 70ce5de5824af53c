import Testing

/// Values of fields that are much longer than a server may send, of the worst shapes that are
/// known. A parser whose time grows with the square of the length would take minutes for one.
@Suite struct HostileFieldTests {
    /// The bytes of a value.
    private static let size = 1 << 17
    /// The limit for one value, which takes well below a second.
    private static let longestTime = Duration.seconds(10)

    static let shapes: [(FuzzTarget, String, repeated: String)] = [
        (.cacheControl, "", ","), (.cacheControl, "", "a=\"\\\""), (.cacheControl, "", "no-cache=\"a\","),
        (.cacheControl, "private=\"", "a,"), (.cacheControl, "", "max-age=1,"), (.cacheControl, "max-age=", "9"),
        (.cacheControl, "max-age", " "), (.cacheControl, "", "no-store\n"),
        (.contentRange, "bytes ", " "), (.contentRange, "bytes ", "0"), (.contentRange, "bytes 0", "-"),
        (.contentRange, "bytes 0-1/", "/"),
        (.storedHead, "ETag:\"a\"\nVary:", "a,"), (.storedHead, "ETag:\"a\"\nVary:", ","),
        (.storedHead, "Cache-Control:max-age=9\nConnection:", "a,"), (.storedHead, "ETag:\"a\"\nAge:", "9"),
        (.storedHead, "ETag:\"a\"\n>If-None-Match:", "\"b\","), (.storedHead, "ETag:\"a\"\n>If-None-Match:", ","),
        (.storedHead, "ETag:\"a\"\nExpires:", "Jan "), (.storedHead, "ETag:\"a\"\nVary:b\n>b:", " ,"),
        (.cookie, "", ";"), (.cookie, "a=b", "; Expires=1"), (.cookie, "a=b", " "), (.cookie, "a=b; Domain=", "."),
        (.cookie, "a=b; Expires=", "1:"), (.cookie, "", "example.com\tTRUE\t/\tFALSE\t0\ta\tb\n"), (.cookie, "", "\t"),
        (.retryAfter, "", "9"), (.retryAfter, "Fri", " "),
    ]

    @Test(arguments: shapes.indices)
    func `a very long field is read in time`(index: Int) throws {
        let (target, beginning, piece) = Self.shapes[index]
        let count = Self.size / piece.utf8.count
        let input = Array((beginning + String(repeating: piece, count: count)).utf8)
        let time = try ContinuousClock().measure { _ = try target.run(input, cut: [input[...]]) }
        #expect(time < Self.longestTime, "\(target.rawValue): \(beginning)\(piece)…")
    }
}
