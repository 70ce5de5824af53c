import Testing

@testable import BluebonnetCommand

struct ProgressBarTests {
    @Test func `a progress bar shows the part, the sizes, the speed and the time left`() {
        let bar = ProgressBar(done: 4_000_000, total: 10_000_000, speed: 2_050_000, timeLeft: .milliseconds(3_900))
        let filled = String(repeating: "█", count: 12) + String(repeating: " ", count: 18)
        #expect(bar.text(columns: 100) == "▕\(filled)▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:04")
    }

    @Test func `a transfer of unknown length has no progress bar`() {
        #expect(ProgressBar(done: 999).text(columns: 100) == "999 B")
        #expect(ProgressBar(done: 1_234_567_890, speed: 45_600).text(columns: 100) == "1.2 GB 45 kB/s")
    }

    @Test func `a transfer of zero bytes is shown as complete`() {
        #expect(ProgressBar(done: 0, total: 0).text(columns: 100).hasSuffix("100% 0 B/0 B"))
    }

    @Test(arguments: [
        (0, "0:00"), (100, "0:01"), (59_000, "0:59"), (59_200, "1:00"), (720_000, "12:00"), (3_723_000, "1:02:03"),
    ])
    func `the time left is shown in hours, minutes and seconds`(milliseconds: Int, text: String) {
        let bar = ProgressBar(done: 1, timeLeft: .milliseconds(milliseconds))
        #expect(bar.text(columns: 100) == "1 B \(text)")
    }

    @Test(arguments: [
        (
            100,
            "▕\(String(repeating: "█", count: 12))\(String(repeating: " ", count: 18))▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:03"
        ),
        (50, "▕██████         ▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:03"),
        (45, "▕████      ▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:03"),
        (40, "40% 4.0 MB/10 MB 2.0 MB/s 0:03"),
        (30, "40% 2.0 MB/s 0:03"), (17, "40% 4.0 MB/10 MB"), (16, "40%"), (4, "40%"), (3, "40"), (0, ""),
    ])
    func `a narrow window gets a shorter progress bar, then fewer numbers`(columns: Int, text: String) {
        let bar = ProgressBar(done: 4_000_000, total: 10_000_000, speed: 2_050_000, timeLeft: .seconds(3))
        #expect(bar.text(columns: columns) == text)
    }

    @Test(arguments: [
        (20_000_000, Duration.milliseconds(5_120), "a.iso: 20 MB in 5.1 s (3.9 MB/s)"),
        (0, .zero, "a.iso: 0 B in 0.0 s (0 B/s)"),
        (7_200_000_000, .seconds(3600), "a.iso: 7.2 GB in 1:00:00 (2.0 MB/s)"),
    ])
    func `the summary of a transfer has its bytes, time and speed`(bytes: Int, duration: Duration, text: String) {
        #expect(ProgressBar.summary(of: "a.iso", bytes: bytes, duration: duration) == text)
    }
}
