import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// A jar and its store: what is written, when, and what other processes do meanwhile.
@Suite(.timeLimit(.minutes(5)))
struct CookieJarSavingTests {
    /// A store in memory, which several jars share as processes share a file.
    private final class MemoryStore: CookieStore {
        struct Failure: Error {}

        struct State {
            var cookies: [Cookie] = []
            var updates: [CookieStoreChanges] = []
            var fails = false
            /// Whether somebody else has changed the cookies.
            var isForeign = false
        }

        let state: Mutex<State>
        let gate: DispatchSemaphore?

        init(_ cookies: [Cookie] = [], gate: DispatchSemaphore? = nil) {
            state = Mutex(State(cookies: cookies))
            self.gate = gate
        }

        func cookies() throws -> [Cookie] { state.withLock { $0.cookies } }

        func update(_ changes: CookieStoreChanges, at now: Date) throws -> [Cookie]? {
            gate?.wait()
            return try state.withLock { state in
                guard !state.fails else { throw Failure() }
                state.updates.append(changes)
                state.cookies = changes.applied(to: state.cookies).filter { !$0.isExpired(at: now) }
                defer { state.isForeign = false }
                return state.isForeign ? state.cookies : nil
            }
        }

        /// What another process does.
        func change(_ change: (inout [Cookie]) -> Void) {
            state.withLock { state in
                change(&state.cookies)
                state.isForeign = true
            }
        }

        var names: [String] { state.withLock { $0.cookies.map(\.name) } }
        var updates: [CookieStoreChanges] { state.withLock { $0.updates } }
    }

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func jar(
        _ store: MemoryStore,
        keepsSessionCookies: Bool = false,
        limits: CookieJar.Limits = .init()
    ) throws -> CookieJar {
        let clock = CookieClock(now: Self.start)
        return try jar(store, clock, keepsSessionCookies: keepsSessionCookies, limits: limits)
    }

    private final class CookieClock: Sendable {
        let now: Mutex<Date>

        init(now: Date) { self.now = Mutex(now) }

        func move(by seconds: TimeInterval) { now.withLock { $0 += seconds } }
    }

    private func jar(
        _ store: MemoryStore,
        _ clock: CookieClock,
        keepsSessionCookies: Bool = false,
        limits: CookieJar.Limits = .init()
    ) throws -> CookieJar {
        try CookieJar(store: store, keepsSessionCookies: keepsSessionCookies, limits: limits) {
            clock.now.withLock { $0 }
        }
    }

    private func cookie(_ name: String, _ value: String = "1", lifetime: TimeInterval? = 1_000_000) -> Cookie {
        Cookie(
            name: name,
            value: value,
            domain: "example.com",
            expires: lifetime.map { Self.start + $0 },
            created: Self.start
        )
    }

    // MARK: What is written

    @Test func `the store gets what has an end, and the rest where it is wanted`() async throws {
        for keeps in [false, true] {
            let store = MemoryStore()
            let jar = try jar(store, keepsSessionCookies: keeps)
            jar.set(cookie("a"))
            jar.set(cookie("session", lifetime: nil))
            try await jar.flush()
            #expect(store.names == (keeps ? ["a", "session"] : ["a"]) && jar.cookies.count == 2)
        }
    }

    @Test func `a cookie that loses its end leaves the store`() async throws {
        let store = MemoryStore()
        let jar = try jar(store)
        jar.set(cookie("a"))
        try await jar.flush()
        jar.set(cookie("a", lifetime: nil))
        try await jar.flush()
        #expect(store.names.isEmpty && jar.cookies.count == 1)
        let count = store.updates.count
        for value in ["2", "3"] { jar.set(cookie("a", value, lifetime: nil)) }
        try await jar.flush()
        #expect(store.updates.count == count)
    }

    @Test func `removing and replacing reach the store`() async throws {
        let store = MemoryStore([cookie("a"), cookie("b"), cookie("c")])
        let jar = try jar(store)
        jar.remove(cookie("a").identity)
        jar.set("b=; Max-Age=0; Domain=example.com; Path=/", from: try #require(URL(string: "https://example.com/")))
        try await jar.flush()
        #expect(store.names == ["c"])
        store.change { $0.append(self.cookie("other")) }
        jar.replace(with: [cookie("d")])
        try await jar.flush()
        #expect(store.names == ["d"] && jar.cookies.map(\.name) == ["d"])
        jar.removeAll()
        try await jar.flush()
        #expect(store.names.isEmpty)
    }

    /// Waits until a jar is written, and nothing is taken along any more.
    private func flushed(_ jar: CookieJar?) async throws {
        try await jar?.flush()
        try await until("the writer has ended") { jar?.state.withLock { $0.isWriting } != true }
    }

    @Test func `a new end alone is written once a minute, and when the jar is flushed or gone`() async throws {
        let store = MemoryStore()
        let clock = CookieClock(now: Self.start)
        var jar: CookieJar? = try jar(store, clock)
        jar?.set(cookie("a"))
        try await flushed(jar)
        for second in 1...59 {
            clock.move(by: 1)
            jar?.set(cookie("a", lifetime: 1_000_000 + Double(second)))
        }
        #expect(store.updates.count == 1 && jar?.state.withLock { $0.isWriting } == false)
        clock.move(by: 1)
        jar?.set(cookie("a", lifetime: 1_000_060))
        try await flushed(jar)
        #expect(store.updates.count == 2)
        jar?.set(cookie("a", lifetime: 1_000_061))
        try await flushed(jar)
        #expect(store.updates.count == 3)
        jar?.set(cookie("a", lifetime: 1_000_062))
        jar = nil
        try await until("the last end is written") { store.updates.count == 4 }
        #expect(store.state.withLock { $0.cookies.first?.expires } == Self.start + 1_000_062)
    }

    @Test func `no request waits for the store`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let store = MemoryStore(gate: gate)
        let jar = try jar(store)
        jar.set(cookie("a"))
        let url = try #require(URL(string: "https://example.com/"))
        // The store is blocked until the end of this test.
        for number in 0..<100 { jar.set(cookie("b", "\(number)")) }
        #expect(jar.header(for: url) == "a=1; b=99" && store.updates.isEmpty)
        async let flushed: Void = jar.flush()
        for _ in 0..<3 { gate.signal() }
        try await flushed
        #expect(store.names == ["a", "b"] && store.updates.count <= 3)
    }

    @Test func `what could not be written is written with the next change`() async throws {
        let store = MemoryStore()
        let jar = try jar(store)
        store.state.withLock { $0.fails = true }
        jar.set(cookie("a"))
        jar.set(cookie("b"))
        jar.remove(cookie("b").identity)
        do {
            try await jar.flush()
            Issue.record("the store has failed")
        } catch {
            #expect(error.code == .storeFailed)
        }
        store.state.withLock { $0.fails = false }
        jar.set(cookie("c"))
        try await jar.flush()
        #expect(Set(store.names) == ["a", "c"])
    }

    @Test func `what makes room before it is written leaves nothing older in the store`() async throws {
        let store = MemoryStore([cookie("a"), cookie("b")])
        let jar = try jar(store, limits: .init(cookiesPerDomain: 2))
        store.state.withLock { $0.fails = true }
        jar.set(cookie("a", "2"))
        jar.set(cookie("b", "2"))
        jar.set(cookie("c"))
        jar.set(cookie("d"))
        _ = try await networkingError { try await jar.flush() }
        jar.set(cookie("e"))
        store.state.withLock { $0.fails = false }
        try await jar.flush()
        #expect(Set(store.names) == Set(jar.cookies.map(\.name)) && !store.names.contains("a"))
    }

    @Test func `a store that fails again and again does not make the changes grow without end`() async throws {
        let store = MemoryStore()
        let jar = try jar(store, limits: .init(cookiesPerDomain: 10, cookies: 20))
        store.state.withLock { $0.fails = true }
        for number in 0..<200 {
            jar.set(cookie("c\(number)"))
            jar.set(cookie("d\(number)", lifetime: nil))
            jar.remove(cookie("c\(number / 2)").identity)
            _ = try? await jar.flush()
        }
        let changes = jar.state.withLock { $0.changes }
        #expect(changes.stored.count <= 20 && changes.removed.count <= 23 && changes.evicted.count <= 23)
    }

    // MARK: Other processes

    @Test func `what makes room before it is written leaves what another process has put there`() async throws {
        let store = MemoryStore([cookie("a")])
        let jar = try jar(store, limits: .init(cookiesPerDomain: 2))
        store.state.withLock { $0.fails = true }
        jar.set(cookie("a", "2"))
        jar.set(cookie("new"))
        for name in ["c", "d"] { jar.set(cookie(name)) }
        _ = try await networkingError { try await jar.flush() }
        store.change { $0 = [self.cookie("a", "renewed"), self.cookie("new", "renewed")] }
        store.state.withLock { ($0.fails, $0.isForeign) = (false, false) }
        jar.set(cookie("e"))
        try await jar.flush()
        #expect(Set(store.names).isSuperset(of: ["a", "new"]))
    }

    @Test func `what was removed, set and forgotten again leaves the store whatever is there`() async throws {
        let store = MemoryStore([cookie("a")])
        let jar = try jar(store, limits: .init(cookiesPerDomain: 2))
        store.state.withLock { $0.fails = true }
        jar.remove(cookie("a").identity)
        for name in ["a", "b", "c"] { jar.set(cookie(name)) }
        _ = try await networkingError { try await jar.flush() }
        store.state.withLock { ($0.fails, $0.cookies) = (false, [self.cookie("a", "renewed")]) }
        try await jar.flush()
        #expect(Set(store.names) == ["b", "c"])
    }

    @Test func `cookies of an earlier session are neither sent nor removed`() async throws {
        let store = MemoryStore([cookie("old", lifetime: nil), cookie("a")])
        let jar = try jar(store)
        #expect(jar.cookies.map(\.name) == ["a"])
        jar.set(cookie("mine", lifetime: nil))
        store.change { $0.append(self.cookie("later", lifetime: nil)) }
        try await jar.refresh()
        #expect(jar.cookies.map(\.name) == ["a", "mine"])
        jar.removeSessionCookies()
        try await jar.flush()
        #expect(store.names == ["old", "a", "later"] && jar.cookies.map(\.name) == ["a"])
        #expect(try self.jar(store, keepsSessionCookies: true).cookies.count == 3)
    }

    @Test func `many removals of what is not there are written with the next change`() async throws {
        let store = MemoryStore()
        let clock = CookieClock(now: Self.start)
        let jar = try jar(store, clock, limits: .init(cookiesPerDomain: 180, cookies: 30))
        jar.set(cookie("a"))
        try await flushed(jar)
        let url = try #require(URL(string: "https://example.com/"))
        for number in 0..<20 { jar.set("c\(number)=; Max-Age=0", from: url) }
        #expect(store.updates.count == 1 && jar.state.withLock { !$0.isWriting && $0.changes.removed.count == 20 })
        for number in 20..<40 { jar.set("c\(number)=; Max-Age=0", from: url) }
        try await flushed(jar)
        #expect(store.updates.count >= 2)
    }

    @Test func `two jars of one store lose nothing of each other`() async throws {
        let store = MemoryStore([cookie("known")])
        let (first, second) = (try jar(store), try jar(store))
        first.set(cookie("a"))
        try await first.flush()
        store.change { _ in }
        second.set(cookie("b"))
        try await second.flush()
        store.change { _ in }
        try await first.refresh()
        for jar in [first, second] { #expect(Set(jar.cookies.map(\.name)) == ["known", "a", "b"]) }
        #expect(Set(store.names) == ["known", "a", "b"])
    }

    @Test func `a cookie that another process renewed is not removed when its first time is over`() async throws {
        let store = MemoryStore([cookie("a", lifetime: 60)])
        let clock = CookieClock(now: Self.start)
        let jar = try jar(store, clock)
        store.change { $0 = [self.cookie("a", "2", lifetime: 600)] }
        clock.move(by: 61)
        #expect(jar.cookies.isEmpty)
        jar.set(cookie("b"))
        try await jar.flush()
        #expect(store.names == ["a", "b"] && jar.cookies.map(\.pair) == ["a=2", "b=1"])
    }

    @Test func `what makes room leaves what another process has renewed`() async throws {
        let store = MemoryStore([cookie("a"), cookie("b")])
        let jar = try jar(store, limits: .init(cookiesPerDomain: 2))
        store.change { $0[0] = self.cookie("a", "2") }
        jar.set(cookie("c"))
        try await jar.flush()
        // The jar has it again, and has no room for all three.
        #expect(store.state.withLock { $0.cookies.contains { $0.pair == "a=2" } })
        #expect(jar.cookies.map(\.pair).sorted() == ["a=2", "c=1"])
        jar.set(cookie("d"))
        try await jar.flush()
        #expect(!store.names.contains("b") && store.names.contains("d"))
    }

    @Test func `what others removed is gone, and what this one has set meanwhile stays`() async throws {
        let store = MemoryStore([cookie("a"), cookie("b")])
        let jar = try jar(store)
        jar.set(cookie("session", lifetime: nil))
        let changes = jar.changes()
        store.change { $0.removeAll { $0.name == "a" } }
        jar.set(cookie("c"))
        try await jar.flush()
        #expect(jar.cookies.map(\.name) == ["b", "session", "c"])
        var heard: [String] = []
        for await change in changes {
            heard.append("\(change.kind.rawValue) \(change.cookie.name)")
            if heard.count == 2 { break }
        }
        #expect(heard == ["added c", "removed a"])
    }

    @Test func `the time of the last use is not lost when the store is read again`() async throws {
        let store = MemoryStore([cookie("a")])
        let clock = CookieClock(now: Self.start)
        let jar = try jar(store, clock)
        clock.move(by: 100)
        _ = jar.cookies(for: try .of("https://example.com/"))
        store.change { $0[0].value = "2" }
        try await jar.refresh()
        let cookie = try #require(jar.cookies.first)
        #expect(cookie.value == "2" && cookie.lastUsed == Self.start + 100 && cookie.created == Self.start)
    }

    @Test func `a store with more cookies than a jar has room for is cut`() throws {
        let cookies = (0..<30).map { cookie("c\($0)") }
        let jar = try jar(MemoryStore(cookies), limits: .init(cookiesPerDomain: 180, cookies: 20))
        #expect(jar.cookies.count == 18)
    }

    @Test func `a store with many cookies of one domain is read in linear time, and cut`() async throws {
        let cookies = (0..<30_000).map { cookie("c\($0)") }
        let (store, clock) = (MemoryStore(cookies), ContinuousClock())
        var jar: CookieJar?
        let time = try clock.measure { jar = try self.jar(store) }
        #expect(jar?.cookies.count == 180)
        // Comparing each with each took minutes.
        #expect(time < .seconds(20))
        let empty = MemoryStore()
        let other = try self.jar(empty)
        empty.change { $0 = cookies }
        try await other.refresh()
        #expect(other.cookies.count == 180)
    }

    @Test func `of a store nothing is taken that could not be sent`() throws {
        let bad = Cookie(name: "a", value: "b\nc", domain: "example.com", expires: Self.start + 9)
        let jar = try jar(MemoryStore([bad, cookie("old", lifetime: -1), cookie("good")]))
        #expect(jar.cookies.map(\.name) == ["good"])
    }
}
