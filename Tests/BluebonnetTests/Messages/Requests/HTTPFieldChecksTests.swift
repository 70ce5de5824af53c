import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Names and values of header fields that cannot be sent.
@Suite(.timeLimit(.minutes(5)))
struct HTTPFieldChecksTests {
    private static let faults: [(String, String)] = [
        ("a\r\nInjected: b", "has a line end in it"), ("token\n", "has a line end in it"),
        ("a\u{0}", "has the control character U+0000 in it"), ("\u{1B}[31m", "has the control character U+001B in it"),
        ("\u{7F}", "has the control character U+007F in it"),
        (" a", "begins or ends with white space"), ("a\t", "begins or ends with white space"),
    ]

    @Test(arguments: faults)
    func `a value that cannot be sent is an error that names its field and its fault`(value: String, fault: String) {
        #expect(HTTPField.fault(of: value) == fault)
        let error = #expect(throws: NetworkingError.self) { try HTTPField(checkedName: "X-Key", value: value) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "The value of X-Key \(fault) (RFC 9110 §5.5).")
    }

    @Test(arguments: ["", "a", "a b", "a\tb", "ü", "\u{FF}", "€", "\u{301}", "a,b;c=\"d\""])
    func `a value that can be sent is kept as it is`(value: String) throws {
        let field = try HTTPField(checkedName: "x-KEY", value: value)
        #expect(field.value == value && field.name.rawName == "x-KEY")
    }

    @Test func `each value has a fault exactly if HTTPField would change it`() {
        let parts = (0...0xFF).map { String(Unicode.Scalar(UInt8($0))) }
        for value in parts + parts.map({ "a\($0)b" }) + parts.map({ "a\($0)" }) + parts.map({ "\($0)b" }) {
            let isChanged = HTTPField(name: .accept, value: value).value != value
            #expect((HTTPField.fault(of: value) != nil) == isChanged, "\(value.debugDescription)")
        }
    }

    @Test(arguments: ["", "a b", "a:", "X\r\nY", "ü", "\u{0}"])
    func `a name that cannot be sent is an error that shows it`(name: String) throws {
        let error = try #require(throws: NetworkingError.self) { try HTTPField(checkedName: name, value: "1") }
        #expect(error.code == .invalidRequest && error.message.contains("cannot be the name of a header"))
        #expect(error.message.contains("“\(ASCII.escaped(name.utf8))”"))
    }

    // MARK: The ways into a request

    @Test(arguments: faults)
    func `a serializer refuses a value that cannot be sent, and names its field`(value: String, fault: String) {
        var serializer: any RequestSerializer = HTTPRequestSerializer()
        let before = serializer.headerFields
        let error = #expect(throws: NetworkingError.self) { try serializer.setValue(value, forHeaderField: "X-Key") }
        #expect(error?.message == "The value of X-Key \(fault) (RFC 9110 §5.5).")
        #expect(serializer.headerFields == before)
    }

    @Test func `a token that cannot be sent is refused, and is not in the message`() throws {
        var serializer: any RequestSerializer = HTTPRequestSerializer()
        try serializer.setAuthorization(bearerToken: "first")
        for token in ["hunter2\n", "hunter2\r\nX: y", "hunter2 "] {
            let error = #expect(throws: NetworkingError.self) { try serializer.setAuthorization(bearerToken: token) }
            #expect(error?.code == .invalidRequest && error?.message.hasPrefix("The value of Authorization ") == true)
            #expect(error?.description.contains("hunter2") == false)
        }
        let error = #expect(throws: NetworkingError.self) { try serializer.setAuthorization(token: "hunter2\n") }
        #expect(error?.message == "The value of Authorization has a line end in it (RFC 9110 §5.5).")
        #expect(serializer.headerFields[.authorization] == "Bearer first")
    }

    @Test func `HTTPFields changes a value before a request has it, and adds no field`() async throws {
        let log = Counter()
        let transport = StubTransport { request in
            log.add(request.headerFields.contains { $0.name.canonicalName == "injected" } ? 1 : 0)
            return .text(request.headerFields[.accept] ?? "")
        }
        try await withSession(transport: transport) { session in
            var request = try Request(to: "http://example.com/")
            request.headerFields[.accept] = "a\r\nInjected: b"
            let text = try await session.response(for: request, as: .string).value
            #expect(text == "a  Injected: b")
        }
        #expect(log.value == 0)
    }
}
