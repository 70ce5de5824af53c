/// Keeps credentials beyond the life of a session: those with
/// ``Credential/Persistence/permanent``. Set in ``SessionConfiguration/credentialStore``.
///
/// ``KeyringCredentialStore`` keeps them in the keyring of a desktop, ``FileCredentialStore`` in a
/// file. Write your own to keep them elsewhere. A store that fails fails the requests that would
/// need it, and none that has its credential.
///
/// Counterpart of `NSURLCredentialStorage`.
public protocol CredentialStore: Sendable {
    /// The credential for a protection space.
    ///
    /// - Parameter space: The protection space.
    /// - Returns: The credential; nil for none.
    /// - Throws: Any error; the request then fails with ``NetworkingError/Code/storeFailed``,
    ///   unless it is a ``NetworkingError``.
    func credential(for space: ProtectionSpace) async throws -> Credential?

    /// Stores a credential in place of the one of its space, or removes that. Called with the first
    /// request that was successful with it: one whose status is less than 400.
    ///
    /// - Parameters:
    ///   - credential: The credential; nil to remove the one that is there.
    ///   - space: The protection space.
    /// - Throws: Any error. The request was successful all the same: the session goes on with the
    ///   credential in memory.
    func set(_ credential: Credential?, for space: ProtectionSpace) async throws
}
