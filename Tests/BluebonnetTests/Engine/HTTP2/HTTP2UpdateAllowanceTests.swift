import Testing

@testable import Bluebonnet

/// How many WINDOW_UPDATE frames are too many, as values.
@Suite struct HTTP2UpdateAllowanceTests {
    /// The frames that are allowed before one is not.
    private func rest(_ allowance: inout HTTP2UpdateAllowance) -> Int {
        var count = 0
        while allowance.take() { count += 1 }
        return count
    }

    @Test func `without anything sent, the frames are bounded`() {
        var allowance = HTTP2UpdateAllowance()
        let count = rest(&allowance)
        let isAllowed = allowance.take()
        #expect(count == 10_000 && !isAllowed)
    }

    @Test func `what is sent allows more`() {
        var (silent, small, large) = (HTTP2UpdateAllowance(), HTTP2UpdateAllowance(), HTTP2UpdateAllowance())
        small.sent()
        large.sent(content: 16_384)
        let counts = [rest(&silent), rest(&small), rest(&large)]
        #expect(counts == [10_000, 10_008, 11_032])
    }

    @Test func `an upload of any length whose windows come back in small steps is not stopped`() {
        var allowance = HTTP2UpdateAllowance()
        var isAllowed = true
        for _ in 0..<1000 {
            allowance.sent(content: 16_384)
            for _ in 0..<1024 { isAllowed = isAllowed && allowance.take() }
        }
        #expect(isAllowed)
    }
}
