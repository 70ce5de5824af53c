/// What all dials of a session have in common.
struct Dialer: Sendable {
    let lookups: NameLookups
    /// The families of the addresses that are connected to.
    var families: Set<IPAddress.Family>
    /// The hosts and ports that are connected to in place of others.
    var endpoints: EndpointOverrides
    /// The addresses that are used in place of a lookup.
    var overrides: AddressOverrides
    var binding: LocalBinding?

    /// - Parameters:
    ///   - configuration: The settings of the session.
    ///   - lookups: The names of the session; nil for names of its own.
    init(_ configuration: SessionConfiguration, _ lookups: NameLookups? = nil) {
        self.lookups = lookups ?? NameLookups(configuration.nameResolver.source)
        families = configuration.addressFamilies
        endpoints = configuration.endpointOverrides
        overrides = configuration.addressOverrides
        binding = configuration.localBinding
    }
}
