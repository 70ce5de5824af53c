import Bluebonnet

extension Timeouts {
    /// Sets the timeout of the whole request and turns the shorter ones off, except for connecting.
    ///
    /// A user who allows a request two minutes also allows its first byte two minutes.
    mutating func limitRequest(to duration: Duration) {
        request = duration
        waiting = nil
        firstByte = nil
        betweenBytes = nil
    }
}
