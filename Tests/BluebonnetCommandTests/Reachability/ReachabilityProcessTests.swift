import Bluebonnet
import Foundation
import Testing

/// The command that watches a network of its own, whose links and routes a test changes.
@Suite(.needsNamespaces, .serialized) struct ReachabilityProcessTests {
    /// `bluebonnet reachability --watch --json` in a namespace.
    private final class Watch {
        private let process: NamespaceProcess
        private var text = ""

        init(_ namespace: NetworkNamespace, _ arguments: String..., through program: [String] = []) throws {
            let arguments = ["reachability", "--watch", "--json"] + arguments
            process = try NamespaceProcess(namespace.process(arguments, through: program))
        }

        var identifier: Int32 { process.identifier }

        /// The next line that the command prints.
        func next() async throws -> JSONValue {
            while true {
                if let end = text.firstIndex(of: "\n") {
                    let line = String(text[..<end])
                    text = String(text[text.index(after: end)...])
                    return try JSONValue(parsing: Data(line.utf8))
                }
                let more = await process.nextText()
                if more.isEmpty { throw NetworkNamespace.Failure(description: "the command has ended") }
                text += more
            }
        }

        /// The next line, and the time from the end of the change to it.
        func next(after change: () async throws -> Void) async throws -> (JSONValue, Duration) {
            try await change()
            let begin = ContinuousClock.now
            let line = try await next()
            return (line, .now - begin)
        }
    }

    /// The number of flaps; nil where other tests run, too.
    private static let flaps = ProcessInfo.processInfo.environment["BLUEBONNET_FLAPS"].flatMap { Int($0) }

    /// The time in which a status has to be told after the event of the kernel. Beside other tests,
    /// this one may wait for a processor.
    private static let limit = flaps == nil ? Duration.seconds(10) : .milliseconds(300)

    @Test(.timeLimit(.minutes(1)))
    func `a link, its address and the default route go away and come back`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("route add default via 10.9.0.2")
        let watch = try Watch(namespace)
        let first = try await watch.next()
        #expect(first["status"] == "Reachable via Ethernet" && first["interface"] == "v0")
        #expect(first["address"] == "10.9.0.1" && first["reachable"] == true && first["number"] == 2)
        let changes = [
            ("link set v0 down", false), ("link set v0 up", nil), ("route add default via 10.9.0.2", true),
            ("route delete default", false), ("route add default via 10.9.0.2", true),
            // The kernel removes the route with the address, and tells nobody.
            ("address delete 10.9.0.1/24 dev v0", false), ("address add 10.9.0.1/24 dev v0", nil),
            ("route add default via 10.9.0.2", true),
        ]
        var hasCarrier = true
        for (change, isReachable) in changes {
            guard let isReachable else {
                // The kernel may tell of the carrier a second later.
                hasCarrier = !change.hasSuffix("up")
                try await namespace.ip(change)
                continue
            }
            let (line, time) = try await watch.next { try await namespace.ip(change) }
            #expect(line["reachable"] == .bool(isReachable), "\(change)")
            if hasCarrier { #expect(time < Self.limit, "\(change)") }
            hasCarrier = true
        }
    }

    /// The network of the interface has a route as long as it is up and has its address.
    @Test(.timeLimit(.minutes(1)))
    func `a host nearby is reached as soon as the link is up, or the address is there`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let watch = try Watch(namespace, "10.9.0.77")
        #expect(try await watch.next()["reachable"] == true)
        let links = try NamespaceProcess(namespace.linkMonitor())
        let (down, first) = try await watch.next { try await namespace.ip("link set v0 down") }
        let (up, second) = try await watch.next {
            try await namespace.ip("link set v0 up")
            // The kernel may tell of the carrier a second later.
            var text = ""
            while !text.contains("state UP") {
                let more = await links.nextText()
                if more.isEmpty { throw NetworkNamespace.Failure(description: "the monitor has ended") }
                text += more
            }
        }
        #expect(down["reachable"] == false && up["reachable"] == true)
        let (without, third) = try await watch.next { try await namespace.ip("address delete 10.9.0.1/24 dev v0") }
        let (with, fourth) = try await watch.next { try await namespace.ip("address add 10.9.0.1/24 dev v0") }
        #expect(without["reachable"] == false && with["address"] == "10.9.0.1")
        for time in [first, second, third, fourth] { #expect(time < Self.limit) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `no privilege is needed`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let program = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
        let watch = try Watch(namespace, through: program)
        #expect(try await watch.next()["reachable"] == false)
        let status = try String(contentsOf: URL(filePath: "/proc/\(watch.identifier)/status"), encoding: .utf8)
        let privileges = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        #expect(privileges == "CapEff:\t0000000000000000")
        let (path, _) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2") }
        #expect(path["interface"] == "v0")
    }

    /// A process that is stopped does not read: the kernel drops what there is no room for.
    @Test(.timeLimit(.minutes(1)))
    func `changes that the kernel has dropped are found by reading all again`() async throws {
        try await withDirectory { folder in
            let namespace = try await NetworkNamespace(interfaces: 1)
            try await namespace.ip("route add default via 10.9.0.2")
            let watch = try Watch(namespace)
            #expect(try await watch.next()["interface"] == "v0")
            let changes = (0..<5000).flatMap { number in
                let route = "20.\(number >> 8).\(number & 255).0/24 via 10.9.0.2"
                return ["route add \(route)", "route delete \(route)"]
            }
            let file = folder.appending(path: "changes")
            try Data((changes + ["route delete default"]).joined(separator: "\n").utf8).write(to: file)
            kill(watch.identifier, SIGSTOP)
            try await namespace.ip("-batch \(file.path(percentEncoded: false))")
            #expect(try drops(of: watch.identifier) > 0)
            kill(watch.identifier, SIGCONT)
            #expect(try await watch.next()["reachable"] == false)
            let (back, time) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2") }
            #expect(back["interface"] == "v0" && time < Self.limit)
        }
    }

    /// The number of netlink messages that the kernel has dropped in the network of a process.
    private func drops(of process: Int32) throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/\(process)/net/netlink"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard let column = lines.first?.firstIndex(of: "Drops") else {
            throw NetworkNamespace.Failure(description: "the kernel does not count what it drops")
        }
        return lines.dropFirst().reduce(0) { $0 + (column < $1.count ? Int($1[column]) ?? 0 : 0) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a second interface takes over, and gives back`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 2)
        try await namespace.ip("route add default via 10.9.0.2 metric 100")
        try await namespace.ip("route add default via 10.9.1.2 metric 200")
        let watch = try Watch(namespace)
        #expect(try await watch.next()["interface"] == "v0")
        let (other, time) = try await watch.next { try await namespace.ip("link set v0 down") }
        #expect(other["interface"] == "v1" && other["address"] == "10.9.1.1" && time < Self.limit)
        try await namespace.ip("link set v0 up")
        let (back, _) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2 metric 100") }
        #expect(back["interface"] == "v0")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a host has a route while the default is gone`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let host = try Watch(namespace, "10.9.0.77")
        let all = try Watch(namespace)
        _ = try await host.next()
        let without = try await all.next()
        #expect(without["status"] == "Not Reachable")
        let (gone, time) = try await host.next { try await namespace.ip("route delete 10.9.0.0/24") }
        #expect(gone["reachable"] == false && time < Self.limit)
        let (back, _) = try await host.next { try await namespace.ip("route add 10.9.0.77/32 dev v0") }
        #expect(back["reachable"] == true && back["interface"] == "v0")
    }

    @Test(.timeLimit(.minutes(1)))
    func `IPv6 has a path of its own`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let watch = try Watch(namespace)
        #expect(try await watch.next()["reachable"] == false)
        try await namespace.ip("address add 2001:db8::7/64 dev v0 nodad")
        let (path, time) = try await watch.next { try await namespace.ip("-6 route add default via 2001:db8::1") }
        #expect(path["address"] == "2001:db8::7" && time < Self.limit)
        let (gone, _) = try await watch.next { try await namespace.ip("-6 address delete 2001:db8::7/64 dev v0") }
        #expect(gone["reachable"] == false)
    }

    @Test(.timeLimit(.minutes(1)))
    func `IPv6 is sent from an address of the loopback interface`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("address add 2001:db8::7/128 dev lo")
        let watch = try Watch(namespace, "2001:db8:1::1")
        #expect(try await watch.next()["status"] == "Not Reachable")
        let (path, _) = try await watch.next { try await namespace.ip("-6 route add default via fe80::1 dev v0") }
        #expect(path["address"] == "2001:db8::7" && path["interface"] == "v0")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a next hop is removed, and the kernel tells nothing of its route`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("nexthop add id 1 via 10.9.0.2 dev v0")
        try await namespace.ip("route add default nhid 1")
        let watch = try Watch(namespace)
        #expect(try await watch.next()["interface"] == "v0")
        let (gone, time) = try await watch.next { try await namespace.ip("nexthop delete id 1") }
        #expect(gone["reachable"] == false && time < Self.limit)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a rule leads to a default route in another table`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("route add default via 10.9.0.2 table 1000")
        let watch = try Watch(namespace)
        #expect(try await watch.next()["status"] == "Not Reachable")
        let (path, time) = try await watch.next { try await namespace.ip("rule add lookup 1000") }
        #expect(path["interface"] == "v0" && time < Self.limit)
        let (gone, _) = try await watch.next { try await namespace.ip("route delete default table 1000") }
        #expect(gone["reachable"] == false)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a rule refuses what the main table has a route for`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("route add default via 10.9.0.2")
        let watch = try Watch(namespace)
        #expect(try await watch.next()["interface"] == "v0")
        let (refused, time) = try await watch.next { try await namespace.ip("rule add prohibit priority 100") }
        #expect(refused["reachable"] == false && time < Self.limit)
        let (back, _) = try await watch.next { try await namespace.ip("rule delete priority 100") }
        #expect(back["interface"] == "v0")
    }

    /// Each removal has all routes read again.
    @Test(.timeLimit(.minutes(3)))
    func `changes are told while a large table is read`() async throws {
        let count = Self.flaps == nil ? 20_000 : 300_000
        try await withDirectory { folder in
            let namespace = try await NetworkNamespace(interfaces: 1)
            let routes = (0..<count).map { number in
                let address = "\(20 + (number >> 16)).\(number >> 8 & 255).\(number & 255).0"
                return "route add \(address)/24 via 10.9.0.2"
            }
            let file = folder.appending(path: "routes")
            try Data(routes.joined(separator: "\n").utf8).write(to: file)
            try await namespace.ip("route add default via 10.9.0.2")
            try await namespace.ip("-batch \(file.path(percentEncoded: false))")
            let watch = try Watch(namespace, "203.0.113.1")
            _ = try await watch.next()
            var longest = Duration.zero
            for _ in 0..<10 {
                let (down, first) = try await watch.next { try await namespace.ip("route delete default") }
                let (up, second) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2") }
                try #require(down["reachable"] == false && up["reachable"] == true)
                longest = max(longest, first, second)
            }
            #expect(longest < Self.limit)
            if Self.flaps != nil { print("with \(count) routes, the longest delay was \(longest)") }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `this machine is reached by its name without any network`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 0)
        let process = namespace.process(["reachability", "localhost"])
        process.standardOutput = FileHandle.nullDevice
        #expect(try await process.start().value == 0)
    }

    /// `scripts/reachability-flaps` has 200 of them.
    @Test(.timeLimit(.minutes(5)))
    func `each of many flaps is told, and nothing is done between them`() async throws {
        let flaps = Self.flaps ?? 20
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("route add default via 10.9.0.2")
        let watch = try Watch(namespace)
        _ = try await watch.next()
        var longest = Duration.zero
        for _ in 0..<flaps {
            let (down, first) = try await watch.next { try await namespace.ip("route delete default") }
            let (up, second) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2") }
            try #require(down["reachable"] == false && up["reachable"] == true)
            longest = max(longest, first, second)
        }
        #expect(longest < Self.limit)
        if Self.flaps != nil { print("\(flaps) flaps, the longest delay was \(longest)") }
        // None waited for its status: each is told all the same.
        for _ in 0..<flaps {
            try await namespace.ip("route delete default")
            try await namespace.ip("route add default via 10.9.0.2")
        }
        for _ in 0..<flaps {
            try #require(try await watch.next()["reachable"] == false)
            try #require(try await watch.next()["reachable"] == true)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `who waits for a change uses no processor`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let watch = try Watch(namespace)
        #expect(try await watch.next()["reachable"] == false)
        // `ip` runs the command in its place. Two changes that concern no path wake it, and by the
        // second one it has slept in between.
        let before = try ticks(of: watch.identifier)
        for _ in 0..<50 {
            try await namespace.ip("address add 10.9.0.9/24 dev v0")
            try await namespace.ip("address delete 10.9.0.9/24 dev v0")
        }
        let (last, _) = try await watch.next { try await namespace.ip("route add default via 10.9.0.2") }
        #expect(last["reachable"] == true)
        let after = try ticks(of: watch.identifier)
        #expect(after - before <= 15)
        // Nothing happens, and nothing is done.
        try await Task.sleep(for: .seconds(2))
        #expect(try ticks(of: watch.identifier) - after <= 1)
    }

    /// The time of the processor that a process has used, in hundredths of a second.
    private func ticks(of process: Int32) throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw NetworkNamespace.Failure(description: "no times of \(process)")
        }
        return user + system
    }

    @Test(.timeLimit(.minutes(1)))
    func `without a watch the exit status tells`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        let here = namespace.process(["reachability", "10.9.0.77"])
        here.standardOutput = FileHandle.nullDevice
        #expect(try await here.start().value == 0)
        let elsewhere = namespace.process(["reachability", "198.51.100.1", "--json"])
        let output = Pipe()
        elsewhere.standardOutput = output
        #expect(try await elsewhere.start().value == 1)
        #expect(await output.nextText().contains(#""status":"Not Reachable""#))
    }
}

@Suite struct ReachabilityUsageTests {
    @Test(arguments: ["", "a b", "user@example.org", "http://", "example.org:80"])
    func `a text that is no host is bad usage, and is not repeated`(host: String) async throws {
        let output = try await Command.run("reachability", host)
        #expect(output.status == 2)
        #expect(!output.errors.contains("user@"))
    }
}
