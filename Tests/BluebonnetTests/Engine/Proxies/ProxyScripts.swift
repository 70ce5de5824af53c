import Foundation
import LocalServer

@testable import Bluebonnet

/// Scripts of proxies, and sessions that use them.
enum ProxyScripts {
    /// Opens a tunnel to a port for each CONNECT, and to nowhere for everything else.
    static func connect(to port: Int) -> FaultServer.Script { [.readRequest, .tunnel(to: port)] }

    /// The steps of SOCKS 5 without authentication, for a request of so many bytes.
    static func socks5(to port: Int, request: Int) -> [FaultStep] {
        [
            .readBytes(3), .send([5, 0]), .readBytes(3 + request),
            .tunnel(to: port, answering: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
        ]
    }

    /// A configuration with a proxy that trusts the authority of the tests.
    static func configuration(
        _ kind: Proxy.Kind = .http,
        port: Int,
        credential: Credential? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> SessionConfiguration {
        let authority = try TestCertificates.shared().authority
        var configuration = SessionConfiguration(trusting: authority)
        configuration.proxyTLS.trustRoots = .pem(authority.certificatePEM)
        let host = kind == .https ? "localhost" : "127.0.0.1"
        configuration.proxies = .proxy(try Proxy(kind, host: host, port: port, credential: credential))
        change(&configuration)
        return configuration
    }

    /// TLS of a server for `localhost` that knows these protocols.
    static func tls(_ protocols: [String] = []) throws -> ServerTLS {
        ServerTLS(try TestCertificates.shared().localhost, applicationProtocols: protocols)
    }

    static let ok = FaultServer.Script.requests { _ in [.respond(body: "origin")] }

    static let ada = Credential(user: "ada", password: "secret")

    /// The credential, to be sent at once.
    static var eagerAda: Credential {
        var credential = ada
        credential.isPreemptive = true
        return credential
    }

    static let basic = "Basic YWRhOnNlY3JldA=="
}
