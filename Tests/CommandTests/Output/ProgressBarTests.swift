import Testing

@testable import bluebonnet

struct ProgressBarTests {
    @Test func `a bar shows the part, the sizes, the speed and the time left`() {
        let bar = ProgressBar(done: 4_000_000, total: 10_000_000, speed: 2_050_000, timeLeft: .milliseconds(3_900))
        let filled = String(repeating: "█", count: 12) + String(repeating: " ", count: 18)
        #expect(bar.text == "▕\(filled)▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:03")
    }

    @Test func `without a length there is no bar`() {
        #expect(ProgressBar(done: 999).text == "999 B")
        #expect(ProgressBar(done: 1_234_567_890, speed: 45_600).text == "1.2 GB 45 kB/s")
    }

    @Test func `nothing to send is done`() {
        #expect(ProgressBar(done: 0, total: 0).text.hasSuffix("100% 0 B/0 B"))
    }

    @Test(arguments: [(0, "0:00"), (59, "0:59"), (720, "12:00"), (3723, "1:02:03")])
    func `the time left is shown as a clock does`(seconds: Int, text: String) {
        #expect(ProgressBar(done: 1, timeLeft: .seconds(seconds)).text == "1 B \(text)")
    }
}
