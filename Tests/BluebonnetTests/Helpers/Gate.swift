import LocalServer

/// A gate at which Swift tasks wait until a test opens it, whether they are cancelled or not.
final class Gate: Sendable {
    private let gate = FaultGate()

    /// Opens the gate for all who wait now or later.
    func open() {
        gate.open()
    }

    /// Returns when the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in gate.whenOpen { continuation.resume() } }
    }
}
