import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How the sockets of a dial are made, and where they are bound.
struct OutgoingSocket {
    /// Why no socket can be bound as wanted.
    struct Unbound: Error, CustomStringConvertible {
        let description: String
    }

    /// The name of an interface as the kernel takes it: `IFNAMSIZ` bytes.
    private typealias DeviceName = (UInt64, UInt64)

    private let eventLoop: any EventLoop
    private let mostRead: Int
    /// The addresses that sockets are bound to, by family; nil where the system chooses.
    private var sources: [IPAddress.Family: IPAddress]?
    private var device: DeviceName?

    /// - Throws: ``Unbound`` where the machine has no such interface.
    init(on eventLoop: any EventLoop, mostRead: Int, binding: LocalBinding?) throws {
        self.eventLoop = eventLoop
        self.mostRead = mostRead
        switch binding?.kind {
        case nil: break
        case .address(let address): sources = [address.family: address]
        case .interface(let name): try bind(to: name)
        }
    }

    /// The families that can be connected to.
    var families: Set<IPAddress.Family> { sources.map { Set($0.keys) } ?? IPAddress.Family.all }

    // MARK: Interfaces

    private mutating func bind(to name: String) throws {
        guard unsafe if_nametoindex(name) != 0 else { throw Unbound(description: "There is no interface “\(name)”.") }
        device = Self.allowedDevice(name)
        guard device == nil else { return }
        var found: [IPAddress.Family: IPAddress] = [:]
        for device in try System.enumerateDevices() where device.name == name {
            guard let address = device.address.flatMap({ IPAddress($0) }), !address.isLinkLocal else { continue }
            if found[address.family] == nil { found[address.family] = address }
        }
        guard !found.isEmpty else { throw Unbound(description: "The interface “\(name)” has no address.") }
        sources = found
    }

    /// The name where a socket may be bound to the interface: always since Linux 5.7.
    private static func allowedDevice(_ name: String) -> DeviceName? {
        #if os(Linux)
            let bytes = Array(name.utf8)
            guard bytes.count < MemoryLayout<DeviceName>.size else { return nil }
            var device: DeviceName = (0, 0)
            unsafe withUnsafeMutableBytes(of: &device) { unsafe $0.copyBytes(from: bytes) }
            let socket = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            guard socket >= 0 else { return nil }
            defer { close(socket) }
            // The kernel reads 16 bytes, as many as the value has.
            let size = socklen_t(MemoryLayout<DeviceName>.size)
            return unsafe setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, &device, size) == 0 ? device : nil
        #else
            return nil
        #endif
    }

    // MARK: Sockets

    /// Connects to an address. The closure is called with the channel before it is connected; false
    /// ends it.
    func connect(
        to address: IPAddress,
        port: Int,
        willConnect: @escaping (any Channel) -> Bool
    ) -> EventLoopFuture<any Channel> {
        do {
            var bootstrap = bootstrap(willConnect)
            if let source = sources?[address.family] {
                bootstrap = bootstrap.bind(to: try source.socketAddress(port: 0))
            }
            return bootstrap.connect(to: try address.socketAddress(port: port))
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
    }

    /// Connects to a Unix-domain socket, in the same way.
    func connect(
        toSocket path: String,
        willConnect: @escaping (any Channel) -> Bool
    ) -> EventLoopFuture<any Channel> {
        bootstrap(willConnect).connect(unixDomainSocketPath: path)
    }

    private func bootstrap(_ willConnect: @escaping (any Channel) -> Bool) -> ClientBootstrap {
        let bound = NIOLoopBound(willConnect, eventLoop: eventLoop)
        let device = device
        return ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 8192, maximum: mostRead)
            )
            // NIO keeps as many receive buffers, and uses those again that are no longer held.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(.writeBufferWaterMark, value: .init(low: 131_072, high: 524_288))
            // Whoever dials has a timeout.
            .connectTimeout(.hours(24 * 365))
            .channelInitializer { channel in
                guard bound.value(channel) else {
                    return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }
                #if os(Linux)
                    guard let device, let options = channel as? any SocketOptionProvider else {
                        return channel.eventLoop.makeSucceededVoidFuture()
                    }
                    // The kernel reads 16 bytes, as many as the value has.
                    return options.unsafeSetSocketOption(
                        level: .socket,
                        name: NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE),
                        value: device
                    )
                #else
                    return channel.eventLoop.makeSucceededVoidFuture()
                #endif
            }
    }
}
