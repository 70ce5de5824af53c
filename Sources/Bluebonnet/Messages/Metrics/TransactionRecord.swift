import NIOCore
import Synchronization

/// One transaction as the engine records it; users see it as ``TransactionMetrics``.
struct TransactionRecord: Sendable {
    /// Its number in the call.
    let hop: Int
    let sent: SentRequest
    var head: ResponseHead?
    var error: NetworkingError?
    /// The time since which it waits for a connection.
    let startedAt: NIODeadline
    /// Nil while it is under way.
    var endedAt: NIODeadline?
    var marks = TransactionMarks()
    var connection: ConnectionRecord?
    var isConnectionReused = false
    /// Whether the response is a stored one, and nothing was sent.
    var isLocal = false
    /// The bytes on the wire; of the decoded body, those before its content coding is undone.
    var wireBytes = TransactionMetrics.Bytes()
    /// The size of the body with its content coding undone, where it was undone.
    var decodedCount: Int?

    var bytes: TransactionMetrics.Bytes {
        var bytes = wireBytes
        if let decodedCount { bytes.decodedResponseBody = decodedCount }
        return bytes
    }

    /// The same without what is not needed to describe it: for a record that is kept long.
    var bare: TransactionRecord {
        var copy = TransactionRecord(
            hop: hop,
            sent: sent.bare,
            head: head,
            startedAt: startedAt,
            endedAt: endedAt
        )
        copy.error = error.map { NetworkingError($0.code, $0.message) }
        copy.marks = marks
        copy.connection = connection
        copy.isConnectionReused = isConnectionReused
        copy.isLocal = isLocal
        copy.wireBytes = wireBytes
        copy.decodedCount = decodedCount
        return copy
    }
}

/// What the records of a task do not say. A task with few transactions and no parts has none.
struct TransactionSums: Sendable {
    /// The transactions that are not kept, and their bytes.
    var omitted = 0
    var omittedBytes = TransactionMetrics.Bytes()
    /// The requests that were sent for parts of a download, beside the first one, and those to the
    /// upload resource of a resumable upload that do not send its body again.
    var parts = 0
}

/// The instants of a transaction on its connection.
struct TransactionMarks: Sendable, Hashable {
    var requestStart: NIODeadline?
    var requestEnd: NIODeadline?
    var firstByte: NIODeadline?
    var lastByte: NIODeadline?
    /// The number of the HTTP/2 stream; 0 for none.
    var stream = 0
}

/// The times of making a connection.
struct ConnectionTimes: Sendable, Hashable {
    struct Phase: Sendable, Hashable {
        var start: NIODeadline
        var end: NIODeadline?
    }

    var nameLookup: Phase?
    /// The name that nothing can go on without; nil where something else is waited for.
    var awaitedName: AwaitedName?
    var connect: Phase?
    /// From the socket to the proxy to the open tunnel, or to the proxy that forwards requests.
    var proxy: Phase?
    var tls: Phase?
    /// The attempts to connect to each address, in the order in which they began.
    var attempts: [AddressAttempt] = []

    /// The sentence about a proxy that could not reach the last address of the server that it was
    /// given.
    var proxyRefusal: String?

    /// A name whose addresses are waited for: none was found so far, or none of them can be used.
    struct AwaitedName: Sendable, Hashable {
        let name: String
        /// The families whose lookups have not ended.
        let families: Set<IPAddress.Family>
        /// Whether it is the name of the server, which a proxy is to be given an address of.
        var isForProxy = false
    }

    /// An attempt to connect to one address.
    struct AddressAttempt: Sendable, Hashable {
        enum Outcome: Hashable {
            case pending
            case connected
            /// With the reason.
            case failed(String)
            /// Another one was there first, or the time was over.
            case abandoned
        }

        let endpoint: NetworkEndpoint
        let start: NIODeadline
        var end: NIODeadline?
        var outcome = Outcome.pending
    }
}

/// What a TLS handshake has agreed upon.
struct TLSAgreement: Sendable, Hashable {
    var version: TLSVersion?
    var cipherSuite: TLSCipherSuite?
}

/// One connection as its transactions know it: made once for each, and shared by them.
final class ConnectionRecord: Sendable {
    private static let last = Atomic(0)

    let identifier: Int
    let times: ConnectionTimes
    let local: NetworkEndpoint?
    let remote: NetworkEndpoint?
    /// What the handshake has agreed upon; nil without TLS.
    let tls: TLSAgreement?
    /// The proxy that it goes through; nil for none.
    let proxy: Proxy?
    /// The protocol that the proxy is spoken to; nil without one, and for SOCKS.
    let proxyProtocol: ApplicationProtocol?
    /// Whether it was ready to be used.
    let isOpen: Bool

    /// The record of a connection that could not be made, as far as that came.
    init(failed times: ConnectionTimes, proxy: Proxy?) {
        self.times = times
        self.proxy = proxy
        identifier = 0
        (local, remote, tls, proxyProtocol) = (nil, nil, nil, nil)
        isOpen = false
    }

    init(
        _ times: ConnectionTimes,
        local: SocketAddress?,
        remote: SocketAddress?,
        tls: TLSAgreement?,
        proxy: Proxy? = nil,
        proxyProtocol: ApplicationProtocol? = nil
    ) {
        self.times = times
        self.proxy = proxy
        self.proxyProtocol = proxyProtocol
        identifier = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        self.local = local.map(NetworkEndpoint.init)
        self.remote = remote.map(NetworkEndpoint.init)
        self.tls = tls
        isOpen = true
    }
}
