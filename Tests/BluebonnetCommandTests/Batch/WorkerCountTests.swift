import Testing

@testable import BluebonnetCommand

@Suite struct WorkerCountTests {
    @Test func `batch lines that come one at a time need two workers, whatever the limit is`() {
        var count = WorkerCount(limit: 10_000)
        for _ in 0..<100 {
            _ = count.takeLine()
            count.finishLine()
        }
        #expect(count.started == 2)
    }

    @Test(arguments: [(1, [false]), (2, [true, false]), (3, [true, true, false])])
    func `there are as many batch workers as the limit allows when so many lines run`(limit: Int, starts: [Bool]) {
        var count = WorkerCount(limit: limit)
        var another: [Bool] = []
        for _ in 0..<limit { another.append(count.takeLine()) }
        #expect(another == starts)
        #expect(count.started == limit)
        #expect(count.idle == 0)
        count.finishLine()
        let isAnother = count.takeLine()
        #expect(!isAnother)
        #expect(count.started == limit)
    }
}
