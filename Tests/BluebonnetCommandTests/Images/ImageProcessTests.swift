#if Images
    import Foundation
    import LocalServer
    import Testing

    @testable import BluebonnetCommand

    /// `bluebonnet image`.
    @Suite(.timeLimit(.minutes(3)))
    struct ImageProcessTests {
        /// A PNG of one red pixel, as Pillow writes it.
        private static let pixel = Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
        )

        private func run(_ data: Data, _ arguments: String...) async throws -> Command.Output {
            try await withDirectory { directory in
                let file = directory.appending(path: "image")
                try data.write(to: file)
                return try await Command.run(["image", "info", file.path] + arguments)
            }
        }

        @Test func `an image is described for people and for programs`() async throws {
            let pixel = try #require(Self.pixel)
            let text = try await run(pixel)
            #expect(text.status == 0)
            #expect(
                text.text == """
                    bytes: 69
                    format: png
                    mediaType: image/png
                    width: 1
                    height: 1
                    frames: 1
                    orientation: 1
                    decodable: true

                    """
            )
            let json = try await run(pixel, "--json")
            #expect(
                json.text == """
                    {"bytes":69,"format":"png","mediaType":"image/png","width":1,"height":1,"frames":1,\
                    "orientation":1,"decodable":true}

                    """
            )
        }

        @Test func `it says why an image cannot be decoded`() async throws {
            let pixel = try #require(Self.pixel)
            let cut = try await run(pixel.prefix(50), "--json")
            #expect(cut.status == 1)
            #expect(cut.text.contains("\"decodable\":false,\"reason\":\"truncated\""))
            let text = try await run(Data("hello".utf8))
            #expect(text.status == 1)
            #expect(text.text.contains("reason: unknown-format"))
        }

        @Test func `an input without an end is an error when it has more bytes than an image may have`() async throws {
            let output = try await Command.run("image", "info", "/dev/zero", "--json")
            #expect(output.status == 1)
            #expect(output.text.contains("\"reason\":\"too-many-bytes\""), "\(output.text)\(output.errors)")
        }

        @Test func `a drawing that never ends is stopped, and the command goes on`() async throws {
            var drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'>"
            drawing += "<pattern id='a0' width='1' height='1'><rect width='1' height='1'/></pattern>"
            for number in 1..<24 {
                let use = "<rect width='50' height='50' fill='url(#a\(number - 1))'/>"
                drawing += "<pattern id='a\(number)' width='100%' height='100%'>\(use)\(use)\(use)</pattern>"
            }
            drawing += "<rect width='100' height='100' fill='url(#a23)'/></svg>"
            let output = try await run(Data(drawing.utf8))
            #expect(output.status == 1)
            #expect(output.text.contains("reason: helper-stopped"))
        }

        @Test func `an image of a server is made smaller`() async throws {
            try await LocalServer.run { server in
                try await withDirectory { directory in
                    let source = directory.appending(path: "a.svg")
                    try Data(
                        "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='40' height='20'/></svg>"
                            .utf8
                    ).write(to: source)
                    for name in ["a.png", "a.jpg"] {
                        let file = directory.appending(path: name).path
                        let resized = try await Command.run("image", "resize", source.path, "100x10", "-o", file)
                        #expect(resized.status == 0, "\(resized.errors)")
                        let info = try await Command.run("image", "info", file, "--json")
                        #expect(info.text.contains("\"width\":20,\"height\":10"))
                    }
                    let url = "\(server.baseURL)/image/png"
                    let info = try await Command.run("image", "info", url)
                    #expect(info.text.contains("format: png"), "\(info.text)\(info.errors)")
                }
            }
        }

        @Test(arguments: ["~/small.png", "~small.png"])
        func `a tilde is a part of the name of the file, as the shell passes it`(name: String) async throws {
            try await withDirectory { directory in
                try #require(Self.pixel).write(to: directory.appending(path: "a.png"))
                let arguments = ["image", "resize", "a.png", "1x1", "-o", name]
                let isBelow = name.contains("/")
                #expect(try await Command.run(arguments, in: directory).status == (isBelow ? 2 : 0))
                let folder = URL(filePath: directory.path + "/~", directoryHint: .isDirectory)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                #expect(try await Command.run(arguments, in: directory).status == 0)
                #expect(try names(in: isBelow ? folder : directory).contains(isBelow ? "small.png" : name))
            }
        }

        @Test func `a symbolic link stays, and the file that it leads to gets the image`() async throws {
            try await withDirectory { directory in
                try #require(Self.pixel).write(to: directory.appending(path: "a.png"))
                let (link, target) = (directory.appending(path: "link.png"), directory.appending(path: "target"))
                try Data("old".utf8).write(to: target)
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
                let arguments = ["image", "resize", "a.png", "1x1", "-o", "link.png"]
                let resized = try await Command.run(arguments, in: directory)
                #expect(resized.status == 0, "\(resized.errors)")
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
                #expect(try Data(contentsOf: target).starts(with: [0x89, 0x50, 0x4E, 0x47]))
            }
        }

        @Test(arguments: [["a", "10", "-o", "a.png"], ["a", "10x10", "-o", "a.gif"], ["a", "0x5", "-o", "a.png"]])
        func `wrong arguments are refused`(arguments: [String]) async throws {
            #expect(try await Command.run(["image", "resize"] + arguments).status == 2)
        }

        @Test func `a file that is missing is an error`() async throws {
            let output = try await Command.run("image", "info", "/nonexistent/a.png")
            #expect(output.status == 1)
            #expect(output.errors.contains("/nonexistent/a.png"))
        }
    }
#endif
