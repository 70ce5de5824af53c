import Foundation
import Testing

@testable import Bluebonnet

/// Each error code is in the list of all codes and in the tables of the documentation.
struct ErrorCodeTableTests {
    /// The names in Swift of all codes in the source, with the codes.
    private static func declared() throws -> [String: NetworkingError.Code] {
        let source = try text("Sources/Bluebonnet/Messages/Errors/NetworkingError+Code.swift")
        var codes: [String: NetworkingError.Code] = [:]
        for match in source.matches(of: #/public static let (\w+) = Self\("([^"]+)"/#) {
            let code = try #require(
                NetworkingError.Code(rawValue: String(match.2)),
                "\(match.1) is not in NetworkingError.Code.all"
            )
            codes[String(match.1)] = code
        }
        return codes
    }

    private static func text(_ path: String) throws -> String {
        var root = URL(filePath: #filePath)
        // Tests/BluebonnetTests/Messages/Errors
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `the list of all error codes holds every code once`() throws {
        let declared = try Self.declared()
        #expect(declared.count == NetworkingError.Code.all.count)
        #expect(Set(declared.values) == Set(NetworkingError.Code.all))
    }

    @Test func `the documentation has one row for each error code, with its number`() throws {
        let page = try Self.text("Sources/Bluebonnet/Bluebonnet.docc/ErrorsAndTimeouts.md")
        var rows: [String: [Int]] = [:]
        for match in page.matches(of: #/\|\s*``NetworkingError/Code/(\w+)``\s*\|\s*(-?\d+)\s*\|/#) {
            rows[String(match.1), default: []].append(try #require(Int(match.2)))
        }
        let codes = try Self.declared()
        #expect(Set(rows.keys) == Set(codes.keys))
        for (name, code) in codes {
            #expect(rows[name] == [NetworkingError(code, "").number], "\(name)")
        }
    }
}
