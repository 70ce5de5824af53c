import Bluebonnet
import Foundation
import Testing

/// The store of programs that may run without a keyring; KeyringTests has those with one.
@Suite(.timeLimit(.minutes(5)))
struct KeyringCredentialStoreTests {
    @Test func `a file takes the place of a keyring that does not answer`() async {
        // In another process, because a change of the environment is for the whole process.
        await #expect(processExitsWith: .success) {
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            try await withDirectory { folder in
                let file = folder.appending(path: "credentials.json")
                let store = await KeyringCredentialStore.available(for: "bluebonnet-tests", orFile: file)
                #expect(store is FileCredentialStore)
                let space = ProtectionSpace(host: "example.com", port: 443)
                try await store.set(Credential(token: "t0ken"), for: space)
                #expect(try await FileCredentialStore(file).credential(for: space)?.token == "t0ken")
            }
        }
    }
}
