import Testing

@testable import Bluebonnet

/// The bytes of a body that are told to a hook, as a value.
struct SentBytesTests {
    private static func steps(_ sent: inout SentBytes) -> [SentBytes.Step] {
        var steps: [SentBytes.Step] = []
        while let step = sent.take() { steps.append(step) }
        return steps
    }

    @Test func `what comes while nobody takes it counts together`() {
        var sent = SentBytes()
        sent.note(0, of: 30)
        #expect(!sent.hasSteps && sent.take() == nil)
        sent.note(10, of: 30)
        sent.note(20, of: 30)
        #expect(sent.hasSteps)
        #expect(sent.take() == SentBytes.Step(count: 20, total: 20, expected: 30))
        sent.note(20, of: 30)
        #expect(!sent.hasSteps)
        sent.note(30, of: 30)
        #expect(Self.steps(&sent) == [SentBytes.Step(count: 10, total: 30, expected: 30)])
    }

    @Test func `bytes that were counted earlier are no other sending`() {
        var sent = SentBytes()
        sent.noteEarlier(50, of: 300)
        #expect(sent.take() == SentBytes.Step(count: 50, total: 50, expected: 300))
        sent.note(200, of: 300)
        sent.noteEarlier(100, of: 300)
        #expect(sent.take() == SentBytes.Step(count: 150, total: 200, expected: 300))
        sent.noteEarlier(100, of: 300)
        sent.note(300, of: 300)
        #expect(Self.steps(&sent) == [SentBytes.Step(count: 100, total: 300, expected: 300)])
    }

    @Test func `a body that is sent again counts from zero`() {
        var sent = SentBytes()
        sent.note(10, of: 10)
        sent.note(0, of: nil)
        sent.note(25, of: nil)
        let both = [
            SentBytes.Step(count: 10, total: 10, expected: 10), SentBytes.Step(count: 25, total: 25, expected: nil),
        ]
        #expect(Self.steps(&sent) == both)
        sent.note(0, of: 40)
        #expect(sent.take() == nil)
        sent.note(40, of: 40)
        #expect(sent.take() == SentBytes.Step(count: 40, total: 40, expected: 40))
    }
}
