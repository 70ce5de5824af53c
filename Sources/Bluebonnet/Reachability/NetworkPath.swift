/// The way that packets take from this machine to a host, or to the networks beyond it.
///
/// Counterpart of `NWPath`, which AFNetworking does not use.
public struct NetworkPath: Sendable, Hashable {
    /// The kind of a network interface. A struct, so that a new kind does not break a `switch`.
    ///
    /// Counterpart of `NWInterface.InterfaceType`.
    public struct InterfaceKind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind: `wifi`.
        public let description: String

        /// A wireless network (IEEE 802.11).
        public static let wifi = InterfaceKind(description: "wifi")
        /// A modem for mobile networks.
        public static let cellular = InterfaceKind(description: "cellular")
        /// A cable, or what looks like one: also bridges, and the interfaces of containers.
        public static let ethernet = InterfaceKind(description: "ethernet")
        /// This machine itself.
        public static let loopback = InterfaceKind(description: "loopback")
        /// Any other kind, such as a tunnel.
        public static let other = InterfaceKind(description: "other")
    }

    /// Whether there is a path, and over what kind of network.
    public let status: NetworkReachabilityStatus

    /// The name of the interface, such as `wlan0`; nil where there is no path.
    public let interfaceName: String?

    /// The kind of the interface; nil where there is no path.
    public let interfaceKind: InterfaceKind?

    /// The address of this machine that packets are sent from, as text. Nil where there is no path,
    /// where the interface has no address, and for the loopback interface.
    public let localAddress: String?

    /// Whether the network is one that costs money: that of a modem, or of a telephone that shares
    /// its connection by Bluetooth or USB. A telephone that is a WLAN access point cannot be told
    /// from another one, nor one whose USB is that of a network adapter (CDC NCM, as in new
    /// versions of Android): an iPhone is known, and a telephone with RNDIS.
    public let isExpensive: Bool

    /// Whether there is a path. False where it is not known, too: look at ``status``.
    public var isReachable: Bool { status.isReachable }

    static let unknown = NetworkPath(
        status: .unknown,
        interfaceName: nil,
        interfaceKind: nil,
        localAddress: nil,
        isExpensive: false
    )

    static let none = NetworkPath(
        status: .notReachable,
        interfaceName: nil,
        interfaceKind: nil,
        localAddress: nil,
        isExpensive: false
    )

    init(
        status: NetworkReachabilityStatus,
        interfaceName: String?,
        interfaceKind: InterfaceKind?,
        localAddress: String?,
        isExpensive: Bool
    ) {
        self.status = status
        self.interfaceName = interfaceName
        self.interfaceKind = interfaceKind
        self.localAddress = localAddress
        self.isExpensive = isExpensive
    }
}

/// Whether a host or the networks beyond this machine can be reached, and over what kind of
/// network. A struct, so that a new status does not break a `switch`.
///
/// Counterpart of `AFNetworkReachabilityStatus`, which has four: ``number`` tells which of them
/// each status is.
public struct NetworkReachabilityStatus: Sendable, Hashable, CustomStringConvertible {
    /// The number of AFNetworking's status: -1 unknown, 0 not reachable, 1 reachable via WWAN, 2
    /// reachable via WiFi, which ``reachableViaEthernet`` and ``reachableViaOther`` are, too, as
    /// every network but WWAN was in AFNetworking.
    public let number: Int

    /// The text, as AFNetworking has it: `Unknown`, `Not Reachable`, `Reachable via WWAN`,
    /// `Reachable via WiFi`; and `Reachable via Ethernet`, `Reachable via Another Network`.
    public let description: String

    /// It is not known yet, or cannot be known. It does not say that nothing can be reached.
    public static let unknown = Self(number: -1, description: "Unknown")
    /// There is no route.
    public static let notReachable = Self(number: 0, description: "Not Reachable")
    /// The route is over a mobile network.
    public static let reachableViaWWAN = Self(number: 1, description: "Reachable via WWAN")
    /// The route is over a wireless network.
    public static let reachableViaWiFi = Self(number: 2, description: "Reachable via WiFi")
    /// The route is over a cable.
    public static let reachableViaEthernet = Self(number: 2, description: "Reachable via Ethernet")
    /// The route is over another network, such as a tunnel, or the host is this machine.
    public static let reachableViaOther = Self(number: 2, description: "Reachable via Another Network")

    /// Whether there is a route. False for ``unknown``, too.
    public var isReachable: Bool { number > 0 }
}
