extension TaskQueue {
    /// Which waiting task starts next, as a value.
    ///
    /// Among the tasks that wait for no other one, those of the lowest urgency number come first.
    /// Among equals it is the turn of the host with the fewest running tasks, then of the host that
    /// has waited longest; the tasks of one host start in the order in which they were added. A
    /// start costs the logarithm of the number of hosts.
    ///
    /// An identity may be used again when its task is over, as addresses are.
    struct StateMachine<Identity: Hashable> {
        private struct Entry {
            var host: String
            var urgency: Int
            /// The tasks that it waits for.
            var dependencies: Set<Identity>
            /// Its place in a line: those with another ticket are void. 0 while it is in none.
            var ticket = 0
            var isRunning = false
        }

        /// The tasks of one urgency that can start.
        private struct Line {
            var hosts: [String: HostLine] = [:]
            var turns = Heap()
        }

        private struct HostLine {
            var waiting = FirstInFirstOut()
            /// How many of those are not void, never 0.
            var count = 0
            /// The number of its turn: those with another one, or with another number of running
            /// tasks, are void.
            var turn: Int
        }

        private struct Turn {
            var running: Int
            var number: Int
            var host: String

            func precedes(_ other: Turn) -> Bool {
                (running, number) < (other.running, other.number)
            }
        }

        private let maximum: Int
        private let maximumPerHost: Int
        private var entries: [Identity: Entry] = [:]
        private var dependents: [Identity: Set<Identity>] = [:]
        /// One for each urgency.
        private var lines = [Line](repeating: Line(), count: 8)
        private var running: [String: Int] = [:]
        private var lastNumber = 0
        private(set) var runningCount = 0

        /// - Parameters:
        ///   - maximum: The most tasks that run at the same time.
        ///   - maximumPerHost: The most of them with the same host.
        init(maximum: Int, maximumPerHost: Int) {
            self.maximum = maximum
            self.maximumPerHost = maximumPerHost
        }

        /// The number of tasks that are not over.
        var count: Int { entries.count }

        func contains(_ task: Identity) -> Bool { entries[task] != nil }

        func isRunning(_ task: Identity) -> Bool { entries[task]?.isRunning ?? false }

        /// The turns that are kept, void ones too, for tests.
        var turnCount: Int { lines.reduce(0) { $0 + $1.turns.count } }

        /// The places in lines that are kept, void ones too, for tests.
        var placeCount: Int { lines.reduce(0) { $1.hosts.values.reduce($0) { $0 + $1.waiting.count } } }

        /// Whether a task waits for another one, directly or through others.
        func waits(_ task: Identity, for other: Identity) -> Bool {
            // Nothing waits for most tasks, and so no chain is followed.
            guard dependents[other] != nil else { return false }
            var (open, seen) = ([task], Set<Identity>())
            while let next = open.popLast() {
                for dependency in entries[next]?.dependencies ?? [] where seen.insert(dependency).inserted {
                    if dependency == other { return true }
                    open.append(dependency)
                }
            }
            return false
        }

        /// Adds a task, or has one that waits in the queue already wait for more.
        ///
        /// - Parameters:
        ///   - task: The task.
        ///   - host: The host of its request.
        ///   - urgency: From 0, first, to 7, last.
        ///   - dependencies: The tasks that it waits for, in the queue or not: ``ended(_:)`` is
        ///     called for each.
        mutating func add(_ task: Identity, host: String, urgency: Int, after dependencies: Set<Identity> = []) {
            guard entries[task]?.isRunning != true else { return }
            for dependency in dependencies { dependents[dependency, default: []].insert(task) }
            if var entry = entries[task] {
                guard !dependencies.isEmpty else { return }
                leaveLine(task)
                entry.dependencies.formUnion(dependencies)
                entry.ticket = 0
                entries[task] = entry
            } else {
                entries[task] = Entry(host: host, urgency: urgency, dependencies: dependencies)
                if dependencies.isEmpty { lineUp(task) }
            }
        }

        /// Changes the urgency of a task that waits, which goes to the end of its new line.
        mutating func setUrgency(_ urgency: Int, of task: Identity) {
            guard let entry = entries[task], !entry.isRunning, entry.urgency != urgency else { return }
            leaveLine(task)
            entries[task]?.urgency = urgency
            if entry.dependencies.isEmpty { lineUp(task) }
        }

        /// Removes a task that is over. Others may have waited for the end of one that is not in
        /// the queue.
        mutating func ended(_ task: Identity) {
            leaveLine(task)
            if let entry = entries.removeValue(forKey: task) {
                for dependency in entry.dependencies { forget(task, waitingFor: dependency) }
                if entry.isRunning {
                    runningCount -= 1
                    let rest = running[entry.host, default: 1] - 1
                    running[entry.host] = rest > 0 ? rest : nil
                    takeTurns(entry.host)
                }
            }
            for dependent in dependents.removeValue(forKey: task) ?? [] {
                entries[dependent]?.dependencies.remove(task)
                if entries[dependent]?.dependencies.isEmpty == true { lineUp(dependent) }
            }
        }

        /// Takes the task that starts now; nil when none may.
        mutating func next() -> Identity? {
            guard runningCount < maximum else { return nil }
            for urgency in lines.indices {
                while let turn = lines[urgency].turns.popFirst() {
                    if let task = take(turn, urgency) { return task }
                }
            }
            return nil
        }

        // MARK: Turns

        /// A turn that is void, or whose host may not start more, is dropped: the host gets another
        /// when one of its tasks ends.
        private mutating func take(_ turn: Turn, _ urgency: Int) -> Identity? {
            let (host, count) = (turn.host, running[turn.host, default: 0])
            guard let line = lines[urgency].hosts[host], line.turn == turn.number, turn.running == count,
                count < maximumPerHost
            else { return nil }
            while let (task, ticket) = lines[urgency].hosts[host]?.waiting.popFirst() {
                // It may be over, wait again, or have been moved to another line.
                guard entries[task]?.ticket == ticket else { continue }
                entries[task]?.isRunning = true
                entries[task]?.ticket = 0
                runningCount += 1
                running[host] = count + 1
                if lines[urgency].hosts[host]?.count == 1 {
                    lines[urgency].hosts[host] = nil
                } else {
                    lines[urgency].hosts[host]?.count -= 1
                    let turn = newNumber()
                    lines[urgency].hosts[host]?.turn = turn
                }
                takeTurns(host)
                return task
            }
            lines[urgency].hosts[host] = nil
            return nil
        }

        private mutating func newNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// Notes the turns of a host with its present number of running tasks.
        private mutating func takeTurns(_ host: String) {
            for urgency in lines.indices { takeTurn(host, urgency) }
        }

        private mutating func takeTurn(_ host: String, _ urgency: Int) {
            guard let number = lines[urgency].hosts[host]?.turn else { return }
            lines[urgency].turns.insert(Turn(running: running[host, default: 0], number: number, host: host))
            // Void ones are left behind where a line does not get its turn.
            guard lines[urgency].turns.count > 4 * lines[urgency].hosts.count + 64 else { return }
            lines[urgency].turns = Heap()
            for (host, line) in lines[urgency].hosts {
                lines[urgency].turns.insert(Turn(running: running[host, default: 0], number: line.turn, host: host))
            }
        }

        /// Takes a task out of its line: its place is void then. A line without tasks is removed,
        /// and so are the void places where they are the most.
        private mutating func leaveLine(_ task: Identity) {
            guard let entry = entries[task], entry.ticket != 0 else { return }
            entries[task]?.ticket = 0
            guard var line = lines[entry.urgency].hosts.removeValue(forKey: entry.host) else { return }
            line.count -= 1
            guard line.count > 0 else { return }
            if line.waiting.count > 2 * line.count + 64 {
                line.waiting.filter { task, ticket in entries[task]?.ticket == ticket }
            }
            lines[entry.urgency].hosts[entry.host] = line
        }

        private mutating func lineUp(_ task: Identity) {
            guard let entry = entries[task], !entry.isRunning else { return }
            let ticket = newNumber()
            entries[task]?.ticket = ticket
            if lines[entry.urgency].hosts[entry.host] == nil {
                lines[entry.urgency].hosts[entry.host] = HostLine(turn: ticket)
                takeTurn(entry.host, entry.urgency)
            }
            lines[entry.urgency].hosts[entry.host]?.count += 1
            lines[entry.urgency].hosts[entry.host]?.waiting.append((task, ticket))
        }

        private mutating func forget(_ task: Identity, waitingFor dependency: Identity) {
            dependents[dependency]?.remove(task)
            if dependents[dependency]?.isEmpty == true { dependents[dependency] = nil }
        }

        // MARK: Containers

        private struct FirstInFirstOut {
            private var elements: [(Identity, Int)] = []
            private var first = 0

            var isEmpty: Bool { first == elements.count }

            var count: Int { elements.count - first }

            /// Keeps the elements that the closure wants.
            mutating func filter(_ isWanted: (Identity, Int) -> Bool) {
                elements = elements[first...].filter { isWanted($0.0, $0.1) }
                first = 0
            }

            mutating func append(_ element: (Identity, Int)) { elements.append(element) }

            mutating func popFirst() -> (Identity, Int)? {
                guard !isEmpty else { return nil }
                let element = elements[first]
                first += 1
                if first > 32, first * 2 > elements.count {
                    elements.removeFirst(first)
                    first = 0
                }
                return element
            }
        }

        /// The earliest turn first.
        private struct Heap {
            private var turns: [Turn] = []

            var count: Int { turns.count }

            mutating func insert(_ turn: Turn) {
                turns.append(turn)
                var child = turns.count - 1
                while child > 0, case let parent = (child - 1) / 2, turns[child].precedes(turns[parent]) {
                    turns.swapAt(child, parent)
                    child = parent
                }
            }

            mutating func popFirst() -> Turn? {
                guard let first = turns.first, let last = turns.popLast() else { return nil }
                guard !turns.isEmpty else { return first }
                turns[0] = last
                var parent = 0
                while true {
                    var least = parent
                    for child in [2 * parent + 1, 2 * parent + 2]
                    where child < turns.count && turns[child].precedes(turns[least]) {
                        least = child
                    }
                    guard least != parent else { return first }
                    turns.swapAt(parent, least)
                    parent = least
                }
            }
        }
    }
}
