#if os(Linux)
    import Dispatch
    import Synchronization
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Follows the state of the network: reads it, and then each change that the kernel tells of.
    /// It sleeps while there is none.
    ///
    /// Each message is applied and published by itself, so that a link that goes down and comes
    /// back is seen to do so. What the kernel does not tell of is found by reading all again, once
    /// the messages that wait are applied; those that come meanwhile are told at once, and applied
    /// to what was read as well.
    final class NetlinkWatcher: Sendable {
        private struct Reader {
            var buffer = [UInt8](repeating: 0, count: NetlinkSocket.bufferSize)
            var source: (any DispatchSourceRead)?
            /// Whether a time to read all again is set.
            var isDue = false
            /// How often in a row all could not be read.
            var failures = 0
            /// Not before this time: reading uses a tenth of a processor at most.
            var nextReading = DispatchTime(uptimeNanoseconds: 0)
        }

        private let queue: DispatchQueue
        private let update: NetworkMonitor.Update
        private let socket: NetlinkSocket
        private let natures = KnownNatures()
        /// Used on the queue alone.
        private let reader = Mutex(Reader())

        /// Begins to follow the network, for the rest of the process.
        ///
        /// - Parameters:
        ///   - queue: A serial queue; it has to be called on it.
        ///   - update: Called for the first state, and each one after it, on the queue.
        /// - Returns: False where the system does not let it.
        static func start(on queue: DispatchQueue, update: @escaping NetworkMonitor.Update) -> Bool {
            guard let socket = try? NetlinkSocket(listens: true) else { return false }
            let watcher = NetlinkWatcher(socket, queue, update)
            watcher.readAll()
            watcher.activate()
            return true
        }

        private init(
            _ socket: NetlinkSocket,
            _ queue: DispatchQueue,
            _ update: @escaping NetworkMonitor.Update
        ) {
            (self.socket, self.queue, self.update) = (socket, queue, update)
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

        /// A message alone is no state: what it does not tell of is not known to be missing.
        private func apply(_ message: NetlinkDatagram.Message) -> Bool {
            var isUnsure = false
            update { isUnsure = $0?.apply(message) ?? false }
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

        /// What comes while all is read.
        private struct Meanwhile {
            var messages: [NetlinkDatagram.Message] = []
            /// Whether messages are missing.
            var isIncomplete = false
        }

        /// The most messages that are kept while all is read; the others wait until it is.
        private static let mostMeanwhile = 65_536

        /// Tells of the changes that have come since all is being read.
        private func take(_ meanwhile: inout Meanwhile) {
            while meanwhile.messages.count < Self.mostMeanwhile, !meanwhile.isIncomplete {
                switch next() {
                // A fault of the socket is met again, and dealt with, when all is read.
                case .nothing, nil: return
                case .overrun: meanwhile.isIncomplete = true
                case .datagram(let datagram):
                    for message in datagram.messages { _ = apply(message) }
                    meanwhile.messages += datagram.messages
                    meanwhile.isIncomplete = datagram.isIncomplete
                }
            }
        }

        private func readAll() {
            let (begin, beginOfUse) = (DispatchTime.now(), clock())
            natures.beginReading()
            var found: NetworkState?
            var meanwhile = Meanwhile()
            for _ in 0..<Self.mostAttempts where found == nil {
                let empty = NetworkState { [natures] in natures.nature(of: $0) }
                meanwhile = Meanwhile()
                found = try? NetlinkSocket.readAll(empty) { take(&meanwhile) }
            }
            var mustReadAgain = meanwhile.isIncomplete
            // Each of them may be in what was read, or not; the last one about a thing counts.
            for message in meanwhile.messages where found?.apply(message) == true { mustReadAgain = true }
            if let found { update { $0 = found } }
            let end = DispatchTime.now()
            // What this thread waits for a processor, which is long on a busy machine, does not
            // count. `clock` counts microseconds (POSIX, XSI), of all threads of the process: so
            // the time that has passed is the most.
            let used = UInt64(max(0, clock() - beginOfUse)) * 1000
            let pause = min(end.uptimeNanoseconds - begin.uptimeNanoseconds, used) * 10
            let next = reader.withLock { reader -> DispatchTime? in
                reader.nextReading = end + .nanoseconds(Int(clamping: pause))
                reader.failures = found == nil ? min(reader.failures + 1, 30) : 0
                // Until then, nobody else has all read again.
                reader.isDue = found == nil
                return found == nil ? end + .seconds(reader.failures) : nil
            }
            if let next {
                queue.asyncAfter(deadline: next) { self.readAll() }
            } else if mustReadAgain {
                readAllSoon()
            }
        }
    }
#endif
