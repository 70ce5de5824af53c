#if Images
    import Bluebonnet
    import Synchronization

    /// Tells caches that memory is short.
    ///
    /// ``system`` hears it of Linux. One that you make tells it when you call ``signal()``, for a
    /// source of your own, such as the memory monitor of a desktop.
    ///
    /// Counterpart of `UIApplicationDidReceiveMemoryWarningNotification`.
    public final class MemoryPressure: Sendable {
        /// The pressure that Linux tells of: processes had to wait for memory during a tenth of two
        /// seconds, in the control group of the process or on the whole machine (PSI), or the
        /// control group has reached one of its limits (`memory.events`).
        ///
        /// A thread waits for it while somebody listens. Nothing is told where the system has none
        /// of these, or does not allow the process to ask.
        public static let system = MemoryPressure { SystemMemoryPressure() }

        private struct State {
            var lastNumber = 0
            var listeners: [Int: @Sendable () -> Void] = [:]
            /// The source that is read while somebody listens.
            var source: (any MemoryPressureSource)?
        }

        private let state = Mutex(State())
        private let makeSource: @Sendable () -> (any MemoryPressureSource)?

        /// Makes one that tells only of what ``signal()`` is called for.
        public convenience init() {
            self.init { nil }
        }

        init(makeSource: @escaping @Sendable () -> (any MemoryPressureSource)?) {
            self.makeSource = makeSource
        }

        deinit {
            state.withLock { $0.source }?.stop()
        }

        /// Tells all who listen that memory is short.
        public func signal() {
            let listeners = state.withLock { state in
                state.listeners.sorted { $0.key < $1.key }.map(\.value)
            }
            for listener in listeners { listener() }
        }

        /// Calls the closure each time when memory is short.
        ///
        /// - Parameter body: Called on no particular thread.
        /// - Returns: What ``remove(_:)`` takes.
        public func listen(_ body: @escaping @Sendable () -> Void) -> Int {
            let (number, source) = state.withLock { state -> (Int, (any MemoryPressureSource)?) in
                state.lastNumber += 1
                state.listeners[state.lastNumber] = body
                guard state.source == nil else { return (state.lastNumber, nil) }
                state.source = makeSource()
                return (state.lastNumber, state.source)
            }
            if let source {
                EndlessWork.begin { [weak self] in
                    while source.wait() { self?.signal() }
                }
            }
            return number
        }

        /// Does not call a closure any more. One that is being called still is.
        ///
        /// - Parameter number: What ``listen(_:)`` has returned.
        public func remove(_ number: Int) {
            let source = state.withLock { state -> (any MemoryPressureSource)? in
                state.listeners[number] = nil
                guard state.listeners.isEmpty else { return nil }
                defer { state.source = nil }
                return state.source
            }
            source?.stop()
        }
    }

    /// What memory pressure is heard of.
    protocol MemoryPressureSource: Sendable {
        /// Waits for pressure. Called by one thread, after which nothing else waits.
        ///
        /// - Returns: True when there is pressure; false when the source was stopped or can tell
        ///   nothing more.
        func wait() -> Bool

        /// Ends the present and every later wait.
        func stop()
    }
#endif
