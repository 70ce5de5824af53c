#if Metrics || Tracing
    import Bluebonnet
    import Foundation
    import HTTPTypes
    import Testing

    @testable import BluebonnetServices

    struct HTTPConventionsTests {
        private let conventions = HTTPConventions(knownMethods: HTTPConventions.standardMethods)

        @Test(arguments: ["GET", "HEAD", "POST", "PATCH", "QUERY"])
        func `a standard method is itself`(method: String) throws {
            #expect(conventions.method(try #require(HTTPRequest.Method(method))) == method)
        }

        @Test(arguments: ["get", "PURGE", "X-1", "PROPFIND"])
        func `another method has one value, so that metrics have a bound`(method: String) throws {
            #expect(conventions.method(try #require(HTTPRequest.Method(method))) == "_OTHER")
        }

        @Test func `the known methods can be others`() throws {
            let conventions = HTTPConventions(knownMethods: ["PROPFIND"])
            #expect(conventions.method(try #require(HTTPRequest.Method("PROPFIND"))) == "PROPFIND")
            #expect(conventions.method(.get) == "_OTHER")
        }

        @Test func `an origin has the address and the port of its server`() throws {
            let host = try origin(of: "https://example.com/a")
            #expect(host.address == "example.com" && host.port == 443)
            let socket = try origin(of: "http+unix://%2Frun%2Fx.sock/a")
            #expect(socket.address == "/run/x.sock" && socket.port == nil)
        }

        private func origin(of url: String) throws -> Origin {
            try #require(OutgoingTransaction(request: Request(to: url)).origin)
        }
    }
#endif
