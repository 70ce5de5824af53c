#if Images
    extension ImageDownloader {
        /// Which transfers run, which wait, and who gets what they bring: a value without input and
        /// output.
        ///
        /// A transfer is `waiting`, then `running`, then over. Several receipts share one transfer
        /// of a key. A transfer without receipts is dropped: one that waits at once; one that runs
        /// is `abandoned`: nobody joins it any more, and it has its place until it is over. Places
        /// are the size of a set, and cannot be miscounted.
        struct StateMachine {
            /// The number of a transfer.
            typealias Transfer = Int
            /// The number of a receipt.
            typealias Receipt = Int

            private struct Entry {
                let key: String
                var receipts: Set<Receipt> = []
                /// The number of receipts of each urgency.
                var counts = [Int](repeating: 0, count: 8)
                var urgency: Int
                /// Its place in the line of its urgency; another one is void. 0 while it runs.
                var ticket = 0
            }

            /// What comes of a receipt that is added.
            enum Addition: Equatable {
                /// It has a transfer of its own, which waits.
                case began(Transfer)
                /// It shares one, whose urgency may have changed.
                case joined(Transfer)
            }

            /// What comes of a receipt that is cancelled.
            enum Cancellation: Equatable {
                /// It is over, or was never added.
                case unknown
                /// Others want the transfer, or it had not begun: nothing is to be done.
                case removed
                /// Nobody wants the transfer, which runs, and is to be stopped.
                case stops(Transfer)
            }

            let maximum: Int
            let prioritization: Prioritization
            private var entries: [Transfer: Entry] = [:]
            /// The transfers that can be joined.
            private var transfers: [String: Transfer] = [:]
            private var owners: [Receipt: Transfer] = [:]
            private var urgencies: [Receipt: Int] = [:]
            private(set) var running: Set<Transfer> = []
            /// One for each urgency.
            private var lines = [Line](repeating: Line(), count: 8)
            private var lastTransfer = 0
            private var lastTicket = 0

            init(maximum: Int, prioritization: Prioritization) {
                self.maximum = max(1, maximum)
                self.prioritization = prioritization
            }

            /// The number of receipts that are not over.
            var receiptCount: Int { owners.count }

            /// The number of transfers that wait.
            var waitingCount: Int { entries.count - running.count }

            /// The places in lines, void ones too, for tests.
            var placeCount: Int { lines.reduce(0) { $0 + $1.count } }

            func key(of transfer: Transfer) -> String? { entries[transfer]?.key }

            func urgency(of transfer: Transfer) -> Int? { entries[transfer]?.urgency }

            func transfer(of receipt: Receipt) -> Transfer? { owners[receipt] }

            /// The receipts of a transfer, in the order in which they were added.
            func receipts(of transfer: Transfer) -> [Receipt] { entries[transfer]?.receipts.sorted() ?? [] }

            /// Adds a receipt for a key. Its number is greater than those before.
            mutating func add(_ receipt: Receipt, for key: String, urgency: Int) -> Addition {
                let urgency = min(max(urgency, 0), 7)
                let known = transfers[key]
                let transfer = known ?? lastTransfer + 1
                if known == nil {
                    lastTransfer = transfer
                    transfers[key] = transfer
                    entries[transfer] = Entry(key: key, urgency: urgency)
                    lineUp(transfer)
                }
                owners[receipt] = transfer
                urgencies[receipt] = urgency
                entries[transfer]?.receipts.insert(receipt)
                entries[transfer]?.counts[urgency] += 1
                updateUrgency(of: transfer)
                return known == nil ? .began(transfer) : .joined(transfer)
            }

            /// Changes the urgency of a receipt. A transfer has that of its most urgent one.
            ///
            /// - Returns: The transfer where its urgency has changed.
            mutating func setUrgency(_ urgency: Int, of receipt: Receipt) -> Transfer? {
                guard let transfer = owners[receipt], let earlier = urgencies[receipt] else { return nil }
                let urgency = min(max(urgency, 0), 7)
                urgencies[receipt] = urgency
                entries[transfer]?.counts[earlier] -= 1
                entries[transfer]?.counts[urgency] += 1
                return updateUrgency(of: transfer) ? transfer : nil
            }

            /// Takes the transfer that begins now; nil where none may, or none waits.
            mutating func next() -> Transfer? {
                guard running.count < maximum else { return nil }
                for urgency in lines.indices {
                    while let place = lines[urgency].pop(last: prioritization == .lastInFirstOut) {
                        guard entries[place.transfer]?.ticket == place.ticket else { continue }
                        entries[place.transfer]?.ticket = 0
                        running.insert(place.transfer)
                        return place.transfer
                    }
                }
                return nil
            }

            /// Removes a receipt, which gets nothing more.
            mutating func cancel(_ receipt: Receipt) -> Cancellation {
                guard let transfer = remove(receipt) else { return .unknown }
                guard let entry = entries[transfer], entry.receipts.isEmpty else {
                    updateUrgency(of: transfer)
                    return .removed
                }
                // Its key begins anew with the next receipt.
                transfers[entry.key] = nil
                guard !running.contains(transfer) else { return .stops(transfer) }
                entries[transfer] = nil
                compact(entry.urgency)
                return .removed
            }

            /// Removes receipts that have what they wanted.
            ///
            /// - Returns: Those of them that had not been cancelled.
            mutating func finish(_ receipts: [Receipt], of transfer: Transfer) -> [Receipt] {
                let finished = receipts.filter { owners[$0] == transfer }
                for receipt in finished { _ = remove(receipt) }
                return finished
            }

            /// Ends a transfer to which no receipt belongs any more.
            ///
            /// - Returns: False where somebody has joined it meanwhile, who wants its value.
            mutating func end(_ transfer: Transfer) -> Bool {
                guard let entry = entries[transfer] else { return true }
                guard entry.receipts.isEmpty else { return false }
                drop(transfer)
                return true
            }

            /// Ends a transfer that has failed.
            ///
            /// - Returns: The receipts that belong to it.
            mutating func fail(_ transfer: Transfer) -> [Receipt] {
                let receipts = receipts(of: transfer)
                for receipt in receipts { _ = remove(receipt) }
                drop(transfer)
                return receipts
            }

            // MARK: Lines

            private mutating func remove(_ receipt: Receipt) -> Transfer? {
                guard let transfer = owners.removeValue(forKey: receipt) else { return nil }
                entries[transfer]?.receipts.remove(receipt)
                if let urgency = urgencies.removeValue(forKey: receipt) { entries[transfer]?.counts[urgency] -= 1 }
                return transfer
            }

            private mutating func drop(_ transfer: Transfer) {
                guard let entry = entries.removeValue(forKey: transfer) else { return }
                running.remove(transfer)
                // One that was abandoned may have a successor.
                if transfers[entry.key] == transfer { transfers[entry.key] = nil }
            }

            @discardableResult
            private mutating func updateUrgency(of transfer: Transfer) -> Bool {
                guard let entry = entries[transfer], let urgency = entry.counts.firstIndex(where: { $0 > 0 }),
                    urgency != entry.urgency
                else { return false }
                entries[transfer]?.urgency = urgency
                guard !running.contains(transfer) else { return true }
                lineUp(transfer)
                compact(entry.urgency)
                return true
            }

            private mutating func lineUp(_ transfer: Transfer) {
                guard let urgency = entries[transfer]?.urgency else { return }
                lastTicket += 1
                entries[transfer]?.ticket = lastTicket
                lines[urgency].append(Place(transfer: transfer, ticket: lastTicket))
            }

            /// Removes void places where they are the most: cancelling does not fill memory.
            private mutating func compact(_ urgency: Int) {
                guard lines[urgency].count > 2 * waitingCount + 64 else { return }
                lines[urgency].filter { entries[$0.transfer]?.ticket == $0.ticket }
            }

            private struct Place {
                let transfer: Transfer
                let ticket: Int
            }

            private struct Line {
                private var places: [Place] = []
                private var first = 0

                var count: Int { places.count - first }

                mutating func append(_ place: Place) { places.append(place) }

                mutating func pop(last: Bool) -> Place? {
                    guard count > 0 else { return nil }
                    guard !last else { return places.popLast() }
                    defer {
                        first += 1
                        if first > 32, first * 2 > places.count {
                            places.removeFirst(first)
                            first = 0
                        }
                    }
                    return places[first]
                }

                mutating func filter(_ isWanted: (Place) -> Bool) {
                    places = places[first...].filter(isWanted)
                    first = 0
                }
            }
        }
    }
#endif
