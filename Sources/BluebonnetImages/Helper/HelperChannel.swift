#if Images
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The socket between a program and its helper process. Blocks the calling thread, up to a
    /// deadline.
    struct HelperChannel {
        enum Fault: Error {
            /// The other side has ended.
            case ended
            /// The deadline is over.
            case late
            /// The other side has sent what no helper process sends.
            case nonsense
        }

        /// The greatest size of a message without its bytes or pixels.
        private static let maximumMessage = 1 << 20

        let descriptor: CInt
        let deadline: ContinuousClock.Instant?

        // MARK: Messages

        func send(_ message: some Encodable) throws(Fault) {
            guard let data = try? JSONEncoder().encode(message) else { throw .nonsense }
            try send((0..<8).map { UInt8(data.count >> ($0 * 8) & 0xFF) })
            try send(Array(data))
        }

        func receive<Message: Decodable>(_ type: Message.Type) throws(Fault) -> Message {
            let size = try receive(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard (1...Self.maximumMessage).contains(size) else { throw .nonsense }
            guard let message = try? JSONDecoder().decode(type, from: Data(try receive(size))) else { throw .nonsense }
            return message
        }

        // MARK: Bytes

        func send(_ bytes: [UInt8]) throws(Fault) {
            var place = 0
            while place < bytes.count {
                try wait(for: POLLOUT)
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    // `place` is below the count, so that address and length stay inside the
                    // buffer.
                    unsafe Self.sendSome(descriptor, buffer.baseAddress?.advanced(by: place), bytes.count - place)
                }
                if count > 0 {
                    place += count
                } else if errno != EINTR && errno != EAGAIN {
                    throw .ended
                }
            }
        }

        func receive(_ size: Int) throws(Fault) -> [UInt8] {
            var fault: Fault?
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
                do throws(Fault) {
                    while filled < size {
                        try wait(for: POLLIN)
                        // `filled` is below the capacity of the buffer, which is `size`.
                        let rest = unsafe buffer.baseAddress?.advanced(by: filled)
                        let count = unsafe recv(descriptor, rest, size - filled, Self.doNotWait)
                        if count > 0 {
                            filled += count
                        } else if count == 0 || errno != EINTR && errno != EAGAIN {
                            throw .ended
                        }
                    }
                } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
            return bytes
        }

        private static let doNotWait = CInt(MSG_DONTWAIT)

        /// A peer that has ended must not end this process by a signal.
        private static func sendSome(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Glibc.send(descriptor, bytes, count, CInt(MSG_NOSIGNAL) | doNotWait)
        }

        private func wait(for event: CInt) throws(Fault) {
            var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            while true {
                var milliseconds: CInt = -1
                if let deadline {
                    let left = ContinuousClock.now.duration(to: deadline)
                    guard left > .zero else { throw .late }
                    milliseconds = CInt((min(left, .seconds(86_400)) / .milliseconds(1)).rounded(.up))
                }
                // The count is that of the entries, and `poll` does not keep the pointer.
                let count = unsafe poll(&entry, 1, milliseconds)
                if count > 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return }
            }
        }
    }
#endif
