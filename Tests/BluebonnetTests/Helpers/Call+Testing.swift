import NIOCore

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Call {
    /// A call that no session runs, for tests of its state.
    static func withoutSession(
        isWatched: Bool = false,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) -> Call {
        let core = SessionCore(configuration: SessionConfiguration(), transport: nil)
        return Call(Request(url: URL(filePath: "/")), core: core, isWatched: isWatched, isStarted: true, now: now)
    }

    /// Begins a hop whose operation does nothing.
    func beginHop(expectedToSend: Int?) {
        final class Hop: Operation {
            func cancel(with error: NetworkingError) {}
            func suspensionChanged() {}
            func priorityChanged() {}
        }
        let notice = withLock { state in
            _ = state.attach(Hop())
            return state.traffic.beginHop(expectedToSend: expectedToSend)
        }
        notice?.give()
    }
}
