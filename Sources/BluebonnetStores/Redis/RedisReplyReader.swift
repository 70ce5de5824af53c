#if Redis
    import CHiredis
    import FoundationEssentials
    import NIOCore

    /// Replies out of the bytes of a connection, by the reader of hiredis. Used on one event loop.
    ///
    /// Safe: the pointer is freed with it, and never leaves it.
    @safe final class RedisReplyReader {
        /// Arrays within arrays beyond this are not of Redis commands of this library.
        private static let deepest = 4

        private let reader: UnsafeMutablePointer<redisReader>

        /// Makes a reader; nil where there is no memory for it.
        init?() {
            guard let made = unsafe redisReaderCreate() else { return nil }
            unsafe reader = unsafe made
        }

        deinit {
            unsafe redisReaderFree(reader)
        }

        /// Takes bytes that have come.
        ///
        /// - Throws: ``RedisFailure``.
        func feed(_ bytes: ByteBuffer) throws {
            // The bytes are copied during the call.
            let code = unsafe bytes.withUnsafeReadableBytes { bytes in
                unsafe redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            guard code == REDIS_OK else { throw failure }
        }

        /// The next reply; nil while it is not complete.
        ///
        /// - Throws: ``RedisFailure``.
        func next() throws -> RedisReply? {
            var raw: UnsafeMutableRawPointer?
            guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else { throw failure }
            guard let found = unsafe raw else { return nil }
            defer { unsafe freeReplyObject(found) }
            // hiredis hands out an object of this type, which is read before it is freed.
            return unsafe Self.reply(found.assumingMemoryBound(to: redisReply.self), depth: 0)
        }

        private static func reply(_ raw: UnsafeMutablePointer<redisReply>, depth: Int) -> RedisReply {
            // A string has so many bytes, and an array so many elements, as its fields say.
            switch unsafe raw.pointee.type {
            case REDIS_REPLY_STRING: return unsafe .bytes(bytes(raw))
            case REDIS_REPLY_STATUS: return unsafe .status(String(decoding: bytes(raw), as: UTF8.self))
            case REDIS_REPLY_ERROR: return unsafe .refusal(String(decoding: bytes(raw), as: UTF8.self))
            case REDIS_REPLY_INTEGER: return unsafe .integer(Int(raw.pointee.integer))
            case REDIS_REPLY_ARRAY:
                var replies: [RedisReply] = []
                let count = unsafe raw.pointee.elements
                guard depth < deepest, let elements = unsafe raw.pointee.element else { return .array([]) }
                replies.reserveCapacity(count)
                for index in 0..<count {
                    guard let element = unsafe elements[index] else { continue }
                    unsafe replies.append(reply(element, depth: depth + 1))
                }
                return .array(replies)
            default: return .none
            }
        }

        private static func bytes(_ raw: UnsafeMutablePointer<redisReply>) -> Data {
            guard let start = unsafe raw.pointee.str else { return Data() }
            return unsafe Data(bytes: start, count: raw.pointee.len)
        }

        /// What is wrong with the bytes.
        private var failure: RedisFailure {
            let text = unsafe withUnsafeBytes(of: reader.pointee.errstr) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return RedisFailure(.connection, text.isEmpty ? "It sent what is no reply." : text)
        }
    }
#endif
