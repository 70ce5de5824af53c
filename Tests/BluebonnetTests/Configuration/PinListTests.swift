import Crypto
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Pins that are replaced while a session runs.
@Suite(.timeLimit(.minutes(5)))
struct PinListTests {
    private static let one = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let two = "sha256/4a6cPehI7OG6cuDZka5NDZ7FR8a60d3auda+sKfg4Ng="

    private static func text(_ host: String, _ pin: String, version: Int? = nil, more: String = "") -> Data {
        let version = version.map { "\"version\": \($0), " } ?? ""
        return Data("{\(version)\"hosts\": {\"\(host)\": {\"pins\": [\"\(pin)\"]\(more)}}}".utf8)
    }

    private func message(_ text: String, _ key: PinList.Key? = nil) -> String? {
        do throws(NetworkingError) {
            _ = try PinList(Data(text.utf8), signedBy: key)
            return nil
        } catch {
            #expect(error.code == .invalidTrustConfiguration)
            return error.message
        }
    }

    // MARK: The text

    @Test func `a list has the pins of hosts and of patterns`() throws {
        let list = try PinList(
            Data(
                """
                {"version": 7, "hosts": {
                    "API.example.com": {"pins": ["\(Self.one)"], "backups": ["\(Self.two)"],
                        "expires": "2027-12-31T00:00:00Z", "reportsOnly": true},
                    "*.example.org": {"pins": ["\(Self.two)"]}}}
                """.utf8
            )
        )
        #expect(list.version == 7)
        let pins = try #require(try list.pins(of: "api.example.com")?.0)
        #expect(try pins.keys == [PublicKeyPin(Self.one)] && pins.backups == [PublicKeyPin(Self.two)])
        #expect(pins.expire == (try Date("2027-12-31T00:00:00Z", strategy: .iso8601)) && pins.reportsOnly)
        #expect(try list.pins(of: "cdn.example.org")?.0.keys == [PublicKeyPin(Self.two)])
        let without = try ["example.org", "a.b.example.org"].filter { try list.pins(of: $0) == nil }
        #expect(without.count == 2)
    }

    @Test(arguments: [
        ("", "The list of pins is not of the right form: it is not JSON."),
        ("[]", "The list of pins is not of the right form: the whole text is of another type."),
        ("{}", "The list of pins is not of the right form: “hosts” is missing."),
        (
            #"{"hosts": {"a.example": {}}}"#,
            "The list of pins is not of the right form: “hosts.a.example.pins” is missing."
        ),
        (
            #"{"hosts": {"a.example": {"pins": "x"}}}"#,
            "The list of pins is not of the right form: “hosts.a.example.pins” is of another type."
        ),
        (
            #"{"hosts": {"a.example": {"pin": []}}}"#,
            "The list of pins has a member “hosts.a.example.pin”, which has no meaning; those that have are “backups”, "
                + "“expires”, “pins”, “reportsOnly”."
        ),
        (#"{"hosts": {"a.example": {"pins": []}}}"#, "The list of pins has no pin for “a.example”."),
        (#"{"hosts": {"a.example": {"pins": ["md5/x"]}}}"#, "The list of pins has “md5/x” where a pin should be."),
        (
            #"{"hosts": {"https://a.example/": {"pins": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]}}}"#,
            "“https://a.example/” in the list of pins is not a host. Write a name, an IP address, or “*.” and a domain, "
                + "without a scheme and a port, and a name in another script in its form with “xn--”."
        ),
    ])
    func `a list that says something else is an error that shows the place`(text: String, message: String) {
        #expect(self.message(text) == message)
    }

    @Test func `a time that is none is an error`() {
        let text = String(decoding: Self.text("a.example", Self.one, more: #", "expires": "tomorrow""#), as: UTF8.self)
        #expect(message(text)?.contains("“tomorrow” where a time should be") == true)
    }

    @Test func `a list that cannot be loaded leaves the one in use as it was`() throws {
        let list = try PinList(Self.text("a.example", Self.one, version: 3))
        for text in [Data("{".utf8), Self.text("a.example", Self.two, version: 2), Self.text("a.example", Self.two)] {
            #expect(throws: NetworkingError.self) { try list.load(text) }
            #expect(list.version == 3)
            #expect(try list.pins(of: "a.example")?.0.keys == [PublicKeyPin(Self.one)])
        }
        try list.load(Self.text("a.example", Self.two, version: 3))
        #expect(try list.pins(of: "a.example")?.0.keys == [PublicKeyPin(Self.two)])
    }

    @Test func `a list below the lowest version is not accepted, now and later`() throws {
        for version in [nil, 6] {
            let text = Self.text("a.example", Self.one, version: version)
            #expect {
                try PinList(text, minimumVersion: 7)
            } throws: { error in
                "\(error)".contains("has the version \(version ?? 0), and the lowest that is accepted is 7")
            }
        }
        let list = try PinList(Self.text("a.example", Self.one, version: 7), minimumVersion: 7)
        #expect(throws: NetworkingError.self) { try list.load(Self.text("a.example", Self.two, version: 6)) }
        #expect(list.version == 7)
        try list.load(Self.text("a.example", Self.two, version: 8))
        #expect(list.version == 8)
    }

    @Test func `a file that is missing or too large is an error with its reason`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "pins.json")
            #expect { try PinList(file: file.path) } throws: { "\($0)".contains(file.path) }
            try Self.text("a.example", Self.one).write(to: file)
            #expect(try PinList(file: file.path).version == nil)
            try Data(repeating: 0x20, count: PinList.mostBytes + 1).write(to: file)
            #expect { try PinList(file: file.path) } throws: { "\($0)".contains("larger than 1 MiB") }
        }
    }

    // MARK: Signatures

    private static func base64(_ data: some DataProtocol) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func signed(
        _ payload: Data,
        header: String = #"{"alg":"ES256"}"#,
        _ key: P256.Signing.PrivateKey
    ) throws -> String {
        let start = base64(Data(header.utf8)) + "." + base64(payload)
        return start + "." + base64(try key.signature(for: Data(start.utf8)).rawRepresentation)
    }

    @Test func `a signed list needs the signature of its key, and a version`() throws {
        let own = P256.Signing.PrivateKey()
        let key = try PinList.Key(pem: own.publicKey.pemRepresentation)
        let payload = Self.text("a.example", Self.one, version: 1)
        let text = try Self.signed(payload, own)
        #expect(message(text, key) == nil && message(text + "\n", key) == nil)
        #expect(message(String(decoding: payload, as: UTF8.self), key)?.contains("must be signed") == true)
        #expect(message(try Self.signed(payload, P256.Signing.PrivateKey()), key)?.contains("not by the key") == true)
        #expect(message(try Self.signed(Self.text("a.example", Self.one), own), key)?.contains("no “version”") == true)
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"EdDSA"}"#] {
            #expect(
                message(try Self.signed(payload, header: header, own), key)?.contains("the key is for “ES256”") == true
            )
        }
        for header in [#"{"alg":"ES256","crit":["exp"]}"#, #"{"alg":"ES256","b64":false}"#, "{}", "[]", ""] {
            #expect(
                message(try Self.signed(payload, header: header, own), key)?.contains("header is not understood")
                    == true
            )
        }
        var parts = text.split(separator: ".").map(String.init)
        parts[1] = Self.base64(Self.text("a.example", Self.two, version: 1))
        #expect(message(parts.joined(separator: "."), key)?.contains("not by the key") == true)
        parts = text.split(separator: ".").map(String.init)
        for broken in [
            parts[0] + "." + parts[1] + ".", text + ".x", text.replacing(".", with: ".."), text + "=", "..", ".",
        ] {
            #expect(message(broken, key) != nil, "\(broken)")
        }
    }

    @Test func `no byte of a signed list can change`() throws {
        let own = P256.Signing.PrivateKey()
        let key = try PinList.Key(pem: own.publicKey.pemRepresentation)
        let text = Data(try Self.signed(Self.text("a.example", Self.one, version: 1), own).utf8)
        var random = SeededGenerator(seed: 9)
        for _ in FuzzRounds(300) {
            var changed = text
            let place = Int.random(in: changed.indices, using: &random)
            let byte = UInt8.random(in: 0...255, using: &random)
            guard byte != changed[place] else { continue }
            changed[place] = byte
            // The last digit of a part has bits that no byte has; a change of them is refused, too.
            #expect(throws: NetworkingError.self, "byte \(place)") { try PinList(changed, signedBy: key) }
        }
    }

    /// Made by a library for Python: a key and a list of RFC 8037's algorithm.
    @Test(.needs("openssl")) func `a list signed by openssl with Ed25519 is read`() async throws {
        try await withDirectory { directory in
            let payload = Self.base64(Self.text("a.example", Self.one, version: 4))
            let start = Self.base64(Data(#"{"alg":"EdDSA"}"#.utf8)) + "." + payload
            try Data(start.utf8).write(to: directory.appending(path: "text"))
            let script = """
                openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out public.pem \
                    && openssl pkeyutl -sign -inkey key.pem -rawin -in text -out signature
                """
            try #require(try await OtherProgram.run("sh", ["-c", script], in: directory) == 0)
            let pem = try String(contentsOf: directory.appending(path: "public.pem"), encoding: .utf8)
            let signature = try Data(contentsOf: directory.appending(path: "signature"))
            let list = try PinList(Data("\(start).\(Self.base64(signature))".utf8), signedBy: PinList.Key(pem: pem))
            #expect(list.version == 4)
        }
    }

    @Test func `a key of another kind is an error when it is made`() throws {
        let rsa = try CertificateKey(.rsa2048).pem
        for text in ["", "key", rsa, P384.Signing.PrivateKey().publicKey.pemRepresentation] {
            #expect(throws: NetworkingError.self) { try PinList.Key(pem: text) }
        }
    }

    // MARK: Sessions

    @Test func `a list that is replaced counts for the next connection, also for a chain seen before`() async throws {
        let certificates = try TestCertificates.shared()
        let good = "sha256/" + certificates.localhost.publicKeyPin
        let list = try PinList(Self.text("localhost", good))
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.pinList = list
        let script = FaultServer.Script.requests { _ in [.respond(body: "ok"), .close] }
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run(script, options: options) { server in
            try await withSession(configuration) { session in
                let request = try Request(to: server.baseURL)
                for pin in [good, Self.one, good] {
                    try list.load(Self.text("localhost", pin))
                    for _ in 0..<2 {
                        if pin == good {
                            #expect(try await session.data(for: request).value == Data("ok".utf8))
                        } else {
                            let error = try await networkingError { _ = try await session.data(for: request) }
                            #expect(error.code == .certificateNotPinned, "\(error)")
                        }
                    }
                }
                // A host that the list does not name has the policy of the session.
                try list.load(Self.text("other.example", Self.one))
                #expect(try await session.data(for: request).value == Data("ok".utf8))
            }
        }
    }

    @Test func `a list takes the place of a policy's pins, and its hosts have a policy`() throws {
        let list = try PinList(Self.text("a.example", Self.one))
        var configuration = SessionConfiguration()
        configuration.pinList = list
        configuration.securityPolicy = .pinning(keys: [try PublicKeyPin(Self.two)])
        configuration.hostSecurityPolicies.isEveryHostRequired = true
        let policy = try #require(try configuration.policy(for: "A.example.", at: .now))
        #expect(try policy.pinningMode == .publicKey && policy.pinnedKeys == [PublicKeyPin(Self.one)])
        let none = try configuration.policy(for: "b.example", at: .now)
        #expect(none == nil)
        configuration.hostSecurityPolicies.isEveryHostRequired = false
        #expect(try configuration.policy(for: "b.example", at: .now)?.pinnedKeys == [PublicKeyPin(Self.two)])
    }

    @Test func `pins of a list that have expired give way to those of the policy, where it has some`() throws {
        let end = try Date("2027-12-31T00:00:00Z", strategy: .iso8601)
        var configuration = SessionConfiguration()
        configuration.pinList = try PinList(
            Self.text("a.example", Self.one, more: #", "expires": "2027-12-31T00:00:00Z""#)
        )
        func policy(_ time: Date) throws -> SecurityPolicy {
            try #require(try configuration.policy(for: "a.example", at: time))
        }
        configuration.securityPolicy = .pinning(keys: [try PublicKeyPin(Self.two)])
        #expect(try policy(end).pinnedKeys == [PublicKeyPin(Self.one)] && policy(end).pinGeneration == 1)
        #expect(try policy(end + 1).pinnedKeys == [PublicKeyPin(Self.two)] && policy(end + 1).pinGeneration == 0)
        configuration.securityPolicy = .acceptingAnyCertificate
        #expect(try !policy(end + 1).at(end + 1).allowsInvalidCertificates)
    }

    @Test func `a session whose list names the host of a base URL needs https for it`() async throws {
        var configuration = SessionConfiguration()
        configuration.pinList = try PinList(Self.text("a.example", Self.one))
        try await withSession(configuration) { session in
            let api = HTTPSessionManager(baseURL: "http://a.example/", session: session)
            let error = try await networkingError { let _: String = try await api.get("x") }
            #expect(error.code == .invalidTrustConfiguration && error.message.contains("has pins"), "\(error)")
        }
    }
}
