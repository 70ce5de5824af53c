import HTTPTypes
import Testing

@testable import Bluebonnet

/// The look for a field that concerns a cache, in received heads and in those of the user's.
struct CachingFieldTests {
    @Test(arguments: ["Cache-Control", "ETag", "EXPIRES", "last-modified", "Etag"])
    func `each of the four fields is found, in any case and at any place`(_ name: String) throws {
        for names in [[name], ["Date", "Server", name], [name, "Date"]] { try expect(true, names) }
    }

    @Test(arguments: [
        "Date", "Content-Type", "Accept", "E-ag", "Cache-Contro1", "Last-Modifie", "Expire5", "X-Cache-Control",
    ])
    func `fields of a similar name are none of them`(_ name: String) throws {
        try expect(false, [name, "Connection"])
        try expect(false, [])
    }

    private func expect(_ isFound: Bool, _ names: [String], _ location: SourceLocation = #_sourceLocation) throws {
        let fields = HTTPFields(try names.map { HTTPField(name: try #require(HTTPField.Name($0)), value: "x") })
        let own = ResponseHead(status: .ok, headerFields: fields)
        #expect(own.hasCachingField == isFound, sourceLocation: location)
        var (bytes, entries): ([UInt8], [RawHeaderFields.Entry]) = ([], [])
        for name in names {
            let start = UInt32(bytes.count)
            bytes += Array(name.utf8)
            let end = UInt32(bytes.count)
            bytes.append(UInt8(ascii: "x"))
            entries.append(.init(nameStart: start, nameEnd: end, valueStart: end, valueEnd: end + 1))
        }
        let raw = unsafe bytes.withUnsafeBytes { section in
            // Safe: the initializer copies the bytes, and all entries are inside.
            unsafe RawHeaderFields(section: section, entries: entries, framingNames: [], reason: 0..<0)
        }
        let received = ResponseHead(received: raw, statusCode: 200, httpVersion: .http1_1)
        #expect(received.hasCachingField == isFound, sourceLocation: location)
    }
}
