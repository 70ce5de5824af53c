#if GTK
    import Foundation
    import Testing

    /// The program that tries widgets, in a process whose main thread is GTK's.
    enum WidgetProgram {
        /// Runs a check, and notes what it finds wrong.
        static func check(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let display = try #require(VirtualDisplay.name)
            let (status, text) = try await run([name], display: display)
            #expect(status == 0, "\(text)", sourceLocation: sourceLocation)
        }

        /// Runs the program to its end.
        ///
        /// - Parameters:
        ///   - arguments: Its arguments.
        ///   - display: The display; nil for none.
        /// - Returns: Its exit status and its output.
        /// - Throws: The error of the system where it cannot be started.
        static func run(_ arguments: [String], display: String?) async throws -> (status: Int32, text: String) {
            try await withDirectory { home in
                let process = Process()
                // The threads of the tests block signals, and the program would inherit that.
                process.executableURL = URL(filePath: "/usr/bin/env")
                process.arguments = ["--default-signal", executable.path(percentEncoded: false)] + arguments
                // Nothing of the user's desktop, and no graphics card.
                var environment = ProcessInfo.processInfo.environment
                for name in ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"] { environment[name] = nil }
                let folder = home.path(percentEncoded: false)
                for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
                    environment[name] = folder
                }
                environment["GDK_BACKEND"] = "x11"
                environment["GSK_RENDERER"] = "cairo"
                environment["GTK_A11Y"] = "none"
                environment["GSETTINGS_BACKEND"] = "memory"
                environment["DISPLAY"] = display
                process.environment = environment
                let output = Pipe()
                process.standardOutput = output
                process.standardError = output
                process.standardInput = FileHandle.nullDevice
                async let text = readToEnd(output)
                let status = try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Int32, any Error>) in
                    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                    do {
                        try process.run()
                    } catch {
                        process.terminationHandler = nil
                        continuation.resume(throwing: error)
                        try? output.fileHandleForWriting.close()
                    }
                }
                return (status, await text)
            }
        }

        /// It is in the folder of the test program, or where SwiftPM has built it.
        private static var executable: URL {
            let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            let beside = program.deletingLastPathComponent().appending(path: "WidgetTestProgram")
            let isBeside = FileManager.default.isExecutableFile(atPath: beside.path(percentEncoded: false))
            return isBeside ? beside : URL(filePath: ".build/debug/WidgetTestProgram")
        }

        private static func readToEnd(_ pipe: Pipe) async -> String {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "output").async {
                    let data = try? pipe.fileHandleForReading.readToEnd()
                    continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
                }
            }
        }
    }
#endif
