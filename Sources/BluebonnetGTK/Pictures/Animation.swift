#if GTK
    import BluebonnetImages

    /// The frame of an animation that is shown, and when the next one is due: a value without a
    /// clock. Times are in microseconds, as GLib has them.
    struct Animation {
        /// Shorter delays would only take time from everything else.
        private static let shortestDelay: Int = 10_000
        /// One that is later than this goes on from where it is, in place of hurrying.
        private static let mostDelay: Int = 500_000

        private let image: Image
        private var index = 0
        /// How often it was shown to its end.
        private var rounds = 0
        /// When the next frame is due.
        private var due: Int

        init(_ image: Image, at now: Int) {
            self.image = image
            due = now
            due += delay
        }

        private var delay: Int {
            let (seconds, attoseconds) = image.frames[index].delay.components
            // A frame of a day is one that stays.
            let microseconds = Int(min(max(0, seconds), 86_400)) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
            return max(Self.shortestDelay, microseconds)
        }

        private var isOver: Bool {
            let count = image.metadata.loopCount
            return index == image.frames.count - 1 && count > 0 && rounds >= count - 1
        }

        /// The milliseconds to the next frame; nil when the last one is shown and stays.
        func wait(at now: Int) -> UInt32? {
            isOver ? nil : UInt32(clamping: max(0, due - now + 999) / 1000)
        }

        /// Moves to the next frame, whose pixels it returns; nil when the last one stays.
        mutating func advance(at now: Int) -> Bitmap? {
            guard !isOver else { return nil }
            index += 1
            if index == image.frames.count {
                index = 0
                rounds += 1
            }
            due = (now - due > Self.mostDelay ? now : due) + delay
            return image.frames[index].bitmap
        }
    }
#endif
