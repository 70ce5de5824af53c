#if Redis
    @testable import BluebonnetStores
    import Foundation
    import NIOCore
    import Testing

    @Suite struct ServerCircuitTests {
        private let start = ContinuousClock.now

        @Test func `a server that fails is tried after pauses that double up to thirty seconds`() {
            var circuit = ServerCircuit()
            #expect(circuit.permit(at: start) == .normal)
            #expect(circuit.fail(.normal, at: start) == .lost)
            var now = start
            for pause in [1, 2, 4, 8, 16, 30, 30] {
                #expect(circuit.permit(at: now + .seconds(pause) - .milliseconds(1)) == nil)
                now += .seconds(pause)
                #expect(circuit.permit(at: now) == .trial)
                #expect(circuit.permit(at: now) == nil)
                #expect(circuit.fail(.trial, at: now) == nil)
            }
        }

        @Test func `only the trial says that the server is back`() {
            var circuit = ServerCircuit()
            #expect(circuit.fail(.normal, at: start) == .lost)
            #expect(circuit.fail(.normal, at: start) == nil)
            #expect(circuit.succeed(.normal) == nil)
            #expect(!circuit.isClosed)
            #expect(circuit.permit(at: start + .seconds(1)) == .trial)
            #expect(circuit.succeed(.normal) == nil)
            #expect(circuit.succeed(.trial) == .back)
            #expect(circuit.isClosed)
            #expect(circuit.fail(.normal, at: start) == .lost)
        }

        @Test func `a trial that is never heard of again is made once more`() {
            var circuit = ServerCircuit()
            _ = circuit.fail(.normal, at: start)
            #expect(circuit.permit(at: start + .seconds(1)) == .trial)
            #expect(circuit.permit(at: start + .seconds(30)) == nil)
            #expect(circuit.permit(at: start + .seconds(31)) == .trial)
        }

        @Test(arguments: [
            ("LOADING Redis is loading the dataset in memory", true), ("ERR max number of clients reached", true),
            ("DENIED Redis is running in protected mode", true), ("OOM command not allowed", false),
            ("ERR no such key", false),
        ])
        func `an error reply that is about the server is told from one about a command`(
            _ reply: String,
            _ concernsServer: Bool
        ) {
            #expect(RedisFailure(reply: reply).concernsServer == concernsServer)
        }

        @Test func `nothing of a prefix has a meaning of its own in a pattern`() {
            #expect(RedisCacheKeys.escaped("a*b?[c]\\") == "a\\*b\\?\\[c\\]\\\\")
        }

        @Test func `a command is sent with any bytes`() {
            let command = RedisCommand("SET", Data("k\r\n"), Data("é"))
            var bytes = ByteBuffer()
            command.write(to: &bytes)
            #expect(String(buffer: bytes) == "*3\r\n$3\r\nSET\r\n$3\r\nk\r\n\r\n$2\r\né\r\n")
            #expect(command.capacity >= bytes.readableBytes)
        }
    }
#endif
