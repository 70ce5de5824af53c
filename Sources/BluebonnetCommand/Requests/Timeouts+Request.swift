import Bluebonnet

extension Timeouts {
    /// Gives the whole request this time and nothing else a shorter one, except for the connection.
    ///
    /// Who allows a request two minutes means to wait two minutes, also for its first byte.
    mutating func limitRequest(to duration: Duration) {
        request = duration
        waiting = nil
        firstByte = nil
        betweenBytes = nil
    }
}
