/// What all dials of a session have in common.
struct Dialer: Sendable {
    let lookups: NameLookups
    /// The families of the addresses that are connected to.
    var families = IPAddress.Family.all
    var overrides = AddressOverrides()
    var binding: LocalBinding?

    init(lookups: NameLookups) {
        self.lookups = lookups
    }

    init(_ configuration: SessionConfiguration) {
        lookups = NameLookups(configuration.nameResolver.source)
        families = configuration.addressFamilies
        overrides = configuration.addressOverrides
        binding = configuration.localBinding
    }
}
