import NIOCore

/// Elements by their deadlines, the earliest first: a binary heap.
struct DeadlineHeap<Element> {
    private var entries: [(at: NIODeadline, element: Element)] = []

    var count: Int { entries.count }

    /// The earliest deadline.
    var earliest: NIODeadline? { entries.first?.at }

    mutating func insert(_ element: Element, at deadline: NIODeadline) {
        entries.append((deadline, element))
        var index = entries.count - 1
        while index > 0, case let parent = (index - 1) / 2, entries[index].at < entries[parent].at {
            entries.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes the earliest one whose deadline is not later than this.
    mutating func popFirst(until now: NIODeadline) -> Element? {
        guard let first = entries.first, first.at <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        sink(0)
        return first.element
    }

    /// Removes the elements that are not kept.
    mutating func keep(where isKept: (Element) -> Bool) {
        entries.removeAll { !isKept($0.element) }
        for index in (0..<entries.count / 2).reversed() { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in (2 * index + 1)...(2 * index + 2)
            where child < entries.count && entries[child].at < entries[least].at {
                least = child
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
