#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    /// The command is the helper process here: it is in the folder of the test program.
    @Suite(.timeLimit(.minutes(3)))
    struct ImageHelperProcessTests {
        private static let command: URL = {
            let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            return program.deletingLastPathComponent().appending(path: "BluebonnetCommand")
        }()

        private func decoder(_ change: (inout ImageHelperProcess) -> Void = { _ in }) -> ImageDecoder {
            var helper = ImageHelperProcess()
            helper.executable = Self.command
            // Other tests take the processors, too.
            helper.timeLimit = .seconds(60)
            change(&helper)
            var decoder = ImageDecoder()
            decoder.helper = helper
            return decoder
        }

        private func error(_ data: Data, _ decoder: ImageDecoder) -> ImageDecodingError? {
            do throws(ImageDecodingError) {
                _ = try decoder.decode(data)
                return nil
            } catch {
                return error
            }
        }

        @Test(arguments: [
            SampleImage.bmp, SampleImage.animatedGIF, SampleImage.animatedWebP, SampleImage.turnedJPEG,
            SampleImage.avif, SampleImage.turnedTIFF, SampleImage.iconWithPNG, SampleImage.xbm,
        ])
        func `an image of a helper process is the same`(data: Data) throws {
            var decoder = decoder()
            decoder.scale = 3
            var here = decoder
            here.helper = nil
            #expect(try decoder.decode(data) == here.decode(data))
            decoder.targetSize = ImageSize(width: 2, height: 2)
            here.targetSize = ImageSize(width: 2, height: 2)
            #expect(try decoder.decode(data) == here.decode(data))
        }

        @Test func `a drawing is decoded in a helper process by default`() throws {
            let image = try decoder().decode(SampleImage.svg)
            #expect(image.bitmap[29, 19] == Bitmap.Pixel(red: 255, green: 0, blue: 0))
        }

        @Test func `errors are those of the loader`() {
            #expect(error(SampleImage.gif.prefix(50), decoder())?.reason == .truncated)
            #expect(error(SampleImage.avif.prefix(400), decoder())?.reason == .malformed)
            #expect(error(Data("text".utf8), decoder())?.reason == .unknownFormat)
            #expect(error(SampleImage.svg.dropLast(10), decoder())?.reason == .malformed)
        }

        @Test func `a drawing that never ends is stopped`() {
            let error = error(Bomb.svgPatterns, decoder { $0.timeLimit = .milliseconds(400) })
            #expect(error?.reason == .helperStopped)
            #expect(error?.format == .svg)
        }

        @Test func `memory has a limit`() {
            let large = Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9000' height='9000'><rect width='9' height='9'/></svg>"
                    .utf8
            )
            let error = error(large, decoder { $0.maximumMemory = 32 << 20 })
            #expect(error != nil)
        }

        @Test(arguments: [Bomb.png, Bomb.bmp, Bomb.gif(frames: 5000), Bomb.gifFrame, Bomb.svgSize, Bomb.svgWithPNG])
        func `a bomb is an error`(data: Data) {
            let error = error(data, decoder { $0.timeLimit = .seconds(20) })
            // The picture in a drawing is left out, or ends the process.
            if data != Bomb.svgWithPNG { #expect(error != nil) }
            if ImageFormat(of: data) != .svg {
                #expect(error?.reason == .tooManyPixels || error?.reason == .tooManyFrames)
            }
        }

        @Test(arguments: ["/bin/true", "/bin/false", "/nonexistent/program"])
        func `an executable that is not a helper process is an error`(path: String) {
            let error = error(SampleImage.gif, decoder { $0.executable = URL(filePath: path) })
            #expect(error?.reason == .helperFailed)
        }

        /// As with a fault in a loader.
        @Test func `a helper process that is ended by a fault is an error, and the program goes on`() async throws {
            try await withDirectory { folder in
                let script = try script("kill -SEGV $$", in: folder)
                let error = error(SampleImage.gif, decoder { $0.executable = script })
                #expect(error?.reason == .helperStopped && error?.format == .gif, "\(error?.message ?? "")")
                #expect(error?.message.contains("the signal 11") == true)
            }
            #expect(try decoder().decode(SampleImage.gif).width > 0)
        }

        @Test func `the start of a helper process does not count as time of the image`() async throws {
            try await withDirectory { folder in
                let command = Self.command.path(percentEncoded: false)
                let late = try script("sleep 5; exec \"\(command)\" \"$@\"", in: folder)
                let decoder = decoder {
                    $0.executable = late
                    $0.timeLimit = .seconds(4)
                    $0.startLimit = .seconds(60)
                }
                #expect(try decoder.decode(SampleImage.gif).width > 0)
            }
        }

        @Test func `an executable that never says that it is ready is an error`() {
            let decoder = decoder {
                $0.executable = URL(filePath: "/usr/bin/yes")
                $0.startLimit = .milliseconds(100)
            }
            #expect(error(SampleImage.gif, decoder)?.reason == .helperFailed)
        }

        /// Writes a script for the shell.
        private func script(_ line: String, in folder: URL) throws -> URL {
            let script = folder.appending(path: "script")
            // A file that this process has written cannot be executed while a child of another
            // test, which is not at its own program yet, has it open (ETXTBSY).
            let writer = try Process.run(
                URL(filePath: "/bin/sh"),
                arguments: [
                    "-c", #"printf '#!/bin/sh\n%s\n' "$1" > "$0"; chmod +x "$0""#,
                    script.path(percentEncoded: false), line,
                ]
            )
            writer.waitUntilExit()
            return script
        }

        @Test func `odd settings do not harm`() throws {
            var decoder = decoder { $0.timeLimit = .seconds(Int64.max) }
            decoder.scale = .infinity
            decoder.limits.maximumFrameCount = 0
            #expect(try decoder.decode(SampleImage.turnedJPEG).scale == 1)
            decoder.helper?.maximumMemory = .max
            decoder.scale = .nan
            #expect(try decoder.decode(SampleImage.gif).scale == 1)
        }

        /// The greatest size that the header can have.
        @Test func `limits that are none do not overflow`() {
            var bomb = Bomb.bmp
            for place in [18, 22] { bomb.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0x7F]) }
            var decoder = decoder()
            decoder.limits.maximumPixelCount = .max
            decoder.limits.maximumTotalPixelCount = .max
            #expect(error(bomb, decoder) != nil)
        }

        // MARK: What it has of the program

        @Test func `no file of the program is open in it, whatever its number`() async throws {
            // Above the number at which the program would stop counting.
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 10_000))
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let descriptor = fcntl(0, F_DUPFD, 9000)
            try #require(descriptor >= 9000)
            defer { close(descriptor) }
            guard var program = HelperProgram(path: Self.command.path(percentEncoded: false)) else {
                throw Unmet(description: "the command cannot be started")
            }
            defer { program.end() }
            // It has closed them before it waits for its request.
            let folder = "/proc/\(program.process)/fd"
            try await until("its descriptors are 0, 1 and 2") {
                (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() == ["0", "1", "2"]
            }
        }

        @Test func `its environment has only what loaders need`() async throws {
            let all = ["HOME": "/home/ada", "PASSWORD": "secret", "LANG": "C.UTF-8", "PATH": "/bin", "LD_PRELOAD": "x"]
            #expect(HelperProgram.environment(of: all) == ["HOME=/home/ada", "LANG=C.UTF-8"])
            guard var program = HelperProgram(path: Self.command.path(percentEncoded: false)) else {
                throw Unmet(description: "the command cannot be started")
            }
            defer { program.end() }
            let file = URL(filePath: "/proc/\(program.process)/environ")
            var variables: [String] = []
            // The kernel tells of none before the program is loaded.
            try await until("it has an environment") {
                let bytes = (try? Data(contentsOf: file)) ?? Data()
                variables = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                return !variables.isEmpty
            }
            #expect(variables == HelperProgram.environment(of: ProcessInfo.processInfo.environment))
        }

        @Test func `a program that does not serve is not started again`() {
            #expect(error(SampleImage.gif, decoder { $0.executable = nil })?.reason == .helperFailed)
        }
    }
#endif
