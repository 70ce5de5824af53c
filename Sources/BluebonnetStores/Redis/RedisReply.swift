#if Redis
    import FoundationEssentials
    import NIOCore

    /// What a server answers to a command, as a value (RESP2).
    enum RedisReply: Sendable, Equatable {
        /// An error reply. A server that does not know a command repeats its arguments, which may
        /// be a password or a token: they are left out.
        static func refusal(_ text: String) -> RedisReply {
            .error(text.firstRange(of: ", with args").map { String(text[..<$0.lowerBound]) } ?? text)
        }

        case bytes(Data)
        case status(String)
        case integer(Int)
        case array([RedisReply])
        case none
        case error(String)

        var bytes: Data? {
            if case .bytes(let bytes) = self { bytes } else { nil }
        }

        var integer: Int? {
            if case .integer(let number) = self { number } else { nil }
        }

        var array: [RedisReply]? {
            if case .array(let replies) = self { replies } else { nil }
        }

        /// The first error in it.
        var error: String? {
            switch self {
            case .error(let text): text
            case .array(let replies): replies.lazy.compactMap(\.error).first
            default: nil
            }
        }

        /// Whether a key has a value of another type: it is not of this library.
        var isWrongType: Bool { error?.hasPrefix("WRONGTYPE") ?? false }
    }

    /// A command: its name and its arguments, any bytes.
    struct RedisCommand: Sendable {
        let parts: [Data]

        init(_ name: String, _ arguments: Data...) {
            parts = [Data(name.utf8)] + arguments
        }

        init(_ name: String, _ arguments: [Data]) {
            parts = [Data(name.utf8)] + arguments
        }

        /// As many bytes as it takes, or a few more.
        var capacity: Int { parts.reduce(16) { $0 + $1.count + 24 } }

        /// Writes the command as RESP2 sends it: an array of strings.
        func write(to bytes: inout ByteBuffer) {
            bytes.writeString("*\(parts.count)\r\n")
            for part in parts {
                bytes.writeString("$\(part.count)\r\n")
                bytes.writeBytes(part)
                bytes.writeString("\r\n")
            }
        }
    }

    extension Data {
        init(_ text: String) { self.init(text.utf8) }
        init(_ number: Int) { self.init(String(number).utf8) }
    }

    /// Why a server could not be used.
    struct RedisFailure: Error, CustomStringConvertible {
        enum Kind {
            /// No connection, or it is lost.
            case connection
            /// The server is silent.
            case timeout
            /// The server answers, but serves nobody now, or not this user.
            case refusal
            /// The server has refused one command.
            case command
            /// It failed a short time ago and is not asked now.
            case paused
        }

        let kind: Kind
        let description: String

        /// Whether other commands would fail too.
        var concernsServer: Bool { kind == .connection || kind == .timeout || kind == .refusal }

        /// An error reply. Some are about the state of the server, not about the command.
        init(reply: String) {
            let states = [
                "LOADING", "NOAUTH", "WRONGPASS", "MASTERDOWN", "CLUSTERDOWN", "MOVED", "NOPERM", "BUSY ",
                // What a server says to a new connection before it closes it: it has enough of
                // them, or is in protected mode.
                "ERR max number of clients", "DENIED",
            ]
            kind = states.contains { reply.hasPrefix($0) } ? .refusal : .command
            description = reply
        }

        init(_ kind: Kind, _ description: String) {
            (self.kind, self.description) = (kind, description)
        }
    }
#endif
