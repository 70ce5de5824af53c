import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The servers that `scripts/interop-servers` starts, found through the environment.
enum InteropServer: String {
    case nginx = "NGINX"
    case nginxTLS = "NGINX_TLS"
    case nginxIPv6 = "NGINX_IPV6"
    case nginxIPv6TLS = "NGINX_IPV6_TLS"
    case nginxSocket = "NGINX_SOCKET"
    case impatientNginx = "NGINX_IMPATIENT"
    case endingNginx = "NGINX_ENDING"
    case nginxOrigin = "NGINX_ORIGIN"
    case nginxCache = "NGINX_CACHE"
    case apacheCache = "NGINX_APACHE_CACHE"
    case apache = "APACHE"
    case nghttpd = "NGHTTPD"
    case h2o = "H2O"
    case caddy = "CADDY"
    case apacheHTTP2 = "APACHE_HTTP2"
    case hypercorn = "HYPERCORN"
    case aiohttp = "AIOHTTP"
    case autobahn = "AUTOBAHN"
    case aiohttpWebSocket = "AIOHTTP_WEBSOCKET"
    case aiohttpWebSocketTLS = "AIOHTTP_WEBSOCKET_TLS"
    case webSockets = "WEBSOCKETS"
    case webSocketsTLS = "WEBSOCKETS_TLS"
    case python = "PYTHON"
    case httpbin = "HTTPBIN"
    case formParsers = "FORM_PARSERS"
    case goFormParser = "FORM_PARSER_GO"
    case tls12 = "TLS12"
    case tls13 = "TLS13"
    case expired = "EXPIRED"
    case selfSigned = "SELF_SIGNED"
    case wrongHost = "WRONG_HOST"
    case authority = "CA"
    case selfSignedCertificate = "SELF_SIGNED_CERTIFICATE"
    case files = "FILES"
    case keyring = "KEYRING"
    case squid = "SQUID"
    case squidTLS = "SQUID_TLS"
    case guardedSquid = "SQUID_GUARDED"
    case guardedSquidTLS = "SQUID_TLS_GUARDED"
    case nghttpx = "NGHTTPX"
    case guardedNghttpx = "NGHTTPX_GUARDED"
    case tinyproxy = "TINYPROXY"
    case guardedTinyproxy = "TINYPROXY_GUARDED"
    case microsocks = "MICROSOCKS"
    case guardedMicrosocks = "MICROSOCKS_GUARDED"
    case dante = "DANTE"
    case guardedDante = "DANTE_GUARDED"
    case twisted = "TWISTED"
    case mitmproxy = "MITMPROXY"
    case mitmproxyAuthority = "MITMPROXY_CA"
    case guardedMitmproxy = "MITMPROXY_GUARDED"
    case guardedMitmproxyAuthority = "MITMPROXY_GUARDED_CA"

    /// A server that a test needs is not running.
    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private var variable: String { "BLUEBONNET_INTEROP_\(rawValue)" }

    private var setting: String? {
        let value = ProcessInfo.processInfo.environment[variable]
        return value?.isEmpty == true ? nil : value
    }

    /// Whether tests of this server run: its variable is set, or the servers are required.
    var isExpected: Bool {
        setting != nil || ProcessInfo.processInfo.environment["BLUEBONNET_INTEROP_REQUIRED"] == "1"
    }

    /// Whether the variable is set. For a server that is optional.
    var isAvailable: Bool { setting != nil }

    /// The URL or the path that the variable holds.
    var address: String {
        get throws {
            guard let setting else {
                throw Missing(description: "\(variable) is not set: run the tests with scripts/test.")
            }
            return setting
        }
    }

    /// A request to a path of this server.
    func request(
        _ path: String,
        method: HTTPRequest.Method = .get,
        headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) throws -> Request {
        var base = try address
        if self == .nginxSocket {
            let segments = base.split(separator: "/", omittingEmptySubsequences: false)
            base = "http+unix://" + segments.joined(separator: "%2F")
        }
        let url = try #require(URL(string: base + path))
        return Request(method: method, url: url, headerFields: headerFields, body: body)
    }

    /// The bytes of one of the static files.
    static func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: files.address + "/" + name))
    }

    /// The error of a request to the path, with the certificates in `roots` as the trusted ones.
    func failure(_ path: String = "/", trusting roots: InteropServer? = nil) async throws -> NetworkingError {
        let request = try request(path)
        let configuration = try SessionConfiguration(trusting: roots)
        return try await withSession(configuration) { session in
            try await networkingError { try await session.data(for: request) }
        }
    }
}

extension SessionConfiguration {
    /// The default configuration; if a file is given, only the certificates in it are trusted.
    init(trusting roots: InteropServer?) throws {
        self.init()
        if let roots { tls.trustRoots = .file(try roots.address) }
    }
}
