import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Requests that wait for a network, and those that may not use one. The network is a stub, and a
/// name that is not found stands for one that is not there.
@Suite(.timeLimit(.minutes(3)))
struct ConnectivityTests {
    private static let echo = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    /// A session whose network and names a test changes.
    private struct Setting {
        let network: StubNetwork
        let names = StubNames()
        let waits = EventLog<Int>()
        let isWaiting = Gate()

        init(_ state: NetworkState) {
            network = StubNetwork(state)
        }

        func configuration(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionConfiguration {
            SessionConfiguration { configuration in
                configuration.waitsForConnectivity = true
                configuration.networkMonitor = network.monitor
                configuration.nameResolver = names
                configuration.hooks.taskIsWaitingForConnectivity = { task in
                    waits.append(task.identifier)
                    isWaiting.open()
                }
                change(&configuration)
            }
        }

        /// Makes the network, and the name, be there.
        func connect() {
            names.set("127.0.0.1")
            network.tell(.online())
        }
    }

    private func url(_ server: FaultServer) -> String {
        server.baseURL.replacing("127.0.0.1", with: "name.test")
    }

    @Test func `a task waits for a network, tells so once, and ends right`() async throws {
        let setting = Setting(.offline)
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration()) { session in
                let events = session.events
                let task = session.dataTask(for: try Request(to: url(server)))
                task.resume()
                await setting.isWaiting.wait()
                // A network nearby may be enough, but is not for this name.
                setting.network.tell(.near)
                setting.connect()
                #expect(try await task.value.elementsEqual("ok".utf8))
                #expect(setting.waits.events == [task.identifier])
                var kinds: [String] = []
                for await event in events {
                    kinds.append("\(event.kind)")
                    if event.kind == .didComplete { break }
                }
                #expect(kinds == ["didResume", "isWaitingForConnectivity", "didReceiveResponse", "didComplete"])
            }
        }
    }

    @Test func `a task with a proxy waits for the way to the proxy`() async throws {
        let setting = Setting(.offline)
        try await FaultServer.run(Self.echo) { server in
            let proxy = try Proxy(.http, host: "name.test", port: server.port)
            try await withSession(setting.configuration { $0.proxies = .proxy(proxy) }) { session in
                async let data = session.data(for: Request(to: "http://one.example/")).value
                await setting.isWaiting.wait()
                setting.connect()
                let received = try await data
                #expect(received.elementsEqual("ok".utf8))
            }
            #expect(server.requests.map(\.target) == ["http://one.example/"])
        }
    }

    @Test func `a host in a network without a default route is tried when that is there`() async throws {
        let setting = Setting(.offline)
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration()) { session in
                async let data = session.data(for: Request(to: url(server))).value
                await setting.isWaiting.wait()
                setting.names.set("127.0.0.1")
                setting.network.tell(.near)
                let received = try await data
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `with a network, an error is an error at once`() async throws {
        let setting = Setting(.online())
        try await withSession(setting.configuration()) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://name.test/")) }
            #expect(error.code == .dnsLookupFailed)
        }
        #expect(setting.waits.events.isEmpty)
    }

    @Test func `a named host with a route is not waited for, though there is no default route`() async throws {
        let setting = Setting(.near)
        // Nobody listens there.
        setting.names.set("127.0.0.1")
        try await withSession(setting.configuration()) { session in
            var request = try Request(to: "http://name.test:1/")
            request.timeouts = Timeouts(request: .seconds(60))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .connectFailed)
        }
        #expect(setting.waits.events.isEmpty)
    }

    @Test func `a further network nearby is tried, too`() async throws {
        // That of containers, which has been there all the time.
        let setting = Setting(.near)
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration()) { session in
                async let data = session.data(for: Request(to: url(server))).value
                await setting.isWaiting.wait()
                setting.names.set("127.0.0.1")
                setting.network.tell(.near(also: "198.51.100.0"))
                let received = try await data
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `where the network cannot be followed, an error is an error at once`() async throws {
        let setting = Setting(.offline)
        let monitor = NetworkMonitor { _, _ in false }
        try await withSession(setting.configuration { $0.networkMonitor = monitor }) { session in
            var request = try Request(to: "http://name.test/")
            // It would wait for a second.
            request.timeouts = Timeouts(request: .milliseconds(900))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .dnsLookupFailed)
        }
    }

    @Test func `without waiting, an error is an error at once`() async throws {
        let setting = Setting(.offline)
        try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://name.test/")) }
            #expect(error.code == .dnsLookupFailed)
        }
    }

    @Test func `the time of the request limits the wait`() async throws {
        let setting = Setting(.offline)
        try await withSession(setting.configuration()) { session in
            var request = try Request(to: "http://name.test/")
            request.timeouts = Timeouts(request: .milliseconds(50))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout)
        }
    }

    @Test(arguments: [Stop.cancel, .cancelledCaller, .endOfSession])
    func `the wait ends at once when the task is stopped`(stop: Stop) async throws {
        let setting = Setting(.offline)
        try await withSession(setting.configuration()) { session in
            let error = try await stop.error(of: Request(to: "http://name.test/"), in: session) { _ in
                await setting.isWaiting.wait()
            }
            #expect(error.code == stop.code)
        }
    }

    // MARK: Expensive networks

    private func frugal(_ url: String) throws -> Request {
        var request = try Request(to: url)
        request.properties.allowsExpensiveNetworkAccess = false
        return request
    }

    @Test func `a request can refuse mobile networks alone, and then uses that of a telephone`() async throws {
        let setting = Setting(.online("wwan0", .cellular))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
                var request = try Request(to: url(server))
                request.properties.allowsCellularAccess = false
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .networkNotAllowed && error.message.contains("mobile"))
                #expect(error.message.contains("wwan0") && server.connections.isEmpty)
                // A telephone at a cable.
                setting.network.tell(
                    .after(
                        NetlinkBuilder.link(2, "usb0"),
                        NetlinkBuilder.route(to: "0.0.0.0", 0, over: [2]),
                        nature: { _ in LinkNature(kind: .ethernet, isExpensive: true) }
                    )
                )
                let received = try await session.data(for: request).value
                #expect(received.elementsEqual("ok".utf8))
                request.properties.allowsExpensiveNetworkAccess = false
                let other = try await networkingError { try await session.data(for: request) }
                #expect(other.code == .networkNotAllowed && other.message.contains("expensive"))
            }
        }
    }

    @Test func `a request that may not use an expensive network fails there, and sends nothing`() async throws {
        let setting = Setting(.online("wwan0", .cellular))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
                let error = try await networkingError { try await session.data(for: frugal(url(server))) }
                #expect(error.code == .networkNotAllowed && error.message.contains("wwan0"))
                #expect(server.connections.isEmpty)
                // Others may.
                let received = try await session.data(for: Request(to: url(server))).value
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `it is sent over another network, and where none is known`() async throws {
        let setting = Setting(.online("wlan0", .wifi))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
                let received = try await session.data(for: frugal(url(server))).value
                #expect(received.elementsEqual("ok".utf8))
            }
            let unknown = StubNetwork()
            try await withSession(
                setting.configuration {
                    $0.waitsForConnectivity = false
                    $0.networkMonitor = unknown.monitor
                }
            ) { session in
                let received = try await session.data(for: frugal(url(server))).value
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `in a session that waits, it waits for a network that costs nothing`() async throws {
        let setting = Setting(.online("wwan0", .cellular))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration()) { session in
                async let data = session.data(for: frugal(url(server))).value
                await setting.isWaiting.wait()
                #expect(server.connections.isEmpty)
                setting.network.tell(.offline)
                setting.connect()
                let received = try await data
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `the network that leads to the host decides, not the one of the default route`() async throws {
        let expensive = Setting(.two(default: .ethernet, near: .cellular))
        expensive.names.set("192.0.2.9")
        try await withSession(expensive.configuration { $0.waitsForConnectivity = false }) { session in
            let error = try await networkingError { try await session.data(for: frugal("http://name.test/")) }
            #expect(error.code == .networkNotAllowed && error.message.contains("x1"))
        }
        let free = Setting(.two(default: .cellular, near: .ethernet))
        free.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(free.configuration { $0.waitsForConnectivity = false }) { session in
                let received = try await session.data(for: frugal(url(server))).value
                #expect(received.elementsEqual("ok".utf8))
            }
        }
    }

    @Test func `a lookup that does not end leaves the default route to decide`() async throws {
        let setting = Setting(.two(default: .cellular, near: .ethernet))
        setting.names.hold()
        try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
            var request = try frugal("http://name.test/")
            request.timeouts = Timeouts(connect: .milliseconds(20))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .networkNotAllowed && error.message.contains("x0"))
        }
        setting.names.release()
    }

    /// Finds nothing before it is cancelled, and counts that.
    private struct EndlessResolver: NameResolver {
        let ended: Counter

        func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
            defer { ended.increment() }
            try await Task.sleep(for: .seconds(3600))
            return FoundAddresses([])
        }
    }

    @Test func `lookups that do not end are stopped with the session, also where its tasks are kept`() async throws {
        let (setting, ended) = (Setting(.two(default: .cellular, near: .ethernet)), Counter())
        let configuration = setting.configuration {
            $0.waitsForConnectivity = false
            $0.nameResolver = EndlessResolver(ended: ended)
        }
        let task = try await withSession(configuration) { session in
            var request = try frugal("http://name.test/")
            request.timeouts = Timeouts(connect: .milliseconds(20))
            let task = session.dataTask(for: request)
            task.resume()
            _ = try await networkingError { try await task.value }
            return task
        }
        try await until("the lookups of both families have ended") { ended.value == 2 }
        withExtendedLifetime(task) {}
    }

    @Test func `the host that is connected to decides, by the names that the session remembers`() async throws {
        let setting = Setting(.two(default: .ethernet, near: .cellular))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            let endpoints = try EndpointOverrides([
                "dear.test::192.0.2.9:", "name.test:80:name.test:\(server.port)",
            ])
            let addresses = try AddressOverrides(["fixed.test:80:192.0.2.9"])
            let configuration = setting.configuration {
                $0.waitsForConnectivity = false
                $0.endpointOverrides = endpoints
                $0.addressOverrides = addresses
            }
            try await withSession(configuration) { session in
                for url in ["http://dear.test/", "http://fixed.test/", "http://192.0.2.9/"] {
                    let error = try await networkingError { try await session.data(for: frugal(url)) }
                    #expect(error.code == .networkNotAllowed && error.message.contains("x1"), "\(url): \(error)")
                }
                for _ in 0..<3 { _ = try await session.data(for: frugal("http://name.test/")).value }
                #expect(setting.names.lookups == 1)
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a connection that may be over an expensive network is not used`() async throws {
        let setting = Setting(.two(default: .ethernet, near: .cellular))
        setting.names.set("127.0.0.1")
        try await FaultServer.run(Self.echo) { server in
            try await withSession(setting.configuration { $0.waitsForConnectivity = false }) { session in
                for (request, connections) in [
                    (try Request(to: url(server)), 1), (try Request(to: url(server)), 1), (try frugal(url(server)), 2),
                ] {
                    _ = try await session.data(for: request).value
                    #expect(server.connections.count == connections)
                }
                // Without such a network, any will do.
                setting.network.tell(.near)
                _ = try await session.data(for: frugal(url(server))).value
                #expect(server.connections.count == 2)
            }
        }
    }
}
