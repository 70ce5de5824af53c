#if os(Linux)
    import Dispatch
    import Synchronization

    /// Follows the state of the network: reads it, and then each change that the kernel tells of.
    /// It sleeps while there is none.
    ///
    /// Each message is applied and published by itself, so that a link that goes down and comes
    /// back is seen to do so. What the kernel does not tell of is found by reading all again, once
    /// the messages that wait are applied.
    final class NetlinkWatcher: Sendable {
        private struct Reader {
            var state: NetworkState
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var source: (any DispatchSourceRead)?
            /// Whether a time to read all again is set.
            var isDue = false
            /// Not before this time: a tenth of the time is spent with reading at most.
            var nextReading = DispatchTime(uptimeNanoseconds: 0)
        }

        private let queue: DispatchQueue
        private let publish: @Sendable (NetworkState) -> Void
        private let socket: NetlinkSocket
        /// Used on the queue alone.
        private let reader = Mutex(Reader(state: NetworkState()))

        /// Begins to follow the network, for the rest of the process.
        ///
        /// - Parameters:
        ///   - queue: A serial queue; it has to be called on it.
        ///   - publish: Gets the first state, and each one after it, on the queue.
        /// - Returns: False where the system does not let it.
        static func start(on queue: DispatchQueue, publish: @escaping @Sendable (NetworkState) -> Void) -> Bool {
            guard let socket = try? NetlinkSocket(listens: true) else { return false }
            let watcher = NetlinkWatcher(socket, queue, publish)
            watcher.readAll()
            watcher.activate()
            return true
        }

        private init(
            _ socket: NetlinkSocket,
            _ queue: DispatchQueue,
            _ publish: @escaping @Sendable (NetworkState) -> Void
        ) {
            (self.socket, self.queue, self.publish) = (socket, queue, publish)
        }

        private func activate() {
            reader.withLock { reader in
                let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
                // The source keeps the watcher, and the watcher the source.
                source.setEventHandler { self.drain() }
                reader.source = source
                source.activate()
            }
        }

        /// The most datagrams that are read before others have their turn on the queue.
        private static let mostAtOnce = 256

        private func drain() {
            var mustReadAll = false
            for _ in 0..<Self.mostAtOnce {
                guard let reading = next() else {
                    // A socket with a fault that does not pass is not asked again.
                    reader.withLock { $0.source?.cancel() }
                    break
                }
                switch reading {
                case .nothing: return mustReadAll ? readAllSoon() : ()
                case .overrun: mustReadAll = true
                case .datagram(let datagram):
                    for message in datagram.messages where apply(message) { mustReadAll = true }
                    if datagram.isIncomplete { mustReadAll = true }
                }
            }
            if mustReadAll { readAllSoon() }
        }

        private func next() -> NetlinkSocket.Reading? {
            reader.withLock { try? socket.read(&$0.buffer) }
        }

        private func apply(_ message: NetlinkDatagram.Message) -> Bool {
            let (isUnsure, state) = reader.withLock { ($0.state.apply(message), $0.state) }
            publish(state)
            return isUnsure
        }

        private func readAllSoon() {
            let time = reader.withLock { reader -> DispatchTime? in
                guard !reader.isDue else { return nil }
                reader.isDue = true
                return reader.nextReading
            }
            guard let time else { return }
            guard time > .now() else { return readAll() }
            queue.asyncAfter(deadline: time) { self.readAll() }
        }

        /// The most attempts in a row to read a state that changes meanwhile.
        private static let mostAttempts = 5

        private func readAll() {
            let begin = DispatchTime.now()
            var isRead = false
            for _ in 0..<Self.mostAttempts where !isRead {
                let found = reader.withLock { try? NetlinkSocket.readAll(NetworkState(), &$0.buffer) }
                guard let found else { continue }
                isRead = true
                reader.withLock { $0.state = found }
                publish(found)
            }
            let end = DispatchTime.now()
            let pause = (end.uptimeNanoseconds - begin.uptimeNanoseconds) * 10
            reader.withLock { reader in
                reader.isDue = false
                reader.nextReading = end + .nanoseconds(Int(clamping: pause))
            }
            if !isRead { queue.asyncAfter(deadline: .now() + .seconds(1)) { self.readAllSoon() } }
        }
    }
#endif
