import ArgumentParser
import Bluebonnet

/// The options for the two ends of a connection, which all commands that send requests share.
struct AddressOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The addresses of a host and a port, in place of a lookup: host:port:address[,address]. * is any host. "
                + "(repeatable)",
            valueName: "entry"
        )
    )
    var resolve: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another host and port to connect to: host1:port1:host2:port2. An empty first part is any, an empty "
                + "second one that of the URL. (repeatable)",
            valueName: "entry"
        )
    )
    var connectTo: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The interface of this machine to connect over, as eth0, or the address to connect from.",
            valueName: "name"
        )
    )
    var interface: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Connect to addresses of IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Connect to addresses of IPv6 only.")
    var ipv6 = false

    func validate() throws {
        if ipv4, ipv6 { throw ValidationError("-4 and -6 cannot be used together.") }
        if interface?.isEmpty == true { throw ValidationError("--interface needs a name or an address.") }
        do {
            _ = try AddressOverrides(resolve)
            _ = try EndpointOverrides(connectTo)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Puts the options into a configuration.
    ///
    /// - Throws: ``CommandFailure`` for an entry that is none.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        do throws(NetworkingError) {
            configuration.addressOverrides = try AddressOverrides(resolve)
            configuration.endpointOverrides = try EndpointOverrides(connectTo)
        } catch {
            throw .usage(error.message)
        }
        if let interface {
            configuration.localBinding = IPAddress(interface).map { .address($0) } ?? .interface(interface)
        }
        if ipv4 { configuration.addressFamilies = [.ipv4] }
        if ipv6 { configuration.addressFamilies = [.ipv6] }
    }
}
