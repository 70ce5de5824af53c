#if Images
    import Bluebonnet
    import FoundationEssentials
    import Synchronization

    extension ImageDownloader {
        /// Makes an image of bytes, within a size where one is given.
        typealias Decode = @Sendable (Data, ImageSize?) async throws(ImageDecodingError) -> Image

        /// Somebody who waits for an image.
        struct Handler: Sendable {
            let request: ImageRequest
            let progress: (@Sendable (TaskProgress) -> Void)?
            /// Gets the parts of the image while it comes.
            let part: (@Sendable (Image) -> Void)?
            /// Called once, and outside of locks.
            let complete: @Sendable (Result<DownloadedImage, NetworkingError>) -> Void
        }

        /// The part of a downloader that its transfers keep alive, not the downloader itself.
        final class Core: Sendable {
            fileprivate struct State {
                var machine: StateMachine
                var handlers: [Int: Handler] = [:]
                /// The first request of each transfer, which is sent.
                var requests: [Int: ImageRequest] = [:]
                var tasks: [Int: DataTask<Data>] = [:]
                var isOver = false
            }

            let session: SessionManager
            let cache: (any ImageCache)?
            let decode: Decode
            /// The decoder of parts.
            let decoder: ImageDecoder
            /// The responses that are accepted.
            let validation: ResponseValidation
            private let state: Mutex<State>
            private let partials: Mutex<PurgingTable<PartialBody>>

            init(
                session: SessionManager,
                cache: (any ImageCache)?,
                configuration: Configuration,
                decode: @escaping Decode
            ) {
                self.session = session
                self.cache = cache
                self.decode = decode
                decoder = configuration.decoder
                validation = configuration.validation
                let machine = StateMachine(
                    maximum: configuration.maximumActiveDownloads,
                    prioritization: configuration.prioritization
                )
                state = Mutex(State(machine: machine))
                let limit = configuration.maximumPartialBytes
                partials = Mutex(PurgingTable(capacity: limit, preferredCost: limit))
            }

            var counts: (receipts: Int, running: Int) {
                state.withLock { ($0.machine.receiptCount, $0.machine.running.count) }
            }

            func cached(_ request: ImageRequest) -> Image? {
                guard request.readsCache, let cache else { return nil }
                return cache.image(for: request.identifier(in: cache, request.additionalIdentifier))
            }

            // MARK: Receipts

            func add(_ receipt: Int, _ handler: Handler) {
                let isOver = state.withLock { state in
                    guard !state.isOver else { return true }
                    state.handlers[receipt] = handler
                    let request = handler.request
                    switch state.machine.add(receipt, for: request.transferKey, urgency: request.urgency) {
                    case .began(let transfer): state.requests[transfer] = request
                    case .joined(let transfer): state.updatePriority(of: transfer)
                    }
                    return false
                }
                if isOver { return handler.complete(.failure(Self.cancelled(handler.request))) }
                begin()
            }

            func cancel(_ receipt: Int) {
                let (handler, task) = state.withLock { state -> (Handler?, DataTask<Data>?) in
                    let transfer = state.machine.transfer(of: receipt)
                    let cancellation = state.machine.cancel(receipt)
                    if let transfer, state.machine.key(of: transfer) == nil { state.requests[transfer] = nil }
                    let handler = state.handlers.removeValue(forKey: receipt)
                    guard case .stops(let transfer) = cancellation else {
                        // That of the others may be lower.
                        if let transfer { state.updatePriority(of: transfer) }
                        return (handler, nil)
                    }
                    return (handler, state.tasks[transfer])
                }
                if let handler { handler.complete(.failure(Self.cancelled(handler.request))) }
                task?.cancel()
            }

            func setPriority(_ priority: RequestPriority, of receipt: Int) {
                state.withLock { state in
                    guard let transfer = state.machine.setUrgency(priority.urgency, of: receipt) else { return }
                    state.updatePriority(of: transfer)
                }
            }

            /// Fails all who wait, and stops the transfers.
            func end() {
                let (handlers, tasks) = state.withLock { state -> ([Handler], [DataTask<Data>]) in
                    state.isOver = true
                    for receipt in state.handlers.keys { _ = state.machine.cancel(receipt) }
                    let handlers = state.handlers.sorted { $0.key < $1.key }.map(\.value)
                    state.handlers = [:]
                    return (handlers, Array(state.tasks.values))
                }
                for handler in handlers { handler.complete(.failure(Self.cancelled(handler.request))) }
                for task in tasks { task.cancel() }
            }

            private static func cancelled(_ request: ImageRequest) -> NetworkingError {
                let request = request.request
                return NetworkingError(
                    .cancelled,
                    "The image downloader cancelled the request: \(request).",
                    request: request
                )
            }

            // MARK: Transfers

            /// Begins the transfers for which there is a place.
            private func begin() {
                while let (transfer, request) = state.withLock({ state -> (Int, ImageRequest)? in
                    while let transfer = state.machine.next() {
                        if let request = state.requests[transfer] { return (transfer, request) }
                    }
                    return nil
                }) {
                    // It ends by itself: its task does when it is cancelled, and decoding does.
                    Task { await self.run(transfer, request) }
                }
            }

            private func run(_ transfer: Int, _ request: ImageRequest) async {
                var work = Work(self, transfer, request)
                while let wanted = next(of: transfer) {
                    do throws(NetworkingError) {
                        let image = try await work.image(for: wanted)
                        finish(transfer, wanted.additionalIdentifier) { handler in
                            let request = handler.request.request
                            return .success(DownloadedImage(image: image, request: request, response: work.head))
                        }
                    } catch {
                        // Who wants it in another way may still get it.
                        guard !work.hasFailed else {
                            fail(transfer, error)
                            break
                        }
                        finish(transfer, wanted.additionalIdentifier) { _ in .failure(error) }
                    }
                }
                state.withLock { state in
                    state.tasks[transfer] = nil
                    state.requests[transfer] = nil
                }
                begin()
            }

            /// What the first of those who wait for a transfer wants; nil where there is none, and
            /// the transfer has ended.
            private func next(of transfer: Int) -> ImageRequest? {
                state.withLock { state in
                    while true {
                        if let first = state.machine.receipts(of: transfer).first {
                            return state.handlers[first]?.request
                        }
                        if state.machine.end(transfer) { return nil }
                    }
                }
            }

            /// Hands over the result to all who want the same of a transfer.
            private func finish(
                _ transfer: Int,
                _ identifier: String?,
                _ result: (Handler) -> Result<DownloadedImage, NetworkingError>
            ) {
                let handlers = state.withLock { state -> [Handler] in
                    let receipts = state.machine.receipts(of: transfer).filter {
                        state.handlers[$0]?.request.additionalIdentifier == identifier
                    }
                    return state.machine.finish(receipts, of: transfer).compactMap {
                        state.handlers.removeValue(forKey: $0)
                    }
                }
                for handler in handlers { handler.complete(result(handler)) }
            }

            private func fail(_ transfer: Int, _ error: NetworkingError) {
                let handlers = state.withLock { state in
                    state.machine.fail(transfer).compactMap { state.handlers.removeValue(forKey: $0) }
                }
                for handler in handlers { handler.complete(.failure(error)) }
            }

            /// Notes the task of a transfer.
            ///
            /// - Returns: Whether somebody still waits for it.
            func began(_ task: DataTask<Data>, of transfer: Int) -> Bool {
                state.withLock { state in
                    guard !state.machine.receipts(of: transfer).isEmpty else { return false }
                    state.tasks[transfer] = task
                    state.updatePriority(of: transfer)
                    return true
                }
            }

            func tell(_ progress: TaskProgress, of transfer: Int) {
                let listeners = state.withLock { state in
                    state.machine.receipts(of: transfer).compactMap { state.handlers[$0]?.progress }
                }
                for listener in listeners { listener(progress) }
            }

            // MARK: Parts

            /// Whether somebody who waits for a transfer wants parts of its image.
            func wantsParts(of transfer: Int) -> Bool {
                state.withLock { state in
                    state.machine.receipts(of: transfer).contains { state.handlers[$0]?.part != nil }
                }
            }

            /// Whether it is certain that an image with this head will not be refused.
            func accepts(_ head: ResponseHead, to request: Request) -> Bool {
                // Rules look at whole bodies.
                guard validation.rules.isEmpty else { return false }
                // A body that is not empty: an empty one may do without a type.
                return (try? validation.validate(Data([0]), head: head, request: request)) != nil
            }

            /// Hands over a part of the image of a transfer to all who want parts.
            func show(_ part: Image, of transfer: Int) async {
                let handlers = state.withLock { state in
                    state.machine.receipts(of: transfer).compactMap { state.handlers[$0] }
                }
                let wanted = Dictionary(grouping: handlers.filter { $0.part != nil }) {
                    $0.request.additionalIdentifier
                }
                for handlers in wanted.values {
                    guard let request = handlers.first?.request else { continue }
                    let image = try? await ImageWork.run { [decoder] in
                        try request.processed(part: part, by: decoder)
                    }
                    guard let image else { continue }
                    for handler in handlers { handler.part?(image) }
                }
            }

            // MARK: Unfinished bodies

            func takePartial(_ key: String) -> PartialBody? { partials.withLock { $0.remove(key) } }

            func keep(_ partial: PartialBody, for key: String) {
                let gone = partials.withLock { $0.add(partial, for: key, cost: partial.bytes.count + 1024) }
                _ = gone
            }
        }
    }

    extension ImageDownloader.Core.State {
        /// Gives the task of a transfer the urgency of those who wait for it.
        fileprivate func updatePriority(of transfer: Int) {
            guard let urgency = machine.urgency(of: transfer), let task = tasks[transfer],
                task.priority.urgency != urgency
            else { return }
            task.priority = RequestPriority(urgency: urgency, isIncremental: task.priority.isIncremental)
        }
    }
#endif
