#if Images
    import Testing

    @testable import BluebonnetImages

    @Suite struct PurgingTableTests {
        private func table(_ costs: Int...) -> PurgingTable<Int> {
            var table = PurgingTable<Int>(capacity: 100, preferredCost: 60)
            for (number, cost) in costs.enumerated() { _ = table.add(number, for: "\(number)", cost: cost) }
            return table
        }

        @Test func `what fits exactly stays`() {
            let table = table(50, 50)
            #expect(table.cost == 100)
            #expect(table.keys == ["1", "0"])
        }

        @Test func `beyond the capacity the oldest go until the preferred cost is left`() {
            var table = table(30, 30, 30)
            #expect(table.add(3, for: "3", cost: 11) == [0, 1])
            #expect(table.cost == 41)
            #expect(table.keys == ["3", "2"])
        }

        @Test func `a value that was read stays longer`() {
            var table = table(30, 30, 30)
            #expect(table.value(for: "0") == 0)
            #expect(table.value(for: "9") == nil)
            #expect(table.add(3, for: "3", cost: 20) == [1, 2])
            #expect(table.keys == ["3", "0"])
        }

        @Test func `a value in place of another one costs once`() {
            var table = table(30, 30)
            #expect(table.add(7, for: "0", cost: 10) == [0])
            #expect(table.cost == 40)
            #expect(table.keys == ["0", "1"])
            #expect(table.remove("0") == 7)
            #expect(table.remove("0") == nil)
            #expect(table.cost == 30)
        }

        @Test func `a value beyond the capacity does not stay`() {
            var table = table(10)
            #expect(table.add(1, for: "1", cost: 101) == [0, 1])
            #expect(table.count == 0)
            #expect(table.cost == 0)
            #expect(table.add(2, for: "2", cost: 5).isEmpty)
            #expect(table.keys == ["2"])
        }

        @Test func `removing all leaves an empty table of the same capacity`() {
            var table = table(30, 30)
            #expect(table.removeAll().count == 2)
            #expect(table.count == 0)
            #expect(table.cost == 0)
            #expect(table.capacity == 100)
            #expect(PurgingTable<Int>(capacity: 10, preferredCost: 60).preferredCost == 10)
        }

        @Test(arguments: 0..<10 as Range<UInt64>)
        func `it does the same as a simple list`(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            var table = PurgingTable<Int>(capacity: 100, preferredCost: 60)
            var list: [(key: String, value: Int, cost: Int)] = []
            for step in 0..<2000 {
                let key = "\(Int.random(in: 0..<20, using: &random))"
                let place = list.firstIndex { $0.key == key }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    #expect(table.remove(key) == place.map { list.remove(at: $0).value }, "seed \(seed)")
                case 1:
                    let found = place.map { list.remove(at: $0) }
                    if let found { list.append(found) }
                    #expect(table.value(for: key) == found?.value, "seed \(seed)")
                default:
                    let cost = Int.random(in: 0..<40, using: &random)
                    if let place { list.remove(at: place) }
                    list.append((key, step, cost))
                    if list.reduce(0, { $0 + $1.cost }) > 100 {
                        while list.reduce(0, { $0 + $1.cost }) > 60 { list.removeFirst() }
                    }
                    _ = table.add(step, for: key, cost: cost)
                }
                #expect(table.keys == list.reversed().map(\.key), "seed \(seed)")
                #expect(table.cost == list.reduce(0) { $0 + $1.cost }, "seed \(seed)")
            }
        }
    }
#endif
