#if Images
    import Synchronization

    /// Images that are downloaded before they are wanted.
    ///
    /// It goes on when nobody keeps it. No counterpart in AFNetworking.
    public final class ImagePrefetch: Sendable {
        private struct State {
            var receipts: Set<Int>
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private weak let core: ImageDownloader.Core?
        private let state: Mutex<State>

        init(_ core: ImageDownloader.Core, _ receipts: [Int]) {
            self.core = core
            state = Mutex(State(receipts: Set(receipts)))
        }

        /// The number of images that are not here yet.
        public var remainingCount: Int { state.withLock { $0.receipts.count } }

        /// Downloads none of the images that are not here yet, unless somebody else wants them.
        public func cancel() {
            for receipt in state.withLock({ $0.receipts }).sorted(by: >) { core?.cancel(receipt) }
        }

        /// Returns when all images are here, have failed or were cancelled.
        public func finish() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.receipts.isEmpty { state.waiting.append(continuation) }
                    return state.receipts.isEmpty
                }
                if isOver { continuation.resume() }
            }
        }

        func ended(_ receipt: Int) {
            let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.receipts.remove(receipt)
                guard state.receipts.isEmpty else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }
#endif
