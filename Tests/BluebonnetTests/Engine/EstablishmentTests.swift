import NIOCore
import Testing

@testable import Bluebonnet

/// The timings of a connection attempt that the first exchange on the connection reports.
@Suite struct EstablishmentTests {
    private static let readyAt = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    /// A connection that took 10, 20 and 30 milliseconds to make.
    private static var establishment: Establishment {
        var timings = Timings()
        timings.dns = .milliseconds(10)
        timings.connect = .milliseconds(20)
        timings.tls = .milliseconds(30)
        return Establishment(timings: ExchangeTimings(timings), readyAt: readyAt)
    }

    /// The timings of an exchange that began so long before the connection was ready.
    private func timings(beganBefore milliseconds: Int64) -> Timings {
        Timings(Self.establishment.timings(since: Self.readyAt - .milliseconds(milliseconds), now: Self.readyAt))
    }

    @Test(arguments: [(100, 10, 20, 30), (60, 10, 20, 30), (55, 5, 20, 30)])
    func `the timings of a request that joins a connection attempt have the rest of each phase`(
        waited: Int,
        dns: Int,
        connect: Int,
        tls: Int
    ) {
        let part = timings(beganBefore: Int64(waited))
        #expect(part.dns == .milliseconds(dns) && part.connect == .milliseconds(connect))
        #expect(part.tls == .milliseconds(tls) && !part.isConnectionReused)
    }

    @Test func `the timings of a request have no connection phase that was over before it`() {
        let late = timings(beganBefore: 35)
        #expect(late.dns == nil && late.connect == .milliseconds(5) && late.tls == .milliseconds(30))
    }

    @Test func `the timings of a request that finds its connection ready have no connection phases`() {
        let part = timings(beganBefore: -1)
        #expect(part.dns == nil && part.connect == nil && part.tls == nil && part.queue == .zero)
    }

    @Test func `the time before the connection attempt counts as queued`() {
        #expect(timings(beganBefore: 100).queue == .milliseconds(40))
    }
}
