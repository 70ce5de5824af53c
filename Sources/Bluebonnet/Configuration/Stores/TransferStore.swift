public import FoundationEssentials

/// Keeps the transfers of a session, so that they outlive the process: for a ``TransferJournal``.
///
/// The product `BluebonnetStores` has one in an SQLite database, which
/// `SessionConfiguration.persistent(identifier:directory:)` opens. Write your own to keep them
/// elsewhere.
///
/// A store has the transfers of one session, and one process uses it at a time: see to that when
/// you open it. Its functions may block; they are called one at a time, on threads that may. The
/// data can hold secrets, such as the field `Authorization` of a request.
///
/// No counterpart in AFNetworking or Alamofire: NSURLSession keeps the tasks of a background
/// session in a daemon.
public protocol TransferStore: Sendable {
    /// All transfers of the store, in no particular order. Called once, before all else.
    ///
    /// - Returns: The transfers.
    /// - Throws: Any error; the journal then fails with ``NetworkingError/Code/storeFailed``,
    ///   unless it is a ``NetworkingError``.
    func transfers() throws -> [StoredTransfer]

    /// Changes the store in one step: after a crash or a loss of power at any moment it has all of
    /// the changes or none. When this returns, the disk has them.
    ///
    /// - Parameters:
    ///   - transfers: The transfers to store, each in place of the one with its identifier.
    ///   - identifiers: The transfers to remove. One that is not there is no error. None of them is
    ///     among those to store.
    /// - Throws: Any error, with nothing changed.
    func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws
}

/// A transfer as a ``TransferStore`` keeps it.
///
/// No counterpart in AFNetworking or Alamofire.
public struct StoredTransfer: Sendable, Hashable {
    /// The identifier of its task, ``SessionTask/identifier``: above zero, and unique in the store.
    public var identifier: Int

    /// What the transfer is and how far it has come, in a format of the library (JSON in UTF-8). It
    /// has its own version number.
    public var data: Data

    /// Makes a stored transfer.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of its task.
    ///   - data: What the transfer is.
    public init(identifier: Int, data: Data) {
        self.identifier = identifier
        self.data = data
    }
}
