import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One attempt to connect, on its event loop: every phase is timed, the whole is bounded, the result comes once.
final class ConnectionAttempt {
    struct Established {
        var channel: any Channel
        var isUnencrypted: Bool
        var timings: Timings
    }

    private let origin: Origin
    private let timeout: Duration?
    private let eventLoop: any EventLoop
    private let tls: TLSContextSource
    private var timings = Timings()
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    private var completion: ((Result<Established, NetworkingError>) -> Void)?

    init(origin: Origin, timeout: Duration?, eventLoop: any EventLoop, tls: TLSContextSource) {
        self.origin = origin
        self.timeout = timeout
        self.eventLoop = eventLoop
        self.tls = tls
    }

    func run(completion: @escaping (Result<Established, NetworkingError>) -> Void) {
        self.completion = completion
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        if let timeout {
            timer = eventLoop.scheduleTask(in: timeout.timeAmount) { bound.value.timedOut() }
        }
        guard origin.isSecure else {
            connect(context: nil)
            return
        }
        // Reading the trust roots blocks for milliseconds, the first time.
        tls.context(on: eventLoop).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let context): self.connect(context: context)
            case .failure(let error): self.end(.failure(self.tls.invalid(error)))
            }
        }
    }

    func cancel(with error: NetworkingError) {
        end(.failure(error))
    }

    private func timedOut() {
        end(.failure(.connectTimedOut(origin, timeout)))
    }

    private func end(_ result: Result<Established, NetworkingError>) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        if case .failure = result { channel?.close(promise: nil) }
        channel = nil
        completion(result)
    }

    // MARK: TCP

    private func connect(context: NIOSSLContext?) {
        let startedAt = NIODeadline.now()
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 8192, maximum: 262_144)
            )
            // NIO keeps as many receive buffers and uses those again that nobody holds any more.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(.writeBufferWaterMark, value: .init(low: 131_072, high: 524_288))
            .connectTimeout((timeout ?? .seconds(3600)).timeAmount)
        let connected: EventLoopFuture<any Channel>
        var resolver: SystemResolver?
        switch origin.endpoint {
        case .unixSocket(let path):
            connected = bootstrap.connect(unixDomainSocketPath: path)
        case .host(let host, let port):
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                connected = bootstrap.connect(to: address)
            } else {
                let system = SystemResolver(eventLoop: eventLoop)
                resolver = system
                connected = bootstrap.resolver(system).connect(host: host, port: port)
            }
        }
        connected.assumeIsolated().whenComplete { result in
            let now = NIODeadline.now()
            let resolved = resolver?.resolvedAt
            if let resolved { self.timings.dns = resolved.since(startedAt) }
            switch result {
            case .success(let channel):
                self.timings.connect = now.since(resolved ?? startedAt)
                self.connected(channel, context: context)
            case .failure(let error):
                self.end(.failure(.connecting(self.origin, error)))
            }
        }
    }

    private func connected(_ channel: any Channel, context: NIOSSLContext?) {
        guard completion != nil else {
            channel.close(promise: nil)
            return
        }
        self.channel = channel
        guard let context else {
            end(.success(Established(channel: channel, isUnencrypted: true, timings: timings)))
            return
        }
        let startedAt = NIODeadline.now()
        let verification = CertificateVerification(origin: origin, isRequired: tls.verifiesCertificates)
        do throws(NetworkingError) {
            try verification.start(on: channel, context: context) { result in
                self.timings.tls = NIODeadline.now().since(startedAt)
                self.end(
                    result.map { Established(channel: channel, isUnencrypted: false, timings: self.timings) }
                )
            }
        } catch {
            end(.failure(error))
        }
    }
}
