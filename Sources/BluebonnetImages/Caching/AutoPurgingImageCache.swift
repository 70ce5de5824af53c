#if Images
    import Synchronization

    /// Images in memory, up to a size; those that were not used for the longest time make room.
    ///
    /// When the images take more than ``memoryCapacity``, as many go as are needed to leave
    /// ``preferredMemoryUsageAfterPurge``. All go when the system is short of memory.
    ///
    /// Counterpart of `AFAutoPurgingImageCache`.
    public final class AutoPurgingImageCache: ImageCache {
        /// The default of ``memoryCapacity``: 100 MiB.
        public static let defaultMemoryCapacity = 100 << 20

        /// The default of ``preferredMemoryUsageAfterPurge``: 60 MiB.
        public static let defaultPreferredMemoryUsage = 60 << 20

        /// The most bytes that the pixels take.
        public let memoryCapacity: Int

        /// The bytes that pixels take at most after some had to make room.
        public let preferredMemoryUsageAfterPurge: Int

        private let table: Mutex<PurgingTable<Image>>
        private let pressure: MemoryPressure?
        private let listener = Mutex<Int?>(nil)

        /// Makes an empty cache.
        ///
        /// - Parameters:
        ///   - memoryCapacity: The most bytes that the pixels take. Default: 100 MiB.
        ///   - preferredMemoryUsageAfterPurge: The bytes that they take at most after some had to
        ///     make room; no more than the capacity. Default: 60 MiB.
        ///   - pressure: What tells that memory is short; nil for nothing. Default: the system.
        public init(
            memoryCapacity: Int = AutoPurgingImageCache.defaultMemoryCapacity,
            preferredMemoryUsageAfterPurge: Int = AutoPurgingImageCache.defaultPreferredMemoryUsage,
            pressure: MemoryPressure? = .system
        ) {
            let table = PurgingTable<Image>(capacity: memoryCapacity, preferredCost: preferredMemoryUsageAfterPurge)
            self.memoryCapacity = table.capacity
            self.preferredMemoryUsageAfterPurge = table.preferredCost
            self.table = Mutex(table)
            self.pressure = pressure
            let number = pressure?.listen { [weak self] in self?.removeAll() }
            listener.withLock { $0 = number }
        }

        deinit {
            if let number = listener.withLock({ $0 }) { pressure?.remove(number) }
        }

        /// The bytes that the pixels take now.
        public var memoryUsage: Int { table.withLock { $0.cost } }

        /// The number of images.
        public var count: Int { table.withLock { $0.count } }

        /// Stores an image, in place of the one with the same identifier. Its cost is
        /// ``Image/byteCount``.
        public func add(_ image: Image, for identifier: String) {
            let gone = table.withLock { $0.add(image, for: identifier, cost: image.byteCount) }
            // The pixels are released outside of the lock.
            _ = gone
        }

        /// An image that is stored, which is then the one that was used last.
        public func image(for identifier: String) -> Image? {
            table.withLock { $0.value(for: identifier) }
        }

        /// Removes an image.
        @discardableResult
        public func remove(_ identifier: String) -> Bool {
            table.withLock { $0.remove(identifier) } != nil
        }

        /// Removes all images.
        @discardableResult
        public func removeAll() -> Bool {
            table.withLock { $0.removeAll() }.count > 0
        }
    }
#endif
