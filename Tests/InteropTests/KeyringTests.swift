import Bluebonnet
import Foundation
import HTTPTypes
import Testing

/// The credential store of the desktop's keyring, with GNOME's keyring.
@Suite(.enabled(if: InteropServer.keyring.isExpected), .serialized, .timeLimit(.minutes(5)))
struct KeyringTests {
    /// A name that no other run has.
    private let store = KeyringCredentialStore(program: "bluebonnet-tests-\(UUID())")

    /// libsecret finds the keyring by the environment, when it needs it first.
    private static let isFound: Void = {
        if let address = try? InteropServer.keyring.address { unsafe setenv("DBUS_SESSION_BUS_ADDRESS", address, 1) }
    }()

    init() {
        Self.isFound
    }

    @Test func `a credential is found again, also by another store, and can be removed`() async throws {
        let space = ProtectionSpace(host: "api.example.com", port: 443, realm: "Reports")
        #expect(try await store.credential(for: space) == nil)
        let ada = Credential(user: "ada", password: "söcret \"'\\", persistence: .permanent)
        try await store.set(ada, for: space)
        let again = KeyringCredentialStore(program: store.program)
        #expect(try await again.credential(for: space) == ada)
        let changed = Credential(user: "ada", password: "another", persistence: .permanent)
        try await store.set(changed, for: space)
        #expect(try await again.credential(for: space) == changed)
        try await store.set(nil, for: space)
        try await store.set(nil, for: space)
        #expect(try await again.credential(for: space) == nil)
    }

    @Test func `credentials of other spaces, programs and kinds are not mixed up`() async throws {
        let spaces = [
            ProtectionSpace(host: "a.example", port: 443), ProtectionSpace(host: "a.example", port: 8443),
            ProtectionSpace(host: "a.example", port: 443, isSecure: false),
            ProtectionSpace(host: "a.example", port: 443, realm: ""),
            ProtectionSpace(host: "a.example", port: 443, realm: "=x"),
            ProtectionSpace(host: "a.example", port: 443, scheme: .bearer),
            ProtectionSpace(host: "a.example", port: 443, isProxy: true),
        ]
        for (number, space) in spaces.enumerated() {
            try await store.set(Credential(token: "token-\(number)", persistence: .permanent), for: space)
        }
        for (number, space) in spaces.enumerated() {
            let expected = Credential(token: "token-\(number)", persistence: .permanent)
            #expect(try await store.credential(for: space) == expected, "\(space)")
        }
        let other = KeyringCredentialStore(program: store.program + "-2")
        #expect(try await other.credential(for: spaces[0]) == nil)
        for space in spaces { try await store.set(nil, for: space) }
    }

    @Test func `bytes that are not UTF-8 come back as they were`() async throws {
        let space = ProtectionSpace(host: "bytes.example", port: 80, isSecure: false)
        let credential = Credential(user: [0xE4, 0, 0xFF], password: Array(0...255), persistence: .permanent)
        try await store.set(credential, for: space)
        #expect(try await store.credential(for: space) == credential)
        try await store.set(nil, for: space)
    }

    @Test func `a store is available where a keyring answers`() async throws {
        let found = await KeyringCredentialStore.available(for: store.program)
        #expect(found?.program == store.program)
        let chosen = await KeyringCredentialStore.available(for: store.program, orFile: URL(filePath: "/nonexistent"))
        #expect((chosen as? KeyringCredentialStore)?.program == store.program)
    }

    @Test func `many tasks use the keyring at once`() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let space = ProtectionSpace(host: "host-\(number).example", port: 443)
                    let credential = Credential(user: "user", password: "\(number)", persistence: .permanent)
                    try await store.set(credential, for: space)
                    #expect(try await store.credential(for: space) == credential)
                    try await store.set(nil, for: space)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a session stores what a server has accepted, and the next session knows it`() async throws {
        let request = try InteropServer.httpbin.request("/basic-auth/ada/secret")
        var configuration = SessionConfiguration()
        configuration.credentialStore = store
        try await withSession(configuration) { session in
            var first = request
            first.credential = Credential(user: "ada", password: "secret", persistence: .permanent)
            let response = try await session.data(for: first)
            #expect(response.status == .ok)
        }
        try await withSession(configuration) { session in
            let response = try await session.data(for: request)
            #expect(response.status == .ok)
        }
        let url = try #require(request.url.host())
        let space = ProtectionSpace(
            host: url,
            port: try #require(request.url.port),
            isSecure: false,
            realm: "Fake Realm"
        )
        #expect(try await store.credential(for: space) != nil)
        try await store.set(nil, for: space)
    }
}
