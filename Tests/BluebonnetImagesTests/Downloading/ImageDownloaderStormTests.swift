#if Images
    import Bluebonnet
    import Foundation
    import HTTPTypes
    import Synchronization
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(5)))
    struct ImageDownloaderStormTests {
        /// What became of the handlers of one URL.
        private struct Outcomes {
            var images = 0
            var cancellations = 0
            var others = 0
            /// The responses of which images came, each with its number.
            var responses: Set<String> = []
        }

        @Test(arguments: [ImageDownloader.Prioritization.firstInFirstOut, .lastInFirstOut])
        func `5000 requests for 500 URLs with random cancels each end once, and none is fetched twice`(
            prioritization: ImageDownloader.Prioritization
        ) async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("seed of the image downloads: \(seed)")
            var random = SeededGenerator(seed: seed)
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport) { $0.prioritization = prioritization }
            let calls = Mutex([Int](repeating: 0, count: 5000))
            let outcomes = Mutex([Int: Outcomes]())
            var receipts: [ImageDownloadReceipt] = []
            for number in 0..<5000 {
                let url = Int.random(in: 0..<500, using: &random)
                let receipt = downloader.downloadImage(for: .path("\(url)")) { image in
                    calls.withLock { $0[number] += 1 }
                    outcomes.withLock { outcomes in
                        outcomes[url, default: Outcomes()].images += 1
                        // Nil for one of the memory.
                        let response = image.response?.headerFields[.server]
                        if let response { outcomes[url, default: Outcomes()].responses.insert(response) }
                    }
                } failure: { error in
                    calls.withLock { $0[number] += 1 }
                    outcomes.withLock { outcomes in
                        if error.isCancelled {
                            outcomes[url, default: Outcomes()].cancellations += 1
                        } else {
                            outcomes[url, default: Outcomes()].others += 1
                        }
                    }
                }
                if let receipt { receipts.append(receipt) }
                guard Int.random(in: 0..<4, using: &random) == 0, let receipt = receipts.randomElement(using: &random)
                else { continue }
                if Bool.random(using: &random) {
                    downloader.cancel(receipt)
                } else {
                    downloader.setPriority(
                        RequestPriority(urgency: Int.random(in: 0..<8, using: &random)),
                        of: receipt
                    )
                }
            }
            try await until("all handlers were called") { calls.withLock { $0.allSatisfy { $0 > 0 } } }
            try await until("nothing is under way") { downloader.activeCount == 0 }
            #expect(calls.withLock { $0.allSatisfy { $0 == 1 } }, "seed \(seed)")
            #expect(downloader.receiptCount == 0)
            #expect(server.most <= 4, "seed \(seed)")
            let counts = server.counts
            for (url, outcome) in outcomes.withLock({ $0 }) {
                let count = counts["/\(url)", default: 0]
                #expect(outcome.others == 0, "seed \(seed)")
                if outcome.images > 0 { #expect(count >= 1, "seed \(seed)") }
                // All images of a URL are those of one response.
                #expect(outcome.responses.count <= 1, "seed \(seed)")
                // Only a transfer that all have left is begun another time, and brings nobody an
                // image.
                #expect(count <= 1 + outcome.cancellations, "seed \(seed)")
            }
        }

        @Test func `without cancels each of 500 URLs is fetched once`() async throws {
            let server = ImageServer(isOpen: false)
            let downloader = ImageDownloader.testing(server.transport)
            let count = Counter()
            for number in 0..<5000 {
                downloader.downloadImage(for: .path("\(number % 500)"), success: { _ in count.increment() })
            }
            #expect(downloader.activeCount == 4)
            server.gate.open()
            try await until("all") { count.value == 5000 }
            #expect(server.counts.count == 500)
            #expect(server.counts.values.allSatisfy { $0 == 1 })
            #expect(server.most <= 4)
        }

        @Test func `awaited images under random cancels all come back`() async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("seed of the awaited images: \(seed)")
            let server = ImageServer()
            let downloader = ImageDownloader.testing(server.transport)
            let ended = Counter()
            await withTaskGroup { group in
                var random = SeededGenerator(seed: seed)
                for _ in 0..<1000 {
                    let (url, isCancelled) = (Int.random(in: 0..<50, using: &random), Bool.random(using: &random))
                    group.addTask {
                        let task = Task { try await downloader.image(for: .path("\(url)")) }
                        if isCancelled { task.cancel() }
                        let result = await task.result
                        if case .failure(let error) = result {
                            #expect((error as? NetworkingError)?.isCancelled == true, "seed \(seed)")
                        }
                        ended.increment()
                    }
                }
            }
            #expect(ended.value == 1000)
            #expect(server.most <= 4)
            try await until("nothing is under way") { downloader.activeCount == 0 }
        }
    }
#endif
