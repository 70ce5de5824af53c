public import FoundationEssentials
import NIOCore

/// The users and passwords of a `.netrc` file, by host: set in ``SessionConfiguration/netrc``.
///
/// ```swift
/// configuration.netrc = try Netrc.user()
/// ```
///
/// The words are those of curl and ftp: `machine`, `default`, `login`, `password`, `account` and
/// `macdef`, whose macro is passed over. A word may stand in quotation marks, with `\"`, `\\`,
/// `\n`, `\r` and `\t` in it; a `#` at the beginning of a word begins a comment that ends with the
/// line. The first entry of a host counts; `default` counts where no machine matches, and what
/// follows it is not read.
///
/// The file is read as bytes: names and passwords are sent as they are in it, whatever their
/// charset.
///
/// No counterpart in AFNetworking or Alamofire; the option `--netrc` of curl.
public struct Netrc: Sendable {
    private struct Entry: Sendable {
        /// Nil for `default`.
        var machine: [UInt8]?
        var login: [UInt8]?
        var password: [UInt8]?
        var account: [UInt8]?
    }

    private let entries: [Entry]

    /// Whether its passwords are sent before a server asks for them, by Basic, as curl does.
    /// Default: false.
    public var isPreemptive = false

    /// The schemes that its passwords may be sent with, as ``Credential/schemes``. Default: nil,
    /// Digest and Basic.
    public var schemes: Set<AuthenticationScheme>?

    /// Reads a text.
    ///
    /// - Parameter text: The contents of a `.netrc`.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a word that is not known, that lacks the
    ///   value behind it, or whose quotation mark is not closed; the message has the line and
    ///   never a value.
    public init(parsing text: String) throws(NetworkingError) {
        try self.init(parsing: Array(text.utf8))
    }

    init(parsing bytes: [UInt8]) throws(NetworkingError) {
        var parser = Parser(bytes)
        var entries: [Entry] = []
        while let bytes = try parser.next() {
            let word = String(decoding: bytes, as: UTF8.self)
            switch word {
            case "machine": entries.append(Entry(machine: try parser.value(of: word).map(ASCII.lowercased)))
            case "default": entries.append(Entry())
            case "macdef":
                _ = try parser.value(of: word)
                parser.skipMacro()
            case "login", "password", "account":
                let value = try parser.value(of: word)
                guard !entries.isEmpty else { throw parser.fault("“\(word)” is before the first machine") }
                let last = entries.count - 1
                switch word {
                case "login": entries[last].login = value
                case "password": entries[last].password = value
                default: entries[last].account = value
                }
            default: throw parser.fault("there is a word that is not known")
            }
        }
        let end = entries.firstIndex { $0.machine == nil } ?? entries.count
        self.entries = Array(entries.prefix(end + 1))
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - allowsOtherReaders: Whether a file is read that belongs to another user, or that others
    ///     have a right to. curl reads it. Default: false.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read, that others
    ///   have a right to, or that is larger than 1 MiB, and as ``init(parsing:)``.
    public init(contentsOf file: URL, allowsOtherReaders: Bool = false) throws(NetworkingError) {
        let path = file.path(percentEncoded: false)
        let contents: [UInt8]
        do {
            let file = try SystemFile(reading: path)
            guard try allowsOtherReaders || file.isPrivate() else {
                throw NetworkingError(
                    .storeFailed,
                    "Others can read the passwords in \(path). To use it, give its owner alone the right: chmod 600."
                )
            }
            guard let bytes = try file.contents(atMost: 1 << 20) else {
                throw NetworkingError(.storeFailed, "The file \(path) is too large for a .netrc.")
            }
            contents = Array(bytes.readableBytesView)
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.storeFailed, "The .netrc cannot be read: \(error)", underlying: error)
        }
        try self.init(parsing: contents)
    }

    /// Reads the file of the user: that of the environment's `NETRC`, or else `.netrc` in the home
    /// directory.
    ///
    /// - Returns: Its entries; none where there is no file.
    /// - Throws: As ``init(contentsOf:allowsOtherReaders:)``.
    public static func user() throws(NetworkingError) -> Netrc {
        let environment = ProcessInfo.processInfo.environment
        let path =
            environment["NETRC"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { "\($0)/.netrc" } ?? ".netrc"
        guard FileManager.default.fileExists(atPath: path) else { return try Netrc(parsing: "") }
        return try Netrc(contentsOf: URL(filePath: path))
    }

    /// The credential for a host; an entry without a password has none.
    ///
    /// - Parameters:
    ///   - host: The host, without brackets.
    ///   - user: The name that the entry must have. Default: any.
    /// - Returns: The credential; nil for none.
    public func credential(forHost host: String, user: String? = nil) -> Credential? {
        credential(forHost: host, user: user, allowsDefault: true)
    }

    func credential(forHost host: String, user: String? = nil, allowsDefault: Bool) -> Credential? {
        let user = user.map { Array($0.utf8) }
        let entry = entry(forHost: host, allowsDefault: allowsDefault) { entry in
            user == nil || entry.login == nil || entry.login == user
        }
        guard let entry, let password = entry.password, let login = entry.login ?? user else { return nil }
        var credential = Credential(user: login, password: password)
        credential.schemes = schemes
        return credential
    }

    /// The account of a host, which FTP has; nil for none.
    ///
    /// - Parameter host: The host, without brackets.
    /// - Returns: The account.
    public func account(forHost host: String) -> String? {
        entry(forHost: host)?.account.map { String(decoding: $0, as: UTF8.self) }
    }

    private func entry(
        forHost host: String,
        allowsDefault: Bool = true,
        where isWanted: (Entry) -> Bool = { _ in true }
    ) -> Entry? {
        let host = host.utf8.map(ASCII.lowercased)
        return entries.first { isWanted($0) && ($0.machine.map { $0 == host } ?? allowsDefault) }
    }

    /// Cuts the text into words.
    private struct Parser {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func fault(_ text: String) -> NetworkingError {
            let line = bytes[..<position].count { $0 == ASCII.lineFeed } + 1
            return NetworkingError(.storeFailed, "The .netrc cannot be used: \(text), in line \(line).")
        }

        mutating func value(of word: String) throws(NetworkingError) -> [UInt8] {
            guard let value = try next(isValue: true) else { throw fault("“\(word)” has no value") }
            return value
        }

        /// The next word, without its quotation marks. A comment is no word; a value may begin with
        /// its sign.
        mutating func next(isValue: Bool = false) throws(NetworkingError) -> [UInt8]? {
            while position < bytes.count {
                if Self.isSpace(bytes[position]) {
                    position += 1
                } else if bytes[position] == UInt8(ascii: "#"), !isValue {
                    while position < bytes.count, bytes[position] != ASCII.lineFeed { position += 1 }
                } else {
                    break
                }
            }
            guard position < bytes.count else { return nil }
            if bytes[position] == UInt8(ascii: "\"") { return try quoted() }
            let start = position
            while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
            return Array(bytes[start..<position])
        }

        private mutating func quoted() throws(NetworkingError) -> [UInt8] {
            position += 1
            var word: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\"") { return word }
                guard byte == UInt8(ascii: "\\"), position < bytes.count else {
                    word.append(byte)
                    continue
                }
                let escaped = bytes[position]
                position += 1
                switch escaped {
                case UInt8(ascii: "n"): word.append(ASCII.lineFeed)
                case UInt8(ascii: "r"): word.append(ASCII.carriageReturn)
                case UInt8(ascii: "t"): word.append(ASCII.tab)
                default: word.append(escaped)
                }
            }
            throw fault("a quotation mark is not closed")
        }

        /// Goes behind the empty line at which a macro ends.
        mutating func skipMacro() {
            var wasLineEnd = false
            while position < bytes.count {
                let isLineEnd = bytes[position] == ASCII.lineFeed
                if !isLineEnd, bytes[position] != ASCII.carriageReturn {
                    wasLineEnd = false
                } else if isLineEnd {
                    if wasLineEnd { return }
                    wasLineEnd = true
                }
                position += 1
            }
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            ASCII.isBlank(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
        }
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of its entries, without names and passwords.
    public var description: String { "a .netrc with \(entries.count) \(entries.count == 1 ? "entry" : "entries")" }

    /// Nothing, so that `dump` shows no password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
