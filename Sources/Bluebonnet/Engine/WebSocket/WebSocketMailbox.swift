import NIOCore
import Synchronization

/// The messages between the callers of a WebSocket, on any thread, and its connection on an event
/// loop: those that were received and not read, and those that are to be sent. It outlives a
/// connection that is opened again.
final class WebSocketMailbox: Sendable {
    /// The connection, as the mailbox knows it.
    protocol Carrier: AnyObject, Sendable {
        /// There is something to be sent: ``WebSocketMailbox/takeOutgoing(upTo:)``.
        func wake()
        /// The received messages have room again.
        func continueReading()
    }

    enum Outgoing: Sendable {
        case message(WebSocketMessage)
        case close(WebSocketClosure?)
    }

    typealias Received = Result<WebSocketMessage?, NetworkingError>
    typealias Sent = Result<Void, NetworkingError>
    typealias Pong = Result<Duration, NetworkingError>

    private struct Waiting<Output: Sendable>: Sendable {
        let number: Int
        let caller: SuspendedCaller<Output, Never>
    }

    private struct State {
        var lastNumber = 0
        weak var carrier: (any Carrier)?
        /// Whether there is a connection, or will be in a moment.
        var isOpen = false
        /// The end, after which nothing is received or sent. The messages that were received before
        /// are still read.
        var end: WebSocketEnd?

        var inbox = CircularBuffer<WebSocketMessage>()
        var inboxSize = 0
        var isFull = false
        var readers = CircularBuffer<Waiting<Received>>()

        var outbox = CircularBuffer<Outgoing>()
        var outboxSize = 0
        /// Those whose messages have no room yet, in their order.
        var senders = CircularBuffer<(message: WebSocketMessage, waiting: Waiting<Sent>)>()
        /// Whether this side has asked for the end.
        var isClosing = false
        /// The error of what can no longer be sent, although messages are still read.
        var sendError: NetworkingError?
        /// Whether the carrier knows that there is something to be sent.
        var isAwake = false
        var pings: [Waiting<Pong>] = []
        /// The pings that were sent, by their numbers in the connection.
        var sentPings: [UInt64: Waiting<Pong>] = [:]

        /// The error of a message that cannot be sent any more.
        var refusal: NetworkingError? {
            end?.sendError ?? sendError ?? (isClosing ? WebSocketMailbox.closing : nil)
        }

        mutating func newNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func append(_ message: WebSocketMessage) {
            outbox.append(.message(message))
            outboxSize += WebSocketMailbox.size(of: message)
        }

        /// The carrier, where it is to be woken.
        mutating func carrierToWake() -> (any Carrier)? {
            guard !isAwake, let carrier else { return nil }
            isAwake = true
            return carrier
        }
    }

    private let receiveBuffer: Int
    private let sendBuffer: Int
    private let state = Mutex(State())

    init(_ options: WebSocketOptions) {
        receiveBuffer = max(options.receiveBuffer, 0)
        sendBuffer = max(options.sendBuffer, 1)
    }

    /// What a message counts in the buffers: an empty one takes memory too.
    static func size(of message: WebSocketMessage) -> Int { message.byteCount + 32 }

    // MARK: Reading

    /// The next message; nil at an end that is no error. Cancelling the Swift task ends the wait,
    /// not the WebSocket.
    func next() async throws(NetworkingError) -> WebSocketMessage? {
        if let received = take() { return try received.get() }
        let number = state.withLock { $0.newNumber() }
        let received: Received = await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let (received, carrier) = state.withLock { state -> Taken in
                    if let taken = Self.take(&state, receiveBuffer) { return taken }
                    // Where it is not cancelled now, the handler comes later, and finds it.
                    if Task.isCancelled { return (.failure(Self.cancelled), nil) }
                    state.readers.append(Waiting(number: number, caller: caller))
                    return (nil, nil)
                }
                carrier?.continueReading()
                if let received { caller.resume(returning: received) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0) }
            }
            reader?.caller.resume(returning: .failure(Self.cancelled))
        }
        return try received.get()
    }

    private static let closing = NetworkingError(.webSocketClosed, "The WebSocket is being closed.")
    private static let cancelled = NetworkingError(.cancelled, "The wait for the WebSocket was cancelled.")

    /// What was taken, and the carrier where it is to be told that there is room again.
    private typealias Taken = (Received?, (any Carrier)?)

    /// Takes what is there; nil where it has to be waited for.
    private func take() -> Received? {
        let (received, carrier) = state.withLock { Self.take(&$0, receiveBuffer) ?? (nil, nil) }
        carrier?.continueReading()
        return received
    }

    /// Whoever takes a message makes the room, and tells the carrier: ``hasRoom()`` may find the
    /// room at the same time, and then says so once only.
    private static func take(_ state: inout State, _ limit: Int) -> Taken? {
        guard let message = state.inbox.popFirst() else {
            return state.end.map { (.init($0), nil) }
        }
        state.inboxSize -= size(of: message)
        let hasRoom = state.isFull && state.inboxSize <= limit / 2
        return (.success(message), hasRoom ? state.carrier : nil)
    }

    /// Hands over received messages.
    func deliver(_ messages: [WebSocketMessage]) {
        typealias Delivery = (SuspendedCaller<Received, Never>, WebSocketMessage)
        let deliveries = state.withLock { state -> [Delivery] in
            var deliveries: [Delivery] = []
            for message in messages {
                if state.inbox.isEmpty, let reader = state.readers.popFirst() {
                    deliveries.append((reader.caller, message))
                } else {
                    state.inbox.append(message)
                    state.inboxSize += Self.size(of: message)
                }
            }
            state.isFull = state.inboxSize > receiveBuffer
            return deliveries
        }
        for (caller, message) in deliveries { caller.resume(returning: .success(message)) }
    }

    /// The bytes for which received messages still have room; below 0 where they have taken more.
    var room: Int { state.withLock { receiveBuffer - $0.inboxSize } }

    /// Whether received messages have room. Where they have none, the carrier is told when they
    /// have.
    func hasRoom() -> Bool {
        state.withLock { state in
            if state.inboxSize <= receiveBuffer / 2 { state.isFull = false }
            return !state.isFull
        }
    }

    // MARK: Sending

    /// Takes a message to be sent; returns when there is room for it. Cancelling the Swift task
    /// while it waits leaves the message out.
    func send(_ message: WebSocketMessage) async throws(NetworkingError) {
        enum Step {
            case taken((any Carrier)?)
            case over(NetworkingError)
            case wait(Int)
        }
        let step = state.withLock { state -> Step in
            if let error = state.refusal { return .over(error) }
            guard state.senders.isEmpty, state.outboxSize < sendBuffer else { return .wait(state.newNumber()) }
            state.append(message)
            return .taken(state.carrierToWake())
        }
        switch step {
        case .taken(let carrier): carrier?.wake()
        case .over(let error): throw error
        case .wait(let number): try await wait(toSend: message, number)
        }
    }

    private func wait(toSend message: WebSocketMessage, _ number: Int) async throws(NetworkingError) {
        let sent: Sent = await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let (sent, carrier) = state.withLock { state -> (Sent?, (any Carrier)?) in
                    if let error = state.refusal { return (.failure(error), nil) }
                    if Task.isCancelled { return (.failure(Self.cancelled), nil) }
                    // There may be room meanwhile, and then nobody would give it any.
                    if state.senders.isEmpty, state.outboxSize < sendBuffer {
                        state.append(message)
                        return (.success(()), state.carrierToWake())
                    }
                    state.senders.append((message, Waiting(number: number, caller: caller)))
                    return (nil, nil)
                }
                carrier?.wake()
                if let sent { caller.resume(returning: sent) }
            }
        } onCancel: {
            let sender = state.withLock { state in
                state.senders.firstIndex { $0.waiting.number == number }.map { state.senders.remove(at: $0) }
            }
            sender?.waiting.caller.resume(returning: .failure(Self.cancelled))
        }
        try sent.get()
    }

    /// Puts a Close frame behind all that was taken to be sent. Returns false where there is no
    /// connection that could send it. Those who wait for room are told that it is closed.
    func close(_ closure: WebSocketClosure?) -> Bool {
        typealias Step = (Bool, (any Carrier)?, CircularBuffer<SuspendedCaller<Sent, Never>>)
        let (isOpen, carrier, senders) = state.withLock { state -> Step in
            guard state.isOpen, state.end == nil else { return (false, nil, []) }
            state.isClosing = true
            state.outbox.append(.close(closure))
            state.isAwake = true
            var senders = CircularBuffer<SuspendedCaller<Sent, Never>>()
            while let sender = state.senders.popFirst() { senders.append(sender.waiting.caller) }
            // Also one that knows of messages: the time of the close begins now.
            return (true, state.carrier, senders)
        }
        for sender in senders { sender.resume(returning: .failure(Self.closing)) }
        carrier?.wake()
        return isOpen
    }

    /// Sends a ping, and returns the time until its pong.
    func ping() async throws(NetworkingError) -> Duration {
        let number = state.withLock { $0.newNumber() }
        let pong: Pong = await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let (failure, carrier) = state.withLock { state -> (NetworkingError?, (any Carrier)?) in
                    if let error = state.end?.sendError ?? state.sendError { return (error, nil) }
                    if Task.isCancelled { return (Self.cancelled, nil) }
                    state.pings.append(Waiting(number: number, caller: caller))
                    // Also one that knows of messages: it may have looked for pings already.
                    return (nil, state.carrier)
                }
                carrier?.wake()
                if let failure { caller.resume(returning: .failure(failure)) }
            }
        } onCancel: {
            let ping = state.withLock { state -> Waiting<Pong>? in
                if let index = state.pings.firstIndex(where: { $0.number == number }) {
                    return state.pings.remove(at: index)
                }
                return state.sentPings.first { $0.value.number == number }.flatMap {
                    state.sentPings.removeValue(forKey: $0.key)
                }
            }
            ping?.caller.resume(returning: .failure(Self.cancelled))
        }
        return try pong.get()
    }

    // MARK: The connection

    /// Takes what is to be sent: messages up to a size, at least one where there is one. Those who
    /// wait for room get it. Nothing is left to do where it is empty.
    func takeOutgoing(upTo size: Int) -> [Outgoing] {
        var resumed: [SuspendedCaller<Sent, Never>] = []
        let taken = state.withLock { state in
            var taken: [Outgoing] = []
            var count = 0
            while count < size, let next = state.outbox.popFirst() {
                taken.append(next)
                guard case .message(let message) = next else { continue }
                let messageSize = Self.size(of: message)
                count += messageSize
                state.outboxSize -= messageSize
            }
            while state.outboxSize < sendBuffer, let sender = state.senders.popFirst() {
                state.append(sender.message)
                resumed.append(sender.waiting.caller)
            }
            if taken.isEmpty { state.isAwake = false }
            return taken
        }
        for caller in resumed { caller.resume(returning: .success(())) }
        return taken
    }

    /// The pings that are to be sent. Each gets its number in the connection.
    func takePings(_ newNumber: () -> UInt64) -> [UInt64] {
        state.withLock { state in
            guard !state.pings.isEmpty else { return [] }
            defer { state.pings = [] }
            return state.pings.map { ping in
                let number = newNumber()
                state.sentPings[number] = ping
                return number
            }
        }
    }

    /// The pong to a ping came.
    func received(pongTo number: UInt64, after time: Duration) {
        state.withLock { $0.sentPings.removeValue(forKey: number) }?.caller.resume(returning: .success(time))
    }

    /// The handshake has opened a connection, which will be attached.
    func opened() {
        state.withLock { $0.isOpen = true }
    }

    /// A connection is there. It is woken where there is something to be sent.
    func attach(_ carrier: any Carrier) {
        let isNeeded = state.withLock { state in
            state.carrier = carrier
            state.isAwake = !state.outbox.isEmpty || !state.pings.isEmpty
            return state.isAwake
        }
        if isNeeded { carrier.wake() }
    }

    /// The connection is gone. The pings that were sent have no pong; what it has taken and not
    /// begun to send waits for another one.
    func detach(_ end: WebSocketEnd, returning unsent: some BidirectionalCollection<Outgoing>) {
        let pings = state.withLock { state in
            state.carrier = nil
            (state.isOpen, state.isAwake) = (false, false)
            for case .message(let message) in unsent.reversed() {
                state.outbox.prepend(.message(message))
                state.outboxSize += Self.size(of: message)
            }
            // A Close frame was for this connection.
            state.outbox.removeAll { if case .close = $0 { true } else { false } }
            defer { state.sentPings = [:] }
            return Array(state.sentPings.values)
        }
        for ping in pings { ping.caller.resume(returning: .failure(end.sendError)) }
    }

    /// The connection sends no more, and what it has received is still to be read. Those who wait
    /// to send, or for a pong, are told.
    func endSending(_ error: NetworkingError) {
        typealias Waiters = ([Waiting<Sent>], [Waiting<Pong>])
        let (senders, pings) = state.withLock { state -> Waiters in
            state.sendError = error
            defer {
                state.senders.removeAll()
                (state.pings, state.sentPings) = ([], [:])
            }
            return (state.senders.map(\.waiting), state.pings + state.sentPings.values)
        }
        for sender in senders { sender.caller.resume(returning: .failure(error)) }
        for ping in pings { ping.caller.resume(returning: .failure(error)) }
    }

    /// Nothing will be received or sent any more.
    func end(_ end: WebSocketEnd) {
        typealias Waiters = ([Waiting<Received>], [Waiting<Sent>], [Waiting<Pong>])
        let (readers, senders, pings) = state.withLock { state -> Waiters in
            guard state.end == nil else { return ([], [], []) }
            state.end = end
            state.carrier = nil
            state.outbox.removeAll()
            state.outboxSize = 0
            defer {
                state.readers.removeAll()
                state.senders.removeAll()
                (state.pings, state.sentPings) = ([], [:])
            }
            return (Array(state.readers), state.senders.map(\.waiting), state.pings + state.sentPings.values)
        }
        for reader in readers { reader.caller.resume(returning: .init(end)) }
        for sender in senders { sender.caller.resume(returning: .failure(end.sendError)) }
        for ping in pings { ping.caller.resume(returning: .failure(end.sendError)) }
    }

    /// Whether this side has asked for the end.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The end, when it has come.
    var end: WebSocketEnd? { state.withLock { $0.end } }
}

extension WebSocketEnd {
    /// The error of what can no longer be sent.
    fileprivate var sendError: NetworkingError { error ?? .webSocketIsOver(closure) }
}

extension WebSocketMailbox.Received {
    /// The end of the messages.
    fileprivate init(_ end: WebSocketEnd) {
        self = end.error.map { .failure($0) } ?? .success(nil)
    }
}
