import Testing

@testable import BluebonnetCommand

struct TransferLineTests {
    private let line = TransferLine(
        name: "ubuntu-24.04-desktop-amd64.iso",
        done: 4_000_000,
        total: 10_000_000,
        fraction: 0.4,
        speed: 2_050_000,
        timeLeft: .milliseconds(2_100)
    )

    private func text(_ line: TransferLine, columns: Int, tick: Int = 0) -> String {
        line.row(columns: columns, widestName: 30, tick: tick).text
    }

    @Test(arguments: [
        (100, "ubuntu-24.04-desktop-amd64.iso ▕████████              ▏  40%  4.0 MB/10 MB 2.0 MB/s     0:03"),
        (80, "ubuntu-24.04…op-amd64.iso ▕█████         ▏  40%  4.0 MB/10 MB 2.0 MB/s     0:03"),
        (65, "ubuntu…d64.iso ▕████      ▏  40%  4.0 MB/10 MB 2.0 MB/s     0:03"),
        (50, "ubunt…64.iso  40%  4.0 MB/10 MB 2.0 MB/s     0:03"),
        (40, "ubuntu-…md64.iso  40% 2.0 MB/s     0:03"), (20, "ubuntu…d64.iso  40%"), (10, "u…so  40%"), (9, "40%"),
        (3, "40"), (1, ""),
    ])
    func `a narrow window gets no bar, then fewer numbers`(columns: Int, text: String) {
        #expect(self.text(line, columns: columns) == text)
    }

    @Test func `a line is narrower than the window, and knows its width`() {
        var lines = [
            line, TransferLine(name: "文件", done: .max, total: .max, speed: 1e18, timeLeft: .seconds(900_000_000)),
        ]
        lines.append(TransferLine(name: "x", isWaiting: true))
        lines.append(TransferLine(name: "x", done: 999_999_999_999, speed: 999_999))
        for line in lines {
            for columns in 1...200 {
                let row = line.row(columns: columns, widestName: 30, tick: columns, paint: Paint(isOn: false))
                #expect(row.width < columns || row.text.isEmpty, "\(row)")
                #expect(row.width == ShownText.width(of: row.text))
                #expect(line.row(columns: columns, widestName: 30, paint: Paint(isOn: true)).width == row.width)
            }
        }
    }

    @Test func `before its response a transfer waits, and shows no numbers`() {
        let waiting = TransferLine(name: "a", isWaiting: true)
        #expect(
            waiting.row(columns: 80, widestName: 1).text == "a ▕              ▏            waiting                  "
        )
        #expect(waiting.row(columns: 40, widestName: 1).text == "a       waiting         ")
    }

    @Test func `the bar of a transfer of unknown length moves to and fro`() {
        let line = TransferLine(name: "a", done: 2_000_000, speed: 1_000)
        let bars = (0..<24).map { line.row(columns: 80, widestName: 1, tick: $0).text.prefix(18) }
        #expect(bars[0] == "a ▕███           ▏")
        #expect(bars[1] == "a ▕ ███          ▏")
        #expect(bars[11] == "a ▕           ███▏")
        #expect(bars[12] == "a ▕          ███ ▏")
        #expect(bars[22] == bars[0])
        #expect(!text(line, columns: 80).contains("%"))
    }

    @Test(arguments: [
        (Duration.seconds(59), "0:59"), (.milliseconds(45_295_500), "12:34:56"), (.seconds(400_000), "4 days"),
        (.seconds(1e8), "--:--"), (nil, "--:--"),
    ])
    func `a time left that is long has days, and one that is not known has no digits`(left: Duration?, text: String) {
        let line = TransferLine(name: "a", done: 1, total: 2, fraction: 0.5, speed: 0, timeLeft: left)
        #expect(line.row(columns: 80, widestName: 1).text.hasSuffix(" \(text)"))
    }
}
