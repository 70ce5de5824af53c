import Synchronization

/// Finds the addresses of host names for a session. Set one in
/// ``SessionConfiguration/nameResolver`` to look names up in a way of your own, such as DNS over
/// HTTPS or the directory of a cluster.
///
/// ```swift
/// struct StaffDirectory: NameResolver {
///     let table: [String: IPAddress]
///
///     func addresses(
///         of host: String, in family: IPAddress.Family
///     ) async throws -> FoundAddresses {
///         guard let address = table[host] else {
///             return try await SystemNameResolver().addresses(of: host, in: family)
///         }
///         return FoundAddresses(address.family == family ? [address] : [])
///     }
/// }
/// ```
///
/// A session asks for each family apart, both at once, and connects to the first addresses without
/// the others (RFC 8305 §3). It remembers what was found for a while, asks once where several
/// requests wait for the same name, and does not ask about addresses and about names that
/// ``SessionConfiguration/addressOverrides`` has.
///
/// No counterpart in AFNetworking and URLSession. Counterpart of `Dns` in OkHttp.
public protocol NameResolver: Sendable {
    /// Looks a host name up.
    ///
    /// It may take as long as it likes: no other name waits for it, and a request waits only for
    /// ``Timeouts/connect``. Its task is cancelled when no request waits for it any more and a
    /// newer lookup of the name begins, and when the session ends.
    ///
    /// - Parameters:
    ///   - host: The name; never an address.
    ///   - family: The family of the addresses that are wanted; others are not used.
    /// - Returns: The addresses, in the order in which they are to be tried (RFC 6724 §6); none
    ///   where the name has none of this family.
    /// - Throws: Any error: the name does not exist, or could not be looked up. Where the other
    ///   family has no addresses either, the request fails with
    ///   ``NetworkingError/Code/dnsLookupFailed``, and the error is ``NetworkingError/underlying``.
    func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses
}

/// The addresses that a ``NameResolver`` has found.
///
/// No counterpart in AFNetworking and Alamofire.
public struct FoundAddresses: Sendable, Hashable {
    /// The addresses, in the order in which they are to be tried.
    public var addresses: [IPAddress]

    /// The time for which they may be used, such as that of a DNS record (RFC 1035 §3.2.1).
    /// Default: nil, it is not known, and the session uses them for 10 seconds. With zero, they are
    /// used once. More than a day is a day (RFC 8767 §4).
    public var timeToLive: Duration?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - addresses: The addresses.
    ///   - timeToLive: The time for which they may be used. Default: nil, not known.
    public init(_ addresses: [IPAddress], timeToLive: Duration? = nil) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }
}

/// Name lookup with calls back in place of tasks: for those that cost no task, and those that wait
/// for their turn.
protocol NameSource: Sendable {
    /// Looks a host name up.
    ///
    /// - Parameters:
    ///   - host: The name; never a literal address.
    ///   - family: The family of the addresses.
    ///   - isWanted: Called by a source that delays a lookup, before it begins. False when no
    ///     request waits for the lookup any more, so that it need not be made.
    ///   - completion: To be called once, on any thread.
    /// - Returns: Ends the lookup where that is possible, and then the completion may be called or
    ///   not.
    func lookUp(
        _ host: String,
        in family: IPAddress.Family,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<FoundAddresses, any Error>) -> Void
    ) -> @Sendable () -> Void
}

/// A resolver of the user's as a source: each lookup has a task.
struct TaskNameSource: NameSource {
    let resolver: any NameResolver

    func lookUp(
        _ host: String,
        in family: IPAddress.Family,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<FoundAddresses, any Error>) -> Void
    ) -> @Sendable () -> Void {
        let task = Task {
            do {
                completion(.success(try await resolver.addresses(of: host, in: family)))
            } catch {
                completion(.failure(error))
            }
        }
        return { task.cancel() }
    }
}

extension NameResolver {
    var source: any NameSource { (self as? any NameSource) ?? TaskNameSource(resolver: self) }

    /// Looks a name up in both families. The completion is called once, on any thread, with the
    /// addresses of both; none where none are found.
    func lookUpAll(_ host: String, completion: @escaping @Sendable ([IPAddress]) -> Void) {
        let found = FoundOfBoth(completion: completion)
        for family in [IPAddress.Family.ipv6, .ipv4] {
            _ = source.lookUp(host, in: family, isWanted: { true }) { found.add($0, of: family) }
        }
    }
}

/// The results of two lookups, the second of which calls the completion.
private final class FoundOfBoth: Sendable {
    private let completion: @Sendable ([IPAddress]) -> Void
    private let found = Mutex<[IPAddress.Family: [IPAddress]]>([:])

    init(completion: @escaping @Sendable ([IPAddress]) -> Void) {
        self.completion = completion
    }

    func add(_ result: Result<FoundAddresses, any Error>, of family: IPAddress.Family) {
        let all = found.withLock { found -> [IPAddress]? in
            found[family] = (try? result.get())?.addresses ?? []
            guard let six = found[.ipv6], let four = found[.ipv4] else { return nil }
            return six + four
        }
        if let all { completion(all) }
    }
}
