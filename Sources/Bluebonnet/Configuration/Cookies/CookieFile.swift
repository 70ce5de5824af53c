public import FoundationEssentials
import NIOCore
import Synchronization

/// Cookies in a file that curl can read and write, too: `curl --cookie FILE --cookie-jar FILE`. See
/// ``NetscapeCookies`` for its format.
///
/// The file is of mode 0600, since a cookie can be as good as a password. It is replaced as a
/// whole, so that nobody reads half of it. Processes of this library that use the same file take
/// turns with a lock on it, and each makes its own changes to what is there: none loses the cookies
/// of another. Other programs do not know the lock.
///
/// A line that is not understood stays as it is until all cookies are removed: one with bytes that
/// are not UTF-8, which curl writes, is of no use here, but may be for others. A cookie with a tab
/// cannot be in such a file; a jar has it in memory (``CookieJar/unstorableCookies``).
///
/// A file of somebody else is not replaced: one that has neither the first line of such a file nor
/// only cookies in it, is an error and stays as it is. So does what is not a regular file, such as
/// a link.
///
/// No counterpart in AFNetworking or Alamofire.
public final class CookieFile: CookieStore {
    private let path: String
    /// What this process has read or written last.
    private let lastBytes = Mutex<[UInt8]>([])

    /// The most bytes of the file: more than 10,000 of the longest cookies have.
    private let longest: Int

    /// Makes a store. Nothing is read or written before it is needed.
    ///
    /// - Parameter file: A file URL. Its folder must be there; the file need not.
    public convenience init(_ file: URL) {
        self.init(file, longest: 64 << 20)
    }

    init(_ file: URL, longest: Int) {
        path = file.path(percentEncoded: false)
        self.longest = longest
    }

    /// The cookies of the file.
    ///
    /// - Returns: The cookies; none where there is no file.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read, that is
    ///   larger than 64 MiB, or that is not one of cookies.
    public func cookies() throws -> [Cookie] {
        try reporting {
            guard let file = try SystemFile.store(at: path, creating: false) else { return [] }
            let (bytes, contents) = try read(file, at: Date())
            lastBytes.withLock { $0 = bytes }
            return contents.cookies
        }
    }

    /// Makes the changes of one process.
    ///
    /// - Parameters:
    ///   - changes: What the process has changed since the last call. May be empty.
    ///   - now: The present.
    /// - Returns: All cookies of the file, where somebody else has written it since the last call.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read or written,
    ///   that is not one of cookies, or that would be larger than 64 MiB;
    ///   ``NetworkingError/Code/storeInUse`` where another process keeps the lock for ten seconds.
    public func update(_ changes: CookieStoreChanges, at now: Date) throws -> [Cookie]? {
        try reporting {
            // No file is made to remove something from it.
            guard
                let file = try changes.isEmpty
                    ? SystemFile.store(at: path, creating: false)
                    : SystemFile.lockedStore(at: path, creating: !changes.stored.isEmpty)
            else { return lastBytes.withLock { $0.isEmpty } ? nil : [] }
            // The kernel gives it back with the last descriptor, which a process that is being
            // started may have, too.
            defer { file.release() }
            let (bytes, contents) = try read(file, at: now)
            let isOurs = lastBytes.withLock { $0 == bytes }
            guard !changes.isEmpty else {
                lastBytes.withLock { $0 = bytes }
                return isOurs ? nil : contents.cookies
            }
            let changed = changes.applied(to: contents.cookies).filter { !$0.isExpired(at: now) }
            var newBytes = Array(NetscapeCookies.text(of: changed).utf8)
            for line in changes.removesAll ? [] : contents.unknownLines { newBytes += line + [ASCII.lineFeed] }
            // What could not be read again is not written: the file stays one that can be used.
            guard newBytes.count <= longest else { throw tooLarge }
            if newBytes != bytes { try SystemFile.replaceStore(at: path, with: newBytes) }
            lastBytes.withLock { $0 = newBytes }
            return isOurs ? nil : changed
        }
    }

    /// Whether the format can hold a cookie: see ``NetscapeCookies/canHold(_:)``.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether it can.
    public func canStore(_ cookie: Cookie) -> Bool { NetscapeCookies.canHold(cookie) }

    // MARK: The file

    private func reporting<Output>(_ work: () throws -> Output) throws -> Output {
        do {
            return try work()
        } catch is SystemFile.InUse {
            throw NetworkingError(.storeInUse, "Another process keeps the lock on the cookies in \(path).")
        } catch {
            throw NetworkingError(.storeFailed, "The cookies in \(path) cannot be used: \(error)", underlying: error)
        }
    }

    private var tooLarge: SystemFile.Unusable {
        SystemFile.Unusable("a file of cookies has at most \(longest) bytes")
    }

    private func read(_ file: SystemFile, at now: Date) throws -> ([UInt8], NetscapeCookies.Contents) {
        guard let buffer = try file.contents(atMost: longest) else { throw tooLarge }
        let bytes = Array(buffer.readableBytesView)
        return (bytes, try NetscapeCookies.contents(of: bytes, now: now, isStrict: true))
    }
}
