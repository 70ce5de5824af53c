import Foundation
import Testing

/// Undoes gzip and zlib with a program of the system, so that one zlib does not check itself.
enum Inflater {
    static func inflate(_ bytes: [UInt8]) throws -> String {
        let script = "import sys,zlib;sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(),47))"
        let output = try Program.run("python3", ["-c", script], input: bytes)
        try #require(output.status == 0)
        return output.text
    }
}
