import Foundation
import Testing

/// Python's urllib, run once for many forms.
enum PythonFormParser {
    struct Answer: Decodable {
        var pairs: [[String]]
        var standard: String
        var whatwg: String
    }

    static func parse(_ texts: [String]) throws -> [Answer] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Servers/form-parser.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(percentEncoded: false)]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The script reads all before it writes anything, so that neither waits for the other.
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(texts))
        try input.fileHandleForWriting.close()
        let answers = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode([Answer].self, from: answers)
    }
}
