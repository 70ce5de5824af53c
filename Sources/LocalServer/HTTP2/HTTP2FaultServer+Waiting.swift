extension HTTP2FaultServer {
    /// Waits until the condition holds for the record of the server.
    ///
    /// Like every wait it throws ``FaultWaitTimeout`` when the timeout, 30 seconds by default, is
    /// over.
    package func wait(
        _ expectation: String,
        timeout: Duration = .seconds(30),
        until condition: @escaping @Sendable (Record) -> Bool
    ) async throws {
        try await log.wait(for: expectation, timeout: timeout, until: condition)
    }

    /// Waits until the server has accepted so many connections.
    package func waitForConnections(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) connections", timeout: timeout) { $0.connections.count >= count }
    }

    /// Waits until the heads of so many requests have arrived on all connections together.
    package func waitForHeads(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) heads", timeout: timeout) { record in
            record.connections.reduce(0) { $0 + $1.requests.count } >= count
        }
    }

    /// Waits until so many whole requests have arrived on all connections together.
    package func waitForRequests(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait("\(count) requests", timeout: timeout) { $0.wholeRequests >= count }
    }

    /// Waits until the client has sent a frame that fulfills the condition on the connection.
    package func waitForFrame(
        _ expectation: String,
        connection index: Int = 0,
        timeout: Duration = .seconds(30),
        where condition: @escaping @Sendable (WireFrame) -> Bool
    ) async throws {
        try await wait(expectation, timeout: timeout) { record in
            index < record.connections.count && record.connections[index].frames.contains(where: condition)
        }
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
}
