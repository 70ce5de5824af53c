import LocalServer

@testable import Bluebonnet

/// A suite about connections that hosts share.
protocol CoalescingTesting {
    /// Those of the server.
    var certificates: TestCertificates { get }
}

extension CoalescingTesting {
    /// A session for which all hosts are at 127.0.0.1.
    func configuration(_ server: HTTP2FaultServer) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.addressOverrides = try AddressOverrides(["*:\(server.port):127.0.0.1"])
        return configuration
    }

    func url(_ host: String, _ server: HTTP2FaultServer, _ path: String = "") -> String {
        "https://\(host):\(server.port)/\(path)"
    }

    func text(_ url: String, in session: SessionManager) async throws -> String {
        try await String(decoding: session.data(for: Request(to: url)).value, as: UTF8.self)
    }
}
