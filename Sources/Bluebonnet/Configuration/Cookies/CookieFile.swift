public import FoundationEssentials
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Cookies in a file that curl can read and write, too: `curl --cookie FILE --cookie-jar FILE`. See
/// ``NetscapeCookies`` for its format.
///
/// The file is of mode 0600, since a cookie can be as good as a password. It is replaced as a
/// whole, so that nobody reads half of it. Processes of this library that use the same file take
/// turns with a lock on it, and each makes its own changes to what is there: none loses the cookies
/// of another. Other programs do not know the lock.
///
/// A file of somebody else is not replaced: one that has neither the first line of such a file nor
/// only cookies in it, is an error and stays as it is. So does what is not a regular file, such as
/// a link.
///
/// No counterpart in AFNetworking or Alamofire.
public final class CookieFile: CookieStore {
    private let path: String
    /// The text that this process has read or written last.
    private let lastText = Mutex("")

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
            let (text, cookies) = try read(file, at: Date())
            lastText.withLock { $0 = text }
            return cookies
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
            guard let file = try changes.isEmpty ? SystemFile.store(at: path, creating: false) : openLocked() else {
                return lastText.withLock { $0.isEmpty } ? nil : []
            }
            // The kernel gives it back with the last descriptor, which a process that is being
            // started may have, too.
            defer { flock(file.descriptor, LOCK_UN) }
            let (text, cookies) = try read(file, at: now)
            let isOurs = lastText.withLock { $0 == text }
            guard !changes.isEmpty else {
                lastText.withLock { $0 = text }
                return isOurs ? nil : cookies
            }
            let changed = changes.applied(to: cookies).filter { !$0.isExpired(at: now) }
            let newText = NetscapeCookies.text(of: changed)
            // What could not be read again is not written: the file stays one that can be used.
            guard newText.utf8.count <= longest else { throw tooLarge }
            if newText != text {
                try AtomicFile.write(to: path, replaces: true, mode: 0o600) { file in
                    try file.write([ByteBuffer(string: newText)])
                }
            }
            lastText.withLock { $0 = newText }
            return isOurs ? nil : changed
        }
    }

    // MARK: The file

    private func reporting<Output>(_ work: () throws -> Output) throws -> Output {
        do {
            return try work()
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.storeFailed, "The cookies in \(path) cannot be used: \(error)", underlying: error)
        }
    }

    /// Opens the file, or makes it, and waits for the lock on it.
    private func openLocked() throws -> SystemFile? {
        var patience = Self.patience
        while let file = try SystemFile.store(at: path, creating: true) {
            if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 {
                // Who had the lock may have put another file in its place.
                var (mine, present) = (stat(), stat())
                guard unsafe fstat(file.descriptor, &mine) == 0 else {
                    throw SystemFile.Failure(path: path, code: errno)
                }
                let isPresent = unsafe lstat(path, &present) == 0
                if isPresent, mine.st_dev == present.st_dev, mine.st_ino == present.st_ino { return file }
                continue
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemFile.Failure(path: path, code: errno) }
            guard patience > 0 else {
                throw NetworkingError(.storeInUse, "Another process keeps the lock on the cookies in \(path).")
            }
            patience -= 1
            _ = poll(nil, 0, Self.pause)
        }
        return nil
    }

    /// The milliseconds between two looks at the lock, and their number: 10 seconds in all.
    private static let pause: CInt = 10
    private static let patience = 1_000

    private var tooLarge: SystemFile.Unusable {
        SystemFile.Unusable("a file of cookies has at most \(longest) bytes")
    }

    private func read(_ file: SystemFile, at now: Date) throws -> (String, [Cookie]) {
        guard let bytes = try file.contents(atMost: longest) else { throw tooLarge }
        let text = String(buffer: bytes)
        return (text, try NetscapeCookies.cookies(in: text, now: now, isStrict: true))
    }
}
