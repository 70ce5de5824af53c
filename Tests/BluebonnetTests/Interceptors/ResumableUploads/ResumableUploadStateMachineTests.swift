import HTTPTypes
import Testing

@testable import Bluebonnet

/// The decisions of a resumable upload, as values.
struct ResumableUploadStateMachineTests {
    private typealias Machine = ResumableUpload.StateMachine

    private let lost = Machine.Outcome.failure(isTemporary: true)

    private func told(_ offset: Int?, isComplete: Bool? = false, length: Int? = nil) -> Machine.Outcome {
        .response(UploadStatus(code: 204, offset: offset, isComplete: isComplete, length: length))
    }

    private func response(_ code: Int, isComplete: Bool? = nil) -> Machine.Outcome {
        .response(UploadStatus(code: code, isComplete: isComplete))
    }

    /// A machine whose creation was cut after a 104.
    private func cut(
        length: Int? = 100,
        sent: Int = 60,
        isIdempotent: Bool = false,
        mostAtOnce: Int? = nil
    ) -> Machine {
        var machine = Machine(length: length, isIdempotent: isIdempotent, mostFailures: 2)
        #expect(machine.begin() == .create)
        machine.note(hasResource: true, offset: nil, mostAtOnce: mostAtOnce)
        #expect(machine.next(after: lost, sentUpTo: sent) == .ask(failures: 1))
        return machine
    }

    @Test(arguments: [200, 201, 302, 404, 413, 500])
    func `without an upload resource, every response is that of the upload`(_ status: Int) {
        var machine = Machine(length: 100, isIdempotent: true, mostFailures: 2)
        _ = machine.begin()
        #expect(machine.next(after: response(status), sentUpTo: 100) == .deliver)
    }

    @Test func `without an upload resource, a failure is one`() {
        var machine = Machine(length: 100, isIdempotent: true, mostFailures: 2)
        _ = machine.begin()
        #expect(machine.next(after: lost, sentUpTo: 50) == .fail(.interrupted(isResumable: false)))
    }

    @Test func `a cut is followed by the question for the offset, and by the rest`() {
        var machine = cut()
        #expect(machine.next(after: told(40), sentUpTo: 60) == .append(from: 40, count: nil))
        #expect(machine.next(after: response(200, isComplete: true), sentUpTo: 100) == .deliver)
    }

    @Test func `a success that has less than the whole is asked for the offset again`() {
        var machine = cut()
        _ = machine.next(after: told(40), sentUpTo: 60)
        #expect(machine.next(after: told(70, isComplete: nil), sentUpTo: 100) == .ask(failures: 1))
        #expect(machine.next(after: told(70), sentUpTo: 100) == .append(from: 70, count: nil))
        #expect(machine.next(after: told(100, isComplete: nil), sentUpTo: 100) == .deliver)
    }

    @Test func `an upload that is complete lost its response, whatever was counted`() {
        var machine = cut()
        #expect(machine.next(after: told(100, isComplete: true), sentUpTo: 60) == .fail(.responseLost))
    }

    @Test func `a POST of an earlier task is not sent again when its upload resource is gone`() {
        let gone = Machine.Outcome.response(UploadStatus(code: 404))
        var machine = Machine(length: 100, isIdempotent: false, mostFailures: 2, hasResource: true)
        _ = machine.begin()
        #expect(machine.next(after: gone, sentUpTo: 0) == .fail(.refused("the upload resource is gone")))
    }

    @Test(arguments: [(1, 10_000, true), (1, 10_001, false), (65_535, 655_350_000, true), (65_535, 655_350_001, false)])
    func `a small limit is kept to for at most ten thousand requests`(limit: Int, rest: Int, isKept: Bool) {
        var machine = cut(length: rest)
        machine.note(hasResource: true, offset: nil, mostAtOnce: limit)
        let step = machine.next(after: told(0), sentUpTo: rest)
        #expect((step == .append(from: 0, count: limit)) == isKept)
    }

    @Test func `a large limit is kept to, whatever is left`() {
        var machine = cut(length: 1 << 40)
        machine.note(hasResource: true, offset: nil, mostAtOnce: 65_536)
        #expect(machine.next(after: told(0), sentUpTo: 1 << 40) == .append(from: 0, count: 65_536))
    }

    @Test func `a body of unknown length is continued too`() {
        var machine = cut(length: nil)
        #expect(machine.next(after: told(40), sentUpTo: 60) == .append(from: 40, count: nil))
        #expect(machine.next(after: lost, sentUpTo: 80) == .ask(failures: 1))
        #expect(machine.next(after: told(80), sentUpTo: 80) == .append(from: 80, count: nil))
        #expect(machine.next(after: response(200), sentUpTo: 90) == .deliver)
    }

    @Test func `a failure that no attempt can mend ends it at every step`() {
        let broken = Machine.Outcome.failure(isTemporary: false)
        var machine = cut()
        #expect(machine.next(after: broken, sentUpTo: 60) == .fail(.interrupted(isResumable: true)))
        machine = cut()
        _ = machine.next(after: told(1), sentUpTo: 60)
        #expect(machine.next(after: broken, sentUpTo: 60) == .fail(.interrupted(isResumable: true)))
    }

    @Test func `progress makes up for failures`() {
        var machine = cut()
        for offset in 1...50 {
            #expect(machine.next(after: told(offset), sentUpTo: 60) == .append(from: offset, count: nil))
            #expect(machine.next(after: lost, sentUpTo: 60) == .ask(failures: 1))
        }
        #expect(machine.next(after: lost, sentUpTo: 60) == .ask(failures: 2))
        #expect(machine.next(after: lost, sentUpTo: 60) == .fail(.interrupted(isResumable: true)))
    }

    @Test func `a server that takes one byte at a time has an end`() {
        var machine = cut(length: 1_000_000, sent: 1_000_000)
        var steps = 0
        var step = Machine.Step.ask(failures: 1)
        while case .ask = step, steps < 10_000 {
            steps += 1
            _ = machine.next(after: told(steps), sentUpTo: 0)
            step = machine.next(after: lost, sentUpTo: 0)
        }
        #expect(step == .fail(.interrupted(isResumable: true)))
        #expect(steps == Machine.mostInterruptions)
    }

    @Test(arguments: [nil, 61, 101])
    func `an offset that cannot be true is refused`(_ offset: Int?) throws {
        var machine = cut()
        guard case .fail(.contradiction) = machine.next(after: told(offset), sentUpTo: 60) else {
            Issue.record("it was believed")
            return
        }
    }

    @Test func `an earlier process may have sent anything up to the whole`() {
        var machine = Machine(length: 100, isIdempotent: false, mostFailures: 2, hasResource: true)
        #expect(machine.begin() == .ask(failures: 0))
        #expect(machine.next(after: told(99), sentUpTo: 0) == .append(from: 99, count: nil))
        machine = Machine(length: 100, isIdempotent: false, mostFailures: 2, hasResource: true)
        _ = machine.begin()
        guard case .fail(.contradiction) = machine.next(after: told(101), sentUpTo: 0) else {
            Issue.record("it was believed")
            return
        }
    }

    @Test func `the limit of one request is obeyed`() {
        var machine = cut(mostAtOnce: 30)
        #expect(machine.next(after: told(20), sentUpTo: 60) == .append(from: 20, count: 30))
        #expect(machine.next(after: response(204, isComplete: false), sentUpTo: 50) == .append(from: 50, count: 30))
        #expect(machine.next(after: lost, sentUpTo: 80) == .ask(failures: 1))
        #expect(machine.next(after: told(70), sentUpTo: 80) == .append(from: 70, count: nil))
        #expect(machine.next(after: response(201), sentUpTo: 100) == .deliver)
    }

    @Test func `an upload that is complete before all was sent is a contradiction`() {
        var machine = cut(mostAtOnce: 30)
        _ = machine.next(after: told(20), sentUpTo: 60)
        guard case .fail(.contradiction) = machine.next(after: response(200, isComplete: true), sentUpTo: 50) else {
            Issue.record("it was believed")
            return
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `the whole is sent again where the server cannot have processed it`(_ isIdempotent: Bool, _ isSent: Bool) {
        var machine = cut(sent: isSent ? 100 : 99, isIdempotent: isIdempotent)
        let step = machine.next(after: response(404), sentUpTo: 0)
        if isIdempotent || !isSent {
            #expect(step == .create)
        } else {
            #expect(step == .fail(.refused("the upload resource is gone")))
        }
    }

    @Test(arguments: [401, 403, 407])
    func `a resource that wants other credentials is not given up`(_ status: Int) {
        var machine = cut()
        #expect(machine.next(after: response(status), sentUpTo: 60) == .authenticate)
        machine = cut()
        _ = machine.next(after: told(40), sentUpTo: 60)
        #expect(machine.next(after: response(status), sentUpTo: 60) == .authenticate)
        machine = cut(mostAtOnce: 30)
        _ = machine.next(after: told(20), sentUpTo: 60)
        #expect(machine.next(after: response(status), sentUpTo: 50) == .authenticate)
    }

    @Test func `a refusal of the whole upload is its response`() {
        var machine = cut()
        _ = machine.next(after: told(40), sentUpTo: 60)
        #expect(machine.next(after: response(403, isComplete: true), sentUpTo: 100) == .deliver)
    }

    @Test func `a kept response is delivered when nothing better comes`() {
        var machine = Machine(length: 100, isIdempotent: true, mostFailures: 2)
        _ = machine.begin()
        machine.note(hasResource: true, offset: nil, mostAtOnce: nil)
        #expect(machine.next(after: response(503), sentUpTo: 100) == .ask(failures: 1))
        #expect(machine.keepsResponse)
        #expect(machine.next(after: response(404), sentUpTo: 0) == .deliver)
    }

    @Test(arguments: [" 7 ", "7", "7;a=1", "000000000000007"])
    func `an offset is an integer of a structured field`(_ text: String) {
        #expect(UploadStatus.count(text) == 7)
    }

    @Test(arguments: ["", " ", "-7", "+7", "7.0", "7,7", "0000000000000007", "７", "7 7", "\"7\""])
    func `another value is none`(_ text: String) {
        #expect(UploadStatus.count(text) == nil)
    }

    @Test func `completeness is a boolean of a structured field`() {
        #expect(UploadStatus.boolean("?1") == true && UploadStatus.boolean("?0;a") == false)
        for text in ["", "1", "true", "?2", "?1, ?1"] { #expect(UploadStatus.boolean(text) == nil) }
    }

    @Test(arguments: ["max-append-size=5", "max-size=9, max-append-size=5;a, other=x"])
    func `the limit is a member of a dictionary`(_ value: String) throws {
        #expect(status(value).mostAtOnce == 5)
    }

    @Test(arguments: [
        "max-append-size=5, max-size=x", "max-append-size=\"5\"", "max-append-size", "=", "max-append-size=5.0",
    ])
    func `a limit of another type makes the whole field none`(_ value: String) {
        #expect(status(value).mostAtOnce == nil)
    }

    private func status(_ limit: String) -> UploadStatus {
        var head = ResponseHead(status: .ok)
        if let name = HTTPField.Name.uploadLimit { head.headerFields[name] = limit }
        return UploadStatus(head)
    }
}
