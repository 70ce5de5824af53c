import Testing

@testable import Bluebonnet

/// The order in which a queue starts its tasks, as a value.
@Suite struct TaskQueueStateMachineTests {
    /// A state machine that expectations can ask.
    private final class Machine {
        var value: TaskQueue.StateMachine<Int>

        init(_ maximum: Int, perHost: Int = .max) {
            value = TaskQueue.StateMachine(maximum: maximum, maximumPerHost: perHost)
        }

        func add(_ task: Int, host: String, urgency: Int, after dependencies: Set<Int> = []) {
            value.add(task, host: host, urgency: urgency, after: dependencies)
        }

        func ended(_ task: Int) { value.ended(task) }

        func next() -> Int? { value.next() }

        /// Starts all that may start now.
        func started() -> [Int] {
            var started: [Int] = []
            while let next = value.next() { started.append(next) }
            return started
        }

        /// Ends one task after the other, in the order in which they started, until all are over.
        func order() -> [Int] {
            var order = started()
            var ended = 0
            while ended < order.count {
                value.ended(order[ended])
                ended += 1
                order += started()
            }
            return order
        }
    }

    @Test func `tasks of one host start in their order, as many as may run at once`() {
        let machine = Machine(2)
        for number in 1...5 { machine.add(number, host: "a", urgency: 3) }
        #expect(machine.started() == [1, 2] && machine.value.runningCount == 2)
        machine.ended(2)
        #expect(machine.started() == [3])
        machine.ended(1)
        machine.ended(3)
        #expect(machine.started() == [4, 5] && machine.value.count == 2)
    }

    @Test func `the lowest urgency number comes first`() {
        let machine = Machine(1)
        for (number, urgency) in [(1, 3), (2, 7), (3, 1), (4, 3), (5, 0)] {
            machine.add(number, host: "a", urgency: urgency)
        }
        #expect(machine.order() == [5, 3, 1, 4, 2])
    }

    @Test func `hosts take turns, whoever has more tasks`() {
        let machine = Machine(1)
        for number in 1...4 { machine.add(number, host: "a", urgency: 3) }
        machine.add(10, host: "b", urgency: 3)
        machine.add(20, host: "c", urgency: 3)
        machine.add(11, host: "b", urgency: 3)
        #expect(machine.order() == [1, 10, 20, 2, 11, 3, 4])
    }

    @Test func `the host with the fewest running tasks is next`() {
        let machine = Machine(4)
        for number in 1...10 { machine.add(number, host: "a", urgency: 3) }
        #expect(machine.started() == [1, 2, 3, 4])
        for number in 11...14 { machine.add(number, host: "b", urgency: 3) }
        machine.ended(1)
        #expect(machine.started() == [11])
        machine.ended(2)
        // Of a two run and of b one.
        #expect(machine.started() == [12])
        machine.ended(11)
        machine.ended(12)
        #expect(machine.started() == [13, 14])
    }

    @Test func `tasks of several urgencies share their host's number of running tasks`() {
        let machine = Machine(2)
        machine.add(1, host: "a", urgency: 1)
        machine.add(2, host: "a", urgency: 3)
        machine.add(3, host: "b", urgency: 3)
        #expect(machine.started() == [1, 3])
    }

    @Test func `a host has no more running tasks than it may`() {
        let machine = Machine(4, perHost: 1)
        for number in 1...3 { machine.add(number, host: "a", urgency: 3) }
        machine.add(4, host: "b", urgency: 3)
        #expect(machine.started() == [1, 4])
        machine.ended(4)
        #expect(machine.started().isEmpty)
        machine.ended(1)
        #expect(machine.started() == [2])
        machine.add(5, host: "b", urgency: 7)
        #expect(machine.started() == [5])
        machine.ended(2)
        #expect(machine.started() == [3])
    }

    @Test func `a task starts after those that it waits for, in the queue or elsewhere`() {
        let machine = Machine(4)
        machine.add(1, host: "a", urgency: 3)
        machine.add(2, host: "a", urgency: 0, after: [1, 100])
        machine.add(3, host: "a", urgency: 3, after: [2])
        #expect(machine.started() == [1])
        machine.ended(1)
        #expect(machine.started().isEmpty)
        machine.ended(100)
        #expect(machine.started() == [2])
        // It fails or is cancelled.
        machine.ended(2)
        #expect(machine.started() == [3])
    }

    @Test func `a task that ends while it waits lets those start that wait for it`() {
        let machine = Machine(1)
        machine.add(1, host: "a", urgency: 3)
        machine.add(2, host: "a", urgency: 3)
        machine.add(3, host: "a", urgency: 3, after: [2])
        #expect(machine.started() == [1])
        machine.ended(2)
        machine.ended(1)
        #expect(machine.started() == [3] && machine.value.count == 1)
    }

    @Test func `a circle of tasks that wait for each other is seen`() {
        let machine = Machine(1)
        machine.add(1, host: "a", urgency: 3, after: [2])
        machine.add(2, host: "a", urgency: 3, after: [3])
        #expect(machine.value.waits(1, for: 3) && machine.value.waits(1, for: 2) && !machine.value.waits(2, for: 1))
        #expect(!machine.value.waits(3, for: 1))
    }

    @Test func `a changed urgency moves a waiting task, and no started one`() {
        let machine = Machine(1)
        for number in 1...4 { machine.add(number, host: "a", urgency: 3) }
        #expect(machine.next() == 1)
        machine.value.setUrgency(7, of: 2)
        machine.value.setUrgency(0, of: 4)
        machine.value.setUrgency(0, of: 1)
        machine.value.setUrgency(0, of: 99)
        machine.ended(1)
        #expect(machine.order() == [4, 3, 2] && machine.value.count == 0 && machine.value.runningCount == 0)
    }

    @Test func `a task that is moved there and back starts once`() {
        let machine = Machine(1)
        for number in 1...3 { machine.add(number, host: "a", urgency: 3) }
        machine.value.setUrgency(1, of: 2)
        machine.value.setUrgency(3, of: 2)
        #expect(machine.order() == [1, 3, 2] && machine.value.runningCount == 0)
    }

    @Test func `a task that is added twice or ends twice counts once`() {
        let machine = Machine(2)
        machine.add(1, host: "a", urgency: 3)
        machine.add(1, host: "a", urgency: 3)
        #expect(machine.started() == [1])
        machine.ended(1)
        machine.ended(1)
        #expect(machine.value.runningCount == 0 && machine.value.count == 0)
    }

    @Test func `a task that waits can be told to wait for more, and one that runs cannot`() {
        let machine = Machine(1)
        machine.add(1, host: "a", urgency: 3)
        machine.add(2, host: "a", urgency: 3)
        machine.add(1, host: "a", urgency: 3, after: [100])
        #expect(machine.started() == [2])
        machine.add(2, host: "a", urgency: 3, after: [100])
        machine.ended(2)
        #expect(machine.started() == [])
        machine.ended(100)
        #expect(machine.started() == [1])
    }

    @Test func `an identity that is used again has nothing of the task before it`() {
        let machine = Machine(2, perHost: 1)
        machine.add(0, host: "a", urgency: 3)
        #expect(machine.next() == 0)
        machine.add(9, host: "a", urgency: 3, after: [5])
        machine.ended(9)
        machine.add(9, host: "a", urgency: 3)
        machine.ended(9)
        machine.add(9, host: "b", urgency: 3, after: [6])
        machine.ended(5)
        machine.ended(0)
        #expect(machine.next() == nil)
        machine.ended(6)
        #expect(machine.next() == 9 && machine.value.runningCount == 1)
        machine.add(1, host: "a", urgency: 3)
        #expect(machine.next() == 1)
    }

    @Test func `void turns are thrown away`() {
        let machine = Machine(1)
        machine.add(0, host: "a", urgency: 7)
        for number in 1...10_000 {
            machine.add(number, host: "a", urgency: 0)
            #expect(machine.next() == number)
            machine.ended(number)
        }
        #expect(machine.value.turnCount < 200)
        #expect(machine.next() == 0)
    }

    @Test func `tasks that are cancelled or moved while they wait leave no place behind`() {
        let machine = Machine(1)
        machine.add(0, host: "a", urgency: 0)
        #expect(machine.next() == 0)
        machine.add(1, host: "a", urgency: 3)
        machine.add(2, host: "a", urgency: 3)
        for number in 3...10_000 {
            machine.add(number, host: number % 2 == 0 ? "a" : "host \(number)", urgency: 3)
            machine.value.setUrgency(number % 8, of: 2)
            machine.ended(number)
        }
        #expect(machine.value.placeCount < 200 && machine.value.turnCount < 1000)
        machine.value.setUrgency(3, of: 2)
        machine.add(3, host: "a", urgency: 3)
        machine.add(1, host: "a", urgency: 3, after: [3])
        machine.ended(0)
        #expect(machine.order() == [2, 3, 1])
        #expect(machine.value.placeCount == 0)
    }

    @Test func `a long chain of tasks costs no more than its length`() {
        let machine = Machine(1)
        machine.add(0, host: "a", urgency: 3)
        for number in 1..<20_000 {
            #expect(!machine.value.waits(number - 1, for: number))
            machine.add(number, host: "a", urgency: 3, after: [number - 1])
        }
        #expect(machine.order() == Array(0..<20_000))
    }

    @Test(arguments: [UInt64](1...40)) func `random tasks start once each, never too many, and none is left`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let maximum = Int.random(in: 1...5, using: &generator)
        let perHost = Int.random(in: 1...3, using: &generator)
        let machine = Machine(maximum, perHost: perHost)
        var hosts: [Int: String] = [:]
        var (running, seen, over) = (Set<Int>(), Set<Int>(), Set<Int>())
        var awaited: [Int: Set<Int>] = [:]
        for step in 0..<600 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                guard step < 400 else { break }
                let host = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                let earlier = Array(hosts.keys)
                let dependencies = Set((0..<2).compactMap { _ in earlier.randomElement(using: &generator) })
                    .subtracting(over)
                let isDependent = Int.random(in: 0..<4, using: &generator) == 0
                hosts[step] = host
                awaited[step] = isDependent ? dependencies : []
                machine.add(
                    step,
                    host: host,
                    urgency: Int.random(in: 0...7, using: &generator),
                    after: awaited[step] ?? []
                )
            case 2:
                if let number = hosts.keys.randomElement(using: &generator) {
                    machine.value.setUrgency(Int.random(in: 0...7, using: &generator), of: number)
                }
            case 3:
                // Any may be cancelled.
                guard let number = hosts.keys.filter({ !over.contains($0) }).randomElement(using: &generator),
                    running.contains(number) || Int.random(in: 0..<4, using: &generator) == 0
                else { break }
                machine.ended(number)
                running.remove(number)
                over.insert(number)
            default:
                while let number = machine.next() {
                    #expect(seen.insert(number).inserted && !over.contains(number))
                    #expect(awaited[number]?.isSubset(of: over) == true)
                    running.insert(number)
                }
            }
            #expect(machine.value.runningCount == running.count && running.count <= maximum)
            for host in ["a", "b", "c"] { #expect(running.count { hosts[$0] == host } <= perHost) }
        }
        while let number = running.popFirst() ?? machine.next() {
            machine.ended(number)
            over.insert(number)
            while let next = machine.next() { running.insert(next) }
        }
        #expect(over.count == hosts.count && machine.value.count == 0, "seed \(seed)")
    }
}
