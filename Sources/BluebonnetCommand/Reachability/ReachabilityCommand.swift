import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// `bluebonnet reachability`.
struct ReachabilityCommand: NamedCommand {
    static let name = "reachability"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Tells whether a host, or the network, can be reached.",
        discussion: """
            Looks at the links, addresses and routes of this machine, and sends nothing: a route says \
            that packets can be sent, not that somebody replies. Without a host, it tells of the \
            default route.

            Each line has the status, the interface, and the address that packets are sent from.

            Examples:
              bluebonnet reachability
              bluebonnet reachability example.org --json
              bluebonnet reachability --watch

            Exit status:
              0  it can be reached
              1  it cannot be reached, or that is not known after 5 seconds
              2  bad usage
            """
    )

    @Argument(help: ArgumentHelp("The host, as a name, an address or a URL.", valueName: "host"))
    var host: String?

    @Flag(name: [.customShort("w"), .long], help: "Prints a line at each change, until it is stopped.")
    var watch = false

    @Flag(help: "Prints each line as a JSON object.")
    var json = false

    /// The time in which the first status has to be known.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        let manager = try manager()
        manager.startMonitoring()
        if watch {
            for await path in manager.paths { StandardStream.output.write(line: line(path)) }
            return
        }
        let path = await withTaskGroup(of: NetworkPath?.self) { group in
            group.addTask { await manager.paths.first { $0.status != .unknown } }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        StandardStream.output.write(line: line(path ?? manager.path))
        if path?.isReachable != true { throw ExitStatus.transport }
    }

    private func manager() throws(CommandFailure) -> NetworkReachabilityManager {
        guard let host else { return .shared }
        let name = host.contains("://") ? URL(string: host)?.host(percentEncoded: false) : host
        guard let name, !name.isEmpty, !name.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "@" }) else {
            throw .usage("That is not a host: give a name, an address or a URL.")
        }
        // An address of IPv6 has colons, too, and may name an interface.
        let isAddress = NetworkReachabilityManager(address: name) != nil || name.contains("%")
        guard isAddress || !name.contains(":") else {
            throw .usage("Give the host without a port: a route does not depend on it.")
        }
        return NetworkReachabilityManager(domain: name)
    }

    private func line(_ path: NetworkPath) -> String {
        guard json else {
            return ([path.status.description] + [path.interfaceName, path.localAddress].compactMap { $0 })
                .map { ShownText.harmless($0) }.joined(separator: "  ") + (path.isExpensive ? "  expensive" : "")
        }
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        let object: JSONValue = [
            "status": .string(path.status.description),
            "number": .number(JSONNumber(path.status.number)),
            "reachable": .bool(path.isReachable),
            "interface": text(path.interfaceName),
            "kind": text(path.interfaceKind?.description),
            "address": text(path.localAddress),
            "expensive": .bool(path.isExpensive),
        ]
        return object.description
    }
}
