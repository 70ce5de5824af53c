/// A line of waiting elements, each of which can leave at once: a doubly linked list in an array,
/// addressed by tickets.
struct WaitingLine<Element> {
    private struct Node {
        var element: Element?
        var previous: Int
        /// The node behind it, or the next free one.
        var next: Int
        var number: UInt64
    }

    private static var none: Int { -1 }
    /// A line that was longer gives its memory back when it is empty.
    private static var nodesKept: Int { 1024 }

    private var nodes: [Node] = []
    private var first = Self.none
    private var last = Self.none
    private var free = Self.none
    private var lastNumber: UInt64 = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element with a ticket, if it is still the one that got this number with it.
    func element(at ticket: Int, number: UInt64) -> Element? {
        guard nodes.indices.contains(ticket), nodes[ticket].number == number else { return nil }
        return nodes[ticket].element
    }

    /// Inserts an element at the end of the line, or in front of all others. Tickets are given
    /// again, numbers are not.
    mutating func insert(_ element: Element, inFront: Bool) -> (ticket: Int, number: UInt64) {
        lastNumber += 1
        let node = Node(
            element: element,
            previous: inFront ? Self.none : last,
            next: inFront ? first : Self.none,
            number: lastNumber
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
        link(from: node.previous, to: ticket)
        link(from: ticket, to: node.next)
        count += 1
        return (ticket, lastNumber)
    }

    private mutating func link(from ticket: Int, to next: Int) {
        if ticket == Self.none { first = next } else { nodes[ticket].next = next }
        if next == Self.none { last = ticket } else { nodes[next].previous = ticket }
    }

    /// Takes the first element.
    mutating func popFirst() -> Element? {
        first == Self.none ? nil : remove(at: first)
    }

    /// Takes the element with a ticket, which must be valid.
    mutating func remove(at ticket: Int) -> Element? {
        let node = nodes[ticket]
        link(from: node.previous, to: node.next)
        nodes[ticket] = Node(element: nil, previous: Self.none, next: free, number: 0)
        free = ticket
        count -= 1
        if isEmpty, nodes.count > Self.nodesKept {
            nodes = []
            free = Self.none
        }
        return node.element
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
