import Testing

@testable import Bluebonnet

@Suite struct RouteTablesTests {
    private typealias Way = NetworkRoute.Way

    private func range(_ text: String, _ length: Int, table: UInt32 = 254) throws -> RouteTables.Range {
        RouteTables.Range(table: table, first: try #require(IPAddress(text)), length: length)
    }

    @Test func `a range has its ways in the order of their metrics`() throws {
        var tables = RouteTables()
        let range = try range("192.0.2.0", 24)
        for (metric, link) in [(300, 1), (100, 2), (300, 3)] as [(UInt32, Int32)] {
            tables.change(range) { $0.append(Way(metric: metric, links: [link])) }
        }
        #expect(tables.ways(range).map(\.links) == [[2], [1], [3]])
        // Neither another length nor another table is the same range.
        #expect(tables.ways(try self.range("192.0.2.0", 25)).isEmpty)
        #expect(tables.ways(try self.range("192.0.2.0", 24, table: 7)).isEmpty)
        tables.change(range) { $0 = [] }
        #expect(tables.ways(range).isEmpty && tables.listCount == 0)
    }

    @Test func `ranges that lead the same way share it, and each changes by itself`() throws {
        var tables = RouteTables()
        let ranges = try (0..<100).map { try range("10.0.\($0).0", 24) }
        for range in ranges { tables.change(range) { $0 = [Way(links: [2])] } }
        #expect(tables.listCount == 1)
        tables.change(ranges[7]) { $0 = [Way(links: [3])] }
        #expect(tables.listCount == 2 && tables.links == [2, 3])
        #expect(tables.ways(ranges[7]) == [Way(links: [3])] && tables.ways(ranges[8]) == [Way(links: [2])])
        tables.change(ranges[7]) { $0 = [] }
        #expect(tables.listCount == 1 && tables.links == [2])
    }

    @Test func `a change for all ranges is one of their lists`() throws {
        var tables = RouteTables()
        let (four, six) = (try range("10.0.0.0", 8), try range("2001:db8::", 32))
        for range in [four, six] { tables.change(range) { $0 = [Way(links: [2])] } }
        tables.changeAll(ofIPv4Only: true) { $0 = [Way(links: [3])] }
        #expect(tables.ways(four) == [Way(links: [3])] && tables.ways(six) == [Way(links: [2])])
        // What had two lists may have one from now on, and the other way round.
        tables.changeAll { $0.removeAll { $0.links == [3] } }
        #expect(tables.ways(four).isEmpty && !tables.hasWay { $0.links == [3] })
        tables.change(four) { $0.append(Way(links: [2])) }
        tables.change(six) { $0 = [] }
        #expect(tables.ways(four) == [Way(links: [2])] && tables.ways(six).isEmpty && tables.hasWay { $0.links == [2] })
    }

    @Test func `routes to other machines are those of the main table`() throws {
        var tables = RouteTables()
        tables.change(try range("fe80::", 64)) { $0 = [Way(links: [2])] }
        tables.change(try range("10.0.0.0", 8, table: 7)) { $0 = [Way(links: [3])] }
        #expect(!tables.hasWay { _ in true } && tables.links.isEmpty)
        tables.change(try range("10.0.0.0", 8)) { $0 = [Way(type: 7, links: [4])] }
        #expect(tables.hasWay { $0.type == 7 } && tables.links.isEmpty)
    }

    /// The same changes in a plain dictionary.
    @Test func `many changes leave what a plain table has`() throws {
        var generator = SeededGenerator(seed: 17)
        var (tables, plain) = (RouteTables(), [Int: [Way]]())
        let ranges = try (0..<60).map { try range($0 % 2 == 0 ? "10.0.\($0).0" : "2001:db8:\($0)::", 24) }
        for _ in 0..<5000 {
            let metric = UInt32.random(in: 0..<3, using: &generator)
            let way = Way(metric: metric, links: [Int32.random(in: 1..<4, using: &generator)])
            let index = Int.random(in: ranges.indices, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                tables.changeAll { $0.removeAll { $0.links == way.links } }
                for index in plain.keys { plain[index]?.removeAll { $0.links == way.links } }
            case 1..<8:
                tables.change(ranges[index]) { $0.removeAll { $0 == way } }
                plain[index]?.removeAll { $0 == way }
            default:
                tables.change(ranges[index]) { $0.append(way) }
                plain[index, default: []].append(way)
            }
            let sorted = (plain[index] ?? []).enumerated()
                .sorted { ($0.element.metric, $0.offset) < ($1.element.metric, $1.offset) }
            #expect(tables.ways(ranges[index]) == sorted.map(\.element))
        }
        for (index, range) in ranges.enumerated() {
            let count = plain[index]?.count ?? 0
            #expect(tables.ways(range).count == count)
        }
    }
}
