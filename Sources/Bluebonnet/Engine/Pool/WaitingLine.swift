/// A line of waiting exchanges in the order of their urgency, each of which can leave or move at
/// once: a doubly linked list in an array, addressed by tickets.
struct WaitingLine<Element: PoolWaiter> {
    private struct Node {
        var element: Element?
        var previous: Int
        /// The node behind it, or the next free one.
        var next: Int
        var number: UInt64
        var urgency: Int
    }

    private static var none: Int { -1 }
    /// A line that was longer gives its memory back when it is empty.
    private static var nodesKept: Int { 1024 }

    private var nodes: [Node] = []
    private var first = Self.none
    private var free = Self.none
    private var lastNumber: UInt64 = 0
    private(set) var count = 0
    /// The last element of each urgency, from 0, which is served first, to 7. Empty until the first
    /// element came.
    private var lasts: [Int] = []

    var isEmpty: Bool { count == 0 }

    /// The element with a ticket, if it is still the one that got this number with it.
    func element(at ticket: Int, number: UInt64) -> Element? {
        guard nodes.indices.contains(ticket), nodes[ticket].number == number else { return nil }
        return nodes[ticket].element
    }

    /// Whether an element waits here, with this ticket.
    func contains(_ element: Element, at ticket: Int) -> Bool {
        nodes.indices.contains(ticket) && nodes[ticket].element === element
    }

    /// Inserts an element behind all of its urgency, or in front of them. Tickets are given again,
    /// numbers are not.
    mutating func insert(_ element: Element, inFront: Bool) -> (ticket: Int, number: UInt64) {
        if lasts.isEmpty { lasts = Array(repeating: Self.none, count: 8) }
        lastNumber += 1
        let node = Node(
            element: element,
            previous: Self.none,
            next: Self.none,
            number: lastNumber,
            urgency: element.urgency
        )
        let ticket: Int
        if free == Self.none {
            ticket = nodes.count
            nodes.append(node)
        } else {
            ticket = free
            free = nodes[ticket].next
            nodes[ticket] = node
        }
        link(ticket, inFront: inFront)
        count += 1
        return (ticket, lastNumber)
    }

    /// Moves the element with a ticket, which must be valid, behind all that have its present
    /// urgency already.
    mutating func move(at ticket: Int) {
        guard let urgency = nodes[ticket].element?.urgency, urgency != nodes[ticket].urgency else { return }
        unlink(ticket)
        nodes[ticket].urgency = urgency
        link(ticket, inFront: false)
    }

    /// Puts a node into the order, by its urgency.
    private mutating func link(_ ticket: Int, inFront: Bool) {
        let urgency = nodes[ticket].urgency
        let before = inFront ? lasts[..<urgency] : lasts[...urgency]
        let previous = before.last { $0 != Self.none } ?? Self.none
        let next = previous == Self.none ? first : nodes[previous].next
        join(previous, ticket)
        join(ticket, next)
        if !inFront || lasts[urgency] == Self.none { lasts[urgency] = ticket }
    }

    private mutating func unlink(_ ticket: Int) {
        let (previous, next, urgency) = (nodes[ticket].previous, nodes[ticket].next, nodes[ticket].urgency)
        if lasts[urgency] == ticket {
            let isAlone = previous == Self.none || nodes[previous].urgency != urgency
            lasts[urgency] = isAlone ? Self.none : previous
        }
        join(previous, next)
    }

    private mutating func join(_ ticket: Int, _ next: Int) {
        if ticket == Self.none { first = next } else { nodes[ticket].next = next }
        if next != Self.none { nodes[next].previous = ticket }
    }

    /// Takes the first element.
    mutating func popFirst() -> Element? {
        first == Self.none ? nil : remove(at: first)
    }

    /// Takes the element with a ticket, which must be valid.
    mutating func remove(at ticket: Int) -> Element? {
        let element = nodes[ticket].element
        unlink(ticket)
        nodes[ticket] = Node(element: nil, previous: Self.none, next: free, number: 0, urgency: 0)
        free = ticket
        count -= 1
        if isEmpty, nodes.count > Self.nodesKept {
            nodes = []
            free = Self.none
        }
        return element
    }
}

extension WaitingLine: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let line: WaitingLine
        fileprivate var ticket: Int

        mutating func next() -> Element? {
            guard ticket != WaitingLine.none else { return nil }
            defer { ticket = line.nodes[ticket].next }
            return line.nodes[ticket].element
        }
    }

    /// From the first element to the last.
    func makeIterator() -> Iterator { Iterator(line: self, ticket: first) }
}
