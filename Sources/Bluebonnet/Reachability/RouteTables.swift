/// The routes of some tables, in little room: a machine may have a million of them.
///
/// Most ranges of a large table lead the same few ways. A range keeps the number of its list of
/// ways, and each list is there once; so a change for all routes over a link is one of a few lists.
struct RouteTables: Sendable {
    /// A range of addresses in a table.
    struct Range: Sendable {
        let table: UInt32
        let first: IPAddress
        let length: Int

        /// Whether other machines may be in it. Each link of IPv6 has a route to itself (RFC 4291
        /// §2.5.6), which leads to nobody that is known.
        fileprivate var isOfMachines: Bool { table == NetworkRoute.mainTable && !first.isLinkLocal }
    }

    private struct Prefix: Sendable, Hashable {
        let table: UInt32
        let isIPv4: Bool
        let length: Int
    }

    /// The first address of a range.
    private struct First: Sendable, Hashable {
        let high: UInt64
        let low: UInt64
    }

    /// The ways of some ranges, of one family each.
    private struct List: Sendable, Hashable {
        var ways: [NetworkRoute.Way]
        let isIPv4: Bool
        let isOfMachines: Bool
    }

    private var numbers: [Prefix: [First: UInt32]] = [:]
    private var lists: [List] = []
    /// How many ranges have each list.
    private var uses: [Int] = []
    /// Where a list is found that ranges to come may have, too.
    private var known: [List: UInt32] = [:]
    /// The numbers of lists that no range has.
    private var unused: [UInt32] = []

    /// The number of different lists, for tests.
    var listCount: Int { lists.count - unused.count }

    /// The ways of a range, those with the lowest metric first.
    func ways(_ range: Range) -> [NetworkRoute.Way] {
        numbers[Self.prefix(range)]?[Self.first(range)].map { lists[Int($0)].ways } ?? []
    }

    /// Changes the ways of a range. The order is that of the metrics, and among equal ones that in
    /// which they are given.
    mutating func change(_ range: Range, _ body: (inout [NetworkRoute.Way]) -> Void) {
        let (prefix, first) = (Self.prefix(range), Self.first(range))
        let old = numbers[prefix]?[first]
        var list = List(
            ways: old.map { lists[Int($0)].ways } ?? [],
            isIPv4: range.first.isIPv4,
            isOfMachines: range.isOfMachines
        )
        body(&list.ways)
        if list.ways.count > 1 {
            list.ways = list.ways.enumerated()
                .sorted { ($0.element.metric, $0.offset) < ($1.element.metric, $1.offset) }
                .map(\.element)
        }
        if let old { release(old) }
        guard !list.ways.isEmpty else {
            numbers[prefix]?[first] = nil
            return
        }
        numbers[prefix, default: [:]][first] = number(of: list)
    }

    /// Changes the ways of all ranges. One that has none left leads nowhere, and is kept until the
    /// routes are read again.
    mutating func changeAll(ofIPv4Only isIPv4Only: Bool = false, _ body: (inout [NetworkRoute.Way]) -> Void) {
        for index in lists.indices where uses[index] > 0 && (lists[index].isIPv4 || !isIPv4Only) {
            let old = lists[index]
            body(&lists[index].ways)
            guard lists[index] != old else { continue }
            if known[old] == UInt32(index) { known[old] = nil }
            known[lists[index]] = UInt32(index)
        }
    }

    /// Whether other machines may be reached by a way of this kind.
    func hasWay(where isWanted: (NetworkRoute.Way) -> Bool) -> Bool {
        lists.indices.contains { uses[$0] > 0 && lists[$0].isOfMachines && lists[$0].ways.contains(where: isWanted) }
    }

    /// The links that routes to other machines lead to.
    var links: Set<Int32> {
        var found: Set<Int32> = []
        for index in lists.indices where uses[index] > 0 && lists[index].isOfMachines {
            for way in lists[index].ways where way.type == 1 { found.formUnion(way.links) }
        }
        return found
    }

    private static func prefix(_ range: Range) -> Prefix {
        Prefix(table: range.table, isIPv4: range.first.isIPv4, length: range.length)
    }

    private static func first(_ range: Range) -> First { First(high: range.first.high, low: range.first.low) }

    // MARK: Lists

    private mutating func number(of list: List) -> UInt32 {
        if let number = known[list] {
            uses[Int(number)] += 1
            return number
        }
        let number: UInt32
        if let last = unused.popLast() {
            number = last
            (lists[Int(number)], uses[Int(number)]) = (list, 1)
        } else {
            number = UInt32(lists.count)
            lists.append(list)
            uses.append(1)
        }
        known[list] = number
        return number
    }

    private mutating func release(_ number: UInt32) {
        let index = Int(number)
        uses[index] -= 1
        guard uses[index] == 0 else { return }
        if known[lists[index]] == number { known[lists[index]] = nil }
        lists[index].ways = []
        unused.append(number)
    }
}
