import Foundation
import Testing

/// Python's urllib, run once for many forms.
enum PythonFormParser {
    /// The pairs of a form, and how urllib writes them.
    struct ParsedForm: Decodable {
        var pairs: [[String]]
        var standard: String
        var whatwg: String
    }

    static func parse(_ texts: [String]) throws -> [ParsedForm] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Servers/form-parser.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(percentEncoded: false)]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The script reads all its input before it writes: the two do not wait for each other.
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(texts))
        try input.fileHandleForWriting.close()
        let parsed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode([ParsedForm].self, from: parsed)
    }
}
