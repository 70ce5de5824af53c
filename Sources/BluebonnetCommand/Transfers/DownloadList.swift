/// The files of `download --input`.
///
/// A line is a URL, and behind tabs `out=NAME` and `checksum=sha256:HEX`. Empty lines and those
/// that begin with `#` say nothing.
struct DownloadList: Equatable, Sendable {
    /// One file.
    struct Entry: Equatable, Sendable {
        var url: String
        /// The path of the file in the folder of the downloads; nil for the suggested name.
        var output: String?
        /// The digest that it must have, as text.
        var checksum: String?
    }

    let entries: [Entry]

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - bytes: The list, in UTF-8.
    ///   - name: The name of the list in messages.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``; it names the line.
    init(_ bytes: [UInt8], name: String) throws(CommandFailure) {
        var entries: [Entry] = []
        // Some editors begin a file in UTF-8 with a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw .usage("\(name):\(index + 1): The line is not a text in UTF-8.")
            }
            let fields = text.unicodeScalars.split(separator: "\t").map { HeaderValue.trimmedWithLineEnds(String($0)) }
            guard let url = fields.first(where: { !$0.isEmpty }), url.utf8.first != UInt8(ascii: "#") else { continue }
            let options = fields.drop { $0.isEmpty }.dropFirst().filter { !$0.isEmpty }
            do throws(CommandFailure) {
                entries.append(try Self.entry(url, Array(options)))
            } catch {
                throw .usage("\(name):\(index + 1): \(error.message)")
            }
        }
        self.entries = entries
    }

    private static func entry(_ url: String, _ options: [String]) throws(CommandFailure) -> Entry {
        guard !url.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage("A URL has no spaces; a tab is between a URL and out=NAME or checksum=sha256:HEX.")
        }
        var entry = Entry(url: url)
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            switch (parts.first, parts.count) {
            case ("out", 2) where entry.output == nil: entry.output = try checked(parts[1])
            case ("checksum", 2) where entry.checksum == nil: entry.checksum = parts[1]
            default: throw .usage("“\(option)” is neither out=NAME nor checksum=sha256:HEX, or is there twice.")
            }
        }
        return entry
    }

    /// A list may come from somebody else: its files stay in the folder of the downloads. A first
    /// name with a tilde is not somebody's home directory, nor a folder that looks like one.
    private static func checked(_ path: String) throws(CommandFailure) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains(String($0)) }), !path.utf8.contains(0),
            path.utf8.first != UInt8(ascii: "~")
        else {
            throw .usage("“out=\(path)” must be the path of a file within the folder of the downloads.")
        }
        return path
    }
}
