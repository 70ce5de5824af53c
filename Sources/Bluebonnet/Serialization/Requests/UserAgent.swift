#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The value of `User-Agent` (RFC 9110 §10.1.5), ASCII only.
package struct UserAgent: Sendable, Hashable {
    /// The version of this library and of the command.
    package static let libraryVersion = "0.1.0"

    /// The program.
    let product: String
    /// The version of the program.
    let version: String

    /// - Parameters:
    ///   - product: The name of the program, nil for the name it was started by.
    ///   - version: Its version, nil if unknown.
    init(product: String? = nil, version: String? = nil) {
        let name = product ?? CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") }
        self.product = Self.token(name)
        self.version = Self.token(version)
    }

    /// The value: `Program/Version (Linux 6.1.0; x86_64) Bluebonnet/0.1.0`.
    var value: String {
        "\(product)/\(version) (\(Self.system)) Bluebonnet/\(Self.libraryVersion)"
    }

    /// The text without the characters that a token cannot have (RFC 9110 §5.6.2), spaces as
    /// hyphens.
    private static func token(_ text: String?) -> String {
        let bytes = (text ?? "").utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "-") : $0 }
        let token = String(decoding: bytes.filter(ASCII.isToken), as: UTF8.self)
        return token.isEmpty ? "unknown" : token
    }

    /// The system with its version and machine: `Linux 6.1.0; x86_64`.
    private static let system: String = {
        var names = utsname()
        // `uname` fills the fields with C strings of ASCII; it cannot fail with a valid address.
        guard unsafe uname(&names) == 0 else { return "Linux" }
        let system = text(names.sysname)
        let release = text(names.release)
        let machine = text(names.machine)
        // Of 6.1.0-28-amd64 only the number is sent: a server does not need the rest.
        let version = release.prefix { $0.isNumber || $0 == "." }
        return "\(system) \(version.isEmpty ? "unknown" : version); \(machine)"
    }()

    /// The text of a fixed-size C string without characters that a comment cannot have.
    private static func text<Field>(_ field: Field) -> String {
        // The bytes are only read in the closure, up to the size of the field.
        unsafe withUnsafeBytes(of: field) { bytes in
            let text = unsafe bytes.prefix { $0 != 0 }.filter { $0 > 0x20 && $0 < 0x7F && !"()\\".utf8.contains($0) }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
