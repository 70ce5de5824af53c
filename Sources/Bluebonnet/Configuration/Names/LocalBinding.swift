/// The end of this machine that connections are made from.
///
/// Counterpart of `--interface` of curl. No counterpart in AFNetworking and URLSession, which leave
/// the choice to the system.
public struct LocalBinding: Sendable, Hashable {
    enum Kind: Hashable {
        case address(IPAddress)
        case interface(String)
    }

    let kind: Kind

    /// Connections come from an address of this machine, and only addresses of its family are
    /// connected to. Where the machine does not have it, requests fail with
    /// ``NetworkingError/Code/connectFailed``.
    ///
    /// - Parameter address: The address.
    /// - Returns: The binding.
    public static func address(_ address: IPAddress) -> LocalBinding {
        LocalBinding(kind: .address(address))
    }

    /// Connections go over an interface, whatever the routes say (`SO_BINDTODEVICE`). Where the
    /// system does not allow that, which Linux before 5.7 does only for root, they come from an
    /// address of the interface, and the routes decide where they go.
    ///
    /// Where there is no such interface, requests fail with
    /// ``NetworkingError/Code/connectFailed``.
    ///
    /// - Parameter name: The name of the interface, such as `eth0`.
    /// - Returns: The binding.
    public static func interface(_ name: String) -> LocalBinding {
        LocalBinding(kind: .interface(name))
    }
}

extension LocalBinding: CustomStringConvertible {
    /// The address or the name of the interface.
    public var description: String {
        switch kind {
        case .address(let address): address.description
        case .interface(let name): name
        }
    }
}
