/// A cipher suite of TLS by its number in IANA's registry.
///
/// Those of TLS 1.2 can be chosen by ``TLSSettings/cipherSuites``, and those of TLS 1.3 not:
/// BoringSSL offers all of them. ``TransactionMetrics/tlsCipherSuite`` tells which one a connection
/// has.
///
/// Counterpart of `tls_ciphersuite_t`.
public struct TLSCipherSuite: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number: 0xC02B.
    public let rawValue: UInt16

    /// Names a suite by its number.
    ///
    /// - Parameter rawValue: The number. One in ``TLSSettings/cipherSuites`` that BoringSSL does
    ///   not know makes requests fail with ``NetworkingError/Code/invalidTrustConfiguration``.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The name in IANA's registry, `TLS_AES_128_GCM_SHA256`; the number for a suite that has no
    /// name here, `0x1305`.
    public var description: String {
        if let name = Self.names[rawValue] { return name }
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256.
    public static let ecdsaAES128GCM = Self(rawValue: 0xC02B)
    /// TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384.
    public static let ecdsaAES256GCM = Self(rawValue: 0xC02C)
    /// TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256.
    public static let ecdsaChaCha20Poly1305 = Self(rawValue: 0xCCA9)
    /// TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
    public static let rsaAES128GCM = Self(rawValue: 0xC02F)
    /// TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384.
    public static let rsaAES256GCM = Self(rawValue: 0xC030)
    /// TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256.
    public static let rsaChaCha20Poly1305 = Self(rawValue: 0xCCA8)

    /// The suites that BoringSSL can agree upon.
    private static let names: [UInt16: String] = [
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
        0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
        0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
        0x1301: "TLS_AES_128_GCM_SHA256",
        0x1302: "TLS_AES_256_GCM_SHA384",
        0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ]
}
