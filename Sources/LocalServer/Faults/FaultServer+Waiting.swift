extension FaultServer {
    /// The error of a wait whose timeout is over.
    package typealias WaitTimeout = FaultWaitTimeout

    /// Waits until the server has accepted so many connections.
    ///
    /// Like every wait it throws ``WaitTimeout`` when the timeout, 30 seconds by default, is over.
    package func waitForConnections(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) connections", timeout: timeout) { $0.connections.count >= count }
    }

    /// Waits until so many whole requests have arrived on all connections together.
    package func waitForRequests(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) requests", timeout: timeout) { $0.requests.count >= count }
    }

    /// Waits until the connection is closed, by the client or by the server.
    package func waitUntilClosed(connection index: Int = 0, timeout: Duration = .seconds(30)) async throws {
        try await wait("end of connection \(index)", timeout: timeout) { record in
            index < record.connections.count && record.connections[index].isClosed
        }
    }

    /// Waits until the client has closed its direction or the connection.
    package func waitUntilClientClosed(connection index: Int = 0, timeout: Duration = .seconds(30)) async throws {
        try await wait("client's end of connection \(index)", timeout: timeout) { record in
            index < record.connections.count && record.connections[index].clientClosed
        }
    }

    /// Waits until so many connections are closed.
    package func waitForClosed(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) closed connections", timeout: timeout) { record in
            record.connections.count { $0.isClosed } >= count
        }
    }

    /// Waits until the condition holds for the record of the server.
    package func wait(
        _ expectation: String,
        timeout: Duration = .seconds(30),
        until condition: @escaping @Sendable (Record) -> Bool
    ) async throws {
        try await log.wait(for: expectation, timeout: timeout, until: condition)
    }
}
