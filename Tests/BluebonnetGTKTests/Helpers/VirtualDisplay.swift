#if GTK
    import Foundation
    import Testing

    /// A display without a screen, which runs while its suite does: its tests run
    /// ``WidgetProgram`` on it.
    struct VirtualDisplay: SuiteTrait, TestScoping {
        /// The display of the suite, such as `:5`.
        @TaskLocal static var name: String?

        func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing body: @concurrent @Sendable () async throws -> Void
        ) async throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            // The threads of the tests block signals, and the server would inherit that. It ends
            // with the tests, also when they are killed: then the input of the shell ends.
            process.arguments = [
                "--default-signal", "sh", "-c",
                """
                Xvfb -displayfd 1 -screen 0 1024x768x24 -nolisten tcp 2>/dev/null &
                read -r end
                kill $!
                wait
                """,
            ]
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in end.finish() }
            try process.run()
            do {
                let number = await Self.line(of: output)
                try #require(Int(number) != nil, "Xvfb has not started")
                try await Self.$name.withValue(":\(number)") { try await body() }
            } catch {
                try input.fileHandleForWriting.close()
                throw error
            }
            try input.fileHandleForWriting.close()
            for await _ in ends {}
        }

        /// The first line of an output, without its end.
        private static func line(of output: Pipe) async -> String {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "display").async {
                    var line = Data()
                    while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
                        guard !byte.isEmpty else { break }
                        line += byte
                    }
                    continuation.resume(returning: String(decoding: line, as: UTF8.self))
                }
            }
        }
    }

    extension Trait where Self == VirtualDisplay {
        /// Runs the tests of the suite with a display of their own.
        static var virtualDisplay: Self { VirtualDisplay() }
    }
#endif
