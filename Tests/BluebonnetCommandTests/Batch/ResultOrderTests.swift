import Testing

@testable import BluebonnetCommand

@Suite struct ResultOrderTests {
    @Test(arguments: [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [2, 1, 5, 3, 4]])
    func `batch results are written in the order of their lines, as early as possible`(arrival: [Int]) {
        var order = ResultOrder()
        var written: [Int] = []
        var arrived: Set<Int> = []
        for number in arrival {
            arrived.insert(number)
            written += order.add([UInt8(number)], at: number).map { Int($0[0]) }
            let complete = (1...5).prefix { arrived.contains($0) }
            #expect(written == Array(complete))
        }
    }
}
