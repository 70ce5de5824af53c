#if Images
    import Testing

    @testable import BluebonnetImages

    @Suite struct ImageDownloaderStateMachineTests {
        private typealias Machine = ImageDownloader.StateMachine

        private func machine(
            _ maximum: Int = 4,
            _ prioritization: ImageDownloader.Prioritization = .firstInFirstOut
        ) -> Machine {
            Machine(maximum: maximum, prioritization: prioritization)
        }

        /// The keys of the transfers that begin, one after the other.
        private func order(_ machine: inout Machine) -> [String] {
            var keys: [String] = []
            while let transfer = machine.next() {
                keys.append(machine.key(of: transfer) ?? "")
                _ = machine.fail(transfer)
            }
            return keys
        }

        @Test func `four transfers run, and the next begins when one ends`() {
            var machine = machine()
            for number in 1...6 { _ = machine.add(number, for: "\(number)", urgency: 3) }
            let begun = (0..<4).compactMap { _ in machine.next() }
            #expect(begun.count == 4)
            #expect(machine.next() == nil)
            #expect(machine.waitingCount == 2)
            #expect(machine.finish([1], of: begun[0]) == [1])
            #expect(machine.end(begun[0]) == true)
            #expect(machine.next() != nil)
            #expect(machine.next() == nil)
        }

        @Test func `receipts of one key share a transfer, in their order`() {
            var machine = machine()
            #expect(machine.add(1, for: "a", urgency: 3) == .began(1))
            #expect(machine.add(2, for: "b", urgency: 3) == .began(2))
            #expect(machine.add(3, for: "a", urgency: 3) == .joined(1))
            #expect(machine.receipts(of: 1) == [1, 3])
            #expect(machine.next() == 1)
            #expect(machine.add(4, for: "a", urgency: 3) == .joined(1))
            #expect(machine.fail(1) == [1, 3, 4])
            #expect(machine.add(5, for: "a", urgency: 3) == .began(3))
        }

        @Test func `the order is that of coming, or the newest first`() {
            for (prioritization, keys) in [
                (ImageDownloader.Prioritization.firstInFirstOut, ["1", "2", "3", "4"]),
                (.lastInFirstOut, ["4", "3", "2", "1"]),
            ] {
                var machine = machine(1, prioritization)
                for number in 1...4 { _ = machine.add(number, for: "\(number)", urgency: 3) }
                #expect(order(&machine) == keys)
            }
        }

        @Test func `the most urgent come first, and an urgency may change`() {
            var machine = machine(1)
            for (number, urgency) in [7, 3, 1, 3].enumerated() {
                _ = machine.add(number, for: "\(number)", urgency: urgency)
            }
            #expect(machine.setUrgency(0, of: 0) == 1)
            #expect(machine.setUrgency(0, of: 0) == nil)
            #expect(machine.setUrgency(9, of: 2) == 3)
            #expect(machine.setUrgency(0, of: 8) == nil)
            #expect(order(&machine) == ["0", "1", "3", "2"])
        }

        @Test func `a transfer has the urgency of its most urgent receipt`() {
            var machine = machine()
            _ = machine.add(1, for: "a", urgency: 7)
            #expect(machine.next() == 1)
            _ = machine.add(2, for: "a", urgency: 2)
            #expect(machine.urgency(of: 1) == 2)
            #expect(machine.cancel(2) == .removed)
            #expect(machine.urgency(of: 1) == 7)
        }

        @Test func `cancelling one of many leaves the transfer to the others`() {
            var machine = machine()
            for number in 1...3 { _ = machine.add(number, for: "a", urgency: 3) }
            #expect(machine.next() == 1)
            #expect(machine.cancel(2) == .removed)
            #expect(machine.cancel(2) == .unknown)
            #expect(machine.finish([1, 2, 3], of: 1) == [1, 3])
            #expect(machine.end(1) == true)
        }

        @Test func `a transfer that nobody wants keeps its place until it is over`() {
            var machine = machine(1)
            _ = machine.add(1, for: "a", urgency: 3)
            #expect(machine.next() == 1)
            #expect(machine.cancel(1) == .stops(1))
            #expect(machine.add(2, for: "a", urgency: 3) == .began(2))
            #expect(machine.next() == nil)
            #expect(machine.fail(1).isEmpty)
            #expect(machine.next() == 2)
            #expect(machine.add(3, for: "a", urgency: 3) == .joined(2))
        }

        @Test func `one that is cancelled while it waits never begins and takes no place`() {
            var machine = machine(1)
            for number in 1...3 { _ = machine.add(number, for: "\(number)", urgency: 3) }
            #expect(machine.cancel(2) == .removed)
            #expect(order(&machine) == ["1", "3"])
            #expect(machine.running.isEmpty)
        }

        @Test func `who joins a transfer at its end still gets its value`() {
            var machine = machine()
            _ = machine.add(1, for: "a", urgency: 3)
            #expect(machine.next() == 1)
            #expect(machine.finish([1], of: 1) == [1])
            #expect(machine.add(2, for: "a", urgency: 3) == .joined(1))
            #expect(machine.end(1) == false)
            #expect(machine.finish([2], of: 1) == [2])
            #expect(machine.end(1) == true)
        }

        @Test func `cancelling and moving does not fill the lines`() {
            var machine = machine(1)
            for number in 0..<10_000 {
                _ = machine.add(number, for: "\(number)", urgency: number % 8)
                _ = machine.setUrgency(number % 7, of: number)
                _ = machine.cancel(number)
            }
            #expect(machine.placeCount <= 8 * 65)
            #expect(machine.waitingCount == 0)
        }

        @Test(arguments: 0..<20 as Range<UInt64>, [ImageDownloader.Prioritization.firstInFirstOut, .lastInFirstOut])
        func `whatever happens, each receipt ends once and no more than four run`(
            seed: UInt64,
            prioritization: ImageDownloader.Prioritization
        ) {
            var random = SeededGenerator(seed: seed)
            var machine = machine(4, prioritization)
            var (open, ended, lastReceipt) = (Set<Int>(), Set<Int>(), 0)
            func end(_ receipts: [Int]) {
                for receipt in receipts {
                    #expect(ended.insert(receipt).inserted, "seed \(seed)")
                    open.remove(receipt)
                }
            }
            for _ in 0..<3000 {
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1:
                    lastReceipt += 1
                    open.insert(lastReceipt)
                    let key = "\(Int.random(in: 0..<40, using: &random))"
                    _ = machine.add(lastReceipt, for: key, urgency: Int.random(in: 0..<8, using: &random))
                case 2:
                    guard let receipt = open.sorted().randomElement(using: &random) else { continue }
                    #expect(machine.cancel(receipt) != .unknown, "seed \(seed)")
                    end([receipt])
                case 3:
                    guard let receipt = open.sorted().randomElement(using: &random) else { continue }
                    _ = machine.setUrgency(Int.random(in: 0..<8, using: &random), of: receipt)
                case 4:
                    guard let transfer = machine.running.sorted().randomElement(using: &random) else { continue }
                    end(machine.fail(transfer))
                case 5:
                    guard let transfer = machine.running.sorted().randomElement(using: &random) else { continue }
                    end(machine.finish(machine.receipts(of: transfer), of: transfer))
                    #expect(machine.end(transfer) == true)
                default: _ = machine.next()
                }
                #expect(machine.running.count <= 4)
                #expect(machine.receiptCount == open.count, "seed \(seed)")
            }
            while true {
                while machine.next() != nil {}
                guard let transfer = machine.running.first else { break }
                end(machine.fail(transfer))
            }
            #expect(open.isEmpty)
            #expect(ended.count == lastReceipt)
            #expect(machine.waitingCount == 0)
        }
    }
#endif
