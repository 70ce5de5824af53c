import Testing

@testable import Bluebonnet

/// How far windows grow, as values.
@Suite struct HTTP2WindowBudgetTests {
    private static let first = HTTP2WindowBudget.first
    private static let guaranteed = HTTP2WindowBudget.guaranteed

    private var window: HTTP2ReceiveWindow { HTTP2ReceiveWindow(size: Self.first, available: Self.first) }

    /// The reader of a window takes so many bytes more.
    private func read(_ count: Int, _ window: inout HTTP2ReceiveWindow, _ budget: inout HTTP2WindowBudget) {
        window.receive(count)
        window.take()
        budget.grow(&window)
    }

    @Test func `a window grows when a quarter of it was taken, and not before`() {
        var (budget, window) = (HTTP2WindowBudget(), window)
        read(Self.first / 4 - 1, &window, &budget)
        #expect(window.size == Self.first)
        window.receive(1000)
        budget.grow(&window)
        #expect(window.size == Self.first)
        read(0, &window, &budget)
        #expect(window.size > Self.guaranteed)
    }

    @Test(arguments: [10 * 1460, 32 * 1460, 1 << 17])
    func `no window holds up the slow start of TCP`(initial: Int) {
        var (budget, window) = (HTTP2WindowBudget(), window)
        var granted = Self.first
        for taken in stride(from: 0, to: 4 << 20, by: 1460) {
            // RFC 5681 §3.1: what was acknowledged, and as much again, beside the initial window.
            let sent = 2 * taken + initial
            // Three quarters of 8 MiB are the least that a window which has grown has left.
            #expect(granted >= min(sent, taken + 6 << 20), "\(taken)")
            read(1460, &window, &budget)
            granted += window.takeIncrement() ?? 0
        }
    }

    @Test func `a window without budget has its guaranteed size`() {
        var (budget, window) = (HTTP2WindowBudget(total: 0), window)
        for _ in 0..<3 {
            read(Self.first, &window, &budget)
            #expect(window.size == Self.guaranteed && budget.left == 0)
        }
    }

    @Test func `a window grows in proportion to what was taken, up to the largest size`() {
        var (budget, window) = (HTTP2WindowBudget(), window)
        let total = budget.left
        for (count, size) in [(64, 1024), (16, 1280), (176, 4096), (1000, 8192), (9000, 8192)] {
            read(count << 10, &window, &budget)
            #expect(window.size == size << 10 && budget.left == total - window.size + Self.guaranteed)
        }
        budget.largest = 32 << 20
        read(1, &window, &budget)
        #expect(window.size == 32 << 20)
    }

    @Test func `a window gets what is left, and more when another stream has ended`() {
        var budget = HTTP2WindowBudget(total: 10 << 20)
        var windows = [window, window, window]
        for index in 0..<3 { read(2 << 20, &windows[index], &budget) }
        #expect(windows.map { $0.size >> 20 } == [8, 4, 1] && budget.left == 0)
        budget.takeBack(windows.removeFirst())
        for index in 0..<2 { read(1, &windows[index], &budget) }
        #expect(windows.map { $0.size >> 20 } == [8, 4] && budget.left == 0)
        for window in windows { budget.takeBack(window) }
        #expect(budget.left == 10 << 20)
    }

    @Test(arguments: 0..<20)
    func `all windows together keep to the budget, and all of it comes back`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let total = Int.random(in: 0...100 << 20, using: &random)
        var budget = HTTP2WindowBudget(total: total)
        var windows: [HTTP2ReceiveWindow] = []
        for _ in 0..<2000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...1: windows.append(window)
            case 2:
                guard let index = windows.indices.randomElement(using: &random) else { continue }
                budget.takeBack(windows.remove(at: index))
            case 3: budget.largest = min(budget.largest + 1 << 20, 32 << 20)
            default:
                guard let index = windows.indices.randomElement(using: &random) else { continue }
                let size = windows[index].size
                read(Int.random(in: 0...size, using: &random), &windows[index], &budget)
                #expect(windows[index].size >= size)
            }
            let sum = windows.reduce(0) { $0 + $1.size }
            #expect(budget.left >= 0 && sum <= total + windows.count * Self.guaranteed)
        }
        for window in windows { budget.takeBack(window) }
        #expect(budget.left == total)
    }
}
