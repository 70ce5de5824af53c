public import FoundationEssentials
import NIOCore
import Synchronization

/// The file of the hosts. It has the format of curl's `--hsts`, so that both can read it: a line
/// for each host, with a dot in front of the name for its subdomains, and the end of its time.
///
///     .example.com "20271123 12:00:00"
extension StrictTransportSecurity {
    /// Makes an object whose hosts are in a file, in the format of curl's option `--hsts`.
    ///
    /// The file is read here, on the thread of the caller. After a change it is written as a whole
    /// on another thread, and replaced at once; that a host which is known has asked again, is
    /// written once a day. Programs that use one file at the same time each write what they know:
    /// the last one wins.
    ///
    /// - Parameter file: A file URL. Its folder must exist; the file need not.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read, or is larger
    ///   than 4 MiB.
    public convenience init(file: URL) throws(NetworkingError) {
        let path = file.path(percentEncoded: false)
        do {
            self.init(path: path, hosts: try Self.read(path))
        } catch {
            throw Self.failure(path, "cannot be read", error)
        }
    }

    /// Waits until the file has all hosts that are known now. Without a file it returns at once.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed`` where it could not be written.
    public func save() async throws(NetworkingError) {
        guard path != nil else { return }
        let failure = await withCheckedContinuation { (continuation: CheckedContinuation<NetworkingError?, Never>) in
            let begins = state.withLock { state in
                state.isChanged = true
                state.waiters.append { continuation.resume(returning: $0) }
                guard !state.isWriting else { return false }
                state.isWriting = true
                return true
            }
            if begins { beginWriting() }
        }
        if let failure { throw failure }
    }

    func beginWriting() {
        BlockingThreads.files.submit { unavailable in
            guard let unavailable else { return self.write() }
            self.endWriting(Self.failure(self.path ?? "", "cannot be written", unavailable))
        }
    }

    private func write() {
        guard let path else { return }
        let hosts = state.withLock { state in
            state.isChanged = false
            return state.hosts
        }
        do {
            try AtomicFile.write(to: path, replaces: true) { file in
                try file.write([ByteBuffer(string: Self.text(of: hosts))])
            }
        } catch {
            return endWriting(Self.failure(path, "cannot be written", error))
        }
        state.withLock { state in
            for host in hosts { state.entries[host.name]?.written = host.expires }
        }
        endWriting(nil)
    }

    /// Ends the writing, unless there was another change.
    private func endWriting(_ failure: NetworkingError?) {
        let (goesOn, waiters) = state.withLock { state -> (Bool, [@Sendable (NetworkingError?) -> Void]) in
            if failure == nil, state.isChanged { return (true, []) }
            // The next host that is noted, or asks again, has the file written.
            if failure != nil { state.isChanged = true }
            state.isWriting = false
            defer { state.waiters = [] }
            return (false, state.waiters)
        }
        if goesOn { return beginWriting() }
        for waiter in waiters { waiter(failure) }
    }

    private static func failure(_ path: String, _ fault: String, _ error: any Error) -> NetworkingError {
        NetworkingError(.storeFailed, "The list of hosts at \(path) \(fault): \(error)", underlying: error)
    }

    // MARK: The text

    private static let longest = 4 << 20

    private struct TooLarge: Error, CustomStringConvertible {
        let description = "it is larger than 4 MiB"
    }

    static func read(_ path: String) throws -> [Host] {
        let file: SystemFile
        do {
            file = try SystemFile(reading: path)
        } catch let error as SystemFile.Failure where error.isMissing {
            return []
        }
        guard let bytes = try file.contents(atMost: longest) else { throw TooLarge() }
        return hosts(in: String(buffer: bytes))
    }

    /// The hosts of a text. Lines that are not understood are left out.
    static func hosts(in text: String) -> [Host] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            guard line.utf8.first != UInt8(ascii: "#") else { return nil }
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let expires = date(parts[1]) else { return nil }
            let isAll = parts[0].utf8.first == UInt8(ascii: ".")
            let name = isAll ? parts[0].dropFirst() : parts[0]
            return name.isEmpty ? nil : Host(String(name), includesSubdomains: isAll, expires: expires)
        }
    }

    static func text(of hosts: [Host]) -> String {
        let lines = hosts.map { host in
            let end = host.expires >= unlimited ? "unlimited" : host.expires.formatted(format)
            return "\(host.includesSubdomains ? "." : "")\(host.name) \"\(end)\"\n"
        }
        return "# Hosts that are reached by https only (RFC 6797). Written by Bluebonnet.\n" + lines.joined()
    }

    private static func date(_ text: Substring) -> Date? {
        let quote: Character = "\""
        guard text.first == quote, let end = text.dropFirst().firstIndex(of: quote) else { return nil }
        let inside = text[text.index(after: text.startIndex)..<end]
        return inside == "unlimited" ? .distantFuture : try? format.parse(String(inside))
    }

    /// What is written as a date is before this one.
    private static let unlimited = Date.distantFuture

    /// `20271123 12:00:00`, in universal time.
    private static var format: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(dateSeparator: .omitted, dateTimeSeparator: .space)
            .year().month().day().time(includingFractionalSeconds: false)
    }
}
