import Foundation
import Synchronization

/// Ends the process when a parser does not return. Nothing else can end such a parser: the time
/// limit of a test cancels a task, which the parser does not look at.
final class HangWatch: Sendable {
    private let name: String
    private let patience: Duration
    /// What the parser has now, and since when.
    private let current = Mutex<(input: [UInt8], since: ContinuousClock.Instant)?>(nil)

    /// Begins to watch, on a thread that ends with the last reference.
    ///
    /// - Parameters:
    ///   - name: What is watched, for the message.
    ///   - patience: The time after which a parser hangs.
    init(name: String, patience: Duration) {
        self.name = name
        self.patience = patience
        Thread.detachNewThread { [weak self] in
            while self?.check() != nil { Thread.sleep(forTimeInterval: 1) }
        }
    }

    /// The parser gets this input now.
    func begin(_ input: [UInt8]) {
        current.withLock { $0 = (input, .now) }
    }

    /// The parser has returned.
    func end() {
        current.withLock { $0 = nil }
    }

    private func check() {
        guard let (input, since) = current.withLock({ $0 }), ContinuousClock.now - since > patience else { return }
        // An error could not be thrown to anyone: the thread of the test is in the parser.
        fatalError("\(name): no outcome within \(patience) for \(input)")
    }
}
