import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The command for curl as a shell reads it: no text leaves its quotes, and every byte arrives.
@Suite(.timeLimit(.minutes(5)))
struct CurlShellTests {
    /// The words and the input with which one command calls curl.
    private struct Call {
        var words: [[UInt8]]
        var input: Data

        /// The word after an option.
        func value(of option: String) -> [UInt8]? {
            guard let index = words.firstIndex(of: Array(option.utf8)), index + 1 < words.count else { return nil }
            return words[index + 1]
        }
    }

    /// A shell function in place of curl. It writes its words and what is piped into it.
    private static let curl = #"""
        curl() {
          printf '%s\0' "$@"
          for word do if [ "$word" = @- ]; then base64 -w 0; fi; done
          printf '\0%s\0' end-of-command
        }

        """#

    /// Runs commands in a directory, and expects that they leave nothing there but the script and
    /// its output.
    private static func run(_ commands: [String], in directory: URL) throws -> [Call] {
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: directory.path))
        let (script, output) = (directory.appending(path: "script"), directory.appending(path: "output"))
        try Data((curl + commands.joined(separator: "\n") + "\n").utf8).write(to: script)
        try Data().write(to: output)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["script"]
        shell.currentDirectoryURL = directory
        shell.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = try FileHandle(forWritingTo: output)
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let after = try Set(FileManager.default.contentsOfDirectory(atPath: directory.path))
        #expect(after.subtracting(before) == ["script", "output"], "something ran")
        var calls: [Call] = []
        var words: [[UInt8]] = []
        for word in try Array(Data(contentsOf: output)).split(separator: 0, omittingEmptySubsequences: false) {
            if word.elementsEqual("end-of-command".utf8) {
                let input = Data(base64Encoded: Data(words.popLast() ?? [])) ?? Data()
                calls.append(Call(words: words, input: input))
                words = []
            } else {
                words.append(Array(word))
            }
        }
        return calls
    }

    // MARK: Texts

    /// Texts with a meaning for a shell, for printf or for curl.
    private static let specialTexts = [
        "'", "''", "\"", "\\", "\\'", "$(touch PWNED)", "`touch PWNED`", ";touch PWNED;", "&touch PWNED #",
        "|touch PWNED",
        "\n", "\ntouch PWNED\n", "$HOME", "${IFS}", "*", "?", "~", "!", "!!", "@", "@a", "-", "--", "-o x", "<a",
        ">PWNED",
        ";type=a/b", ",", "{a,b}", "[1-3]", "%41", "%s", "\\n", "\\0", "\\047", "#", " ", "(", ")",
        "\u{2028}",
        "\u{1F468}\u{200D}\u{1F469}", "e\u{301}", "\u{200F}",
    ]
    /// Characters that a terminal would take for keys, or that steer it, and NUL.
    private static let controls = [
        "\t", "\r", "\r\n", "\u{0}", "\u{1}", "\u{3}touch PWNED\n", "\u{4}", "\u{1B}[0m", "\u{7F}",
        "\u{85}", "\u{9B}2J", "\u{202E}", "\u{2066}",
    ]
    /// Scalars that are part of the character before them.
    private static let marks: [ClosedRange<UInt32>] = [
        0x300...0x36F, 0xFE00...0xFE0F, 0x200C...0x200D, 0x1F3FB...0x1F3FF,
    ]

    private static func scalar(using generator: inout SeededGenerator) -> String {
        while true {
            if let scalar = Unicode.Scalar(UInt32.random(in: 0x20...0x10FFFF, using: &generator)), scalar.value != 0x7F
            {
                return String(scalar)
            }
        }
    }

    /// A random text of Unicode in which special texts are frequent.
    private static func text(using generator: inout SeededGenerator) -> String {
        let hasControls = Int.random(in: 0..<40, using: &generator) == 0
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1, 2: text += specialTexts.randomElement(using: &generator) ?? ""
            case 3, 4:
                let marks = Self.marks.randomElement(using: &generator) ?? 0x300...0x36F
                let mark = Unicode.Scalar(UInt32.random(in: marks, using: &generator)).map(String.init) ?? ""
                text += (["'", "'", "\"", "\\", ";", "\n", "=", "@"].randomElement(using: &generator) ?? "") + mark
            case 5 where hasControls: text += controls.randomElement(using: &generator) ?? ""
            default: text += scalar(using: &generator)
            }
        }
        return text
    }

    /// A random text for a name: without control characters such as line ends, and rarely with `=`.
    private static func name(using generator: inout SeededGenerator) -> String {
        let text = Self.text(using: &generator).unicodeScalars.filter { $0.value >= 0x20 }
        let rare = Int.random(in: 0..<50, using: &generator) == 0
        return "n" + String(String.UnicodeScalarView(rare ? text : text.filter { $0 != "=" }))
    }

    // MARK: Requests

    private static let fieldName = HTTPField.Name("X-Text") ?? .via

    /// A request with random texts, the number of its texts, and the condition that its command
    /// must meet.
    private static func request(
        using generator: inout SeededGenerator
    ) throws -> (Request, texts: Int, holds: (Call) -> Bool) {
        let unreserved = Array("abc'()*!$&;,=@~-._{}[]%27+ ")
        let query = String((0..<8).map { _ in unreserved.randomElement(using: &generator) ?? "a" })
        let url = URL(string: "http://example.com/-a'?" + query) ?? URL(filePath: "/")
        var request = Request(method: .post, url: url)
        let isLatin = Int.random(in: 0..<40, using: &generator) == 0
        let value = Self.text(using: &generator)
        let field =
            isLatin
            ? HTTPField(name: fieldName, lenientValue: value.utf16.map { UInt8(truncatingIfNeeded: $0) })
            : HTTPField(name: fieldName, value: value)
        request.headerFields.append(field)
        let bytes = Array(field.latin1Value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        let header = Array((isBlank ? "X-Text;" : "X-Text: ").utf8) + (isBlank ? [] : bytes)
        let holdsHead = { (call: Call) in
            call.words.contains(header) && call.words.last == Array(url.absoluteString.utf8)
        }
        if Bool.random(using: &generator) {
            let text = Self.text(using: &generator)
            let isBroken = Int.random(in: 0..<50, using: &generator) == 0
            let body = Data(text.utf8) + (isBroken ? [0xC0, 0x80, 0xFF] : [])
            request.body = .data(body)
            return (
                request, 3,
                { call in
                    let sent = call.value(of: "--data-raw").map { Data($0) } ?? call.input
                    return holdsHead(call) && sent == body
                }
            )
        }
        let (name, text, fileName, content) = (
            Self.name(using: &generator), Self.text(using: &generator), Self.name(using: &generator),
            Self.text(using: &generator)
        )
        var form = MultipartFormData()
        form.append(text, name: name)
        form.append(content, name: "file", fileName: fileName, mimeType: "text/x-own")
        try request.setBody(multipart: form)
        return (
            request, 6,
            { call in
                guard holdsHead(call) else { return false }
                guard let first = call.value(of: "--form-string") else {
                    // Options cannot carry this form: every byte of it is piped in.
                    let needsBytes = name.utf8.contains(UInt8(ascii: "=")) || (text + content).utf8.contains(0)
                    return needsBytes && call.input == form.bytes()
                }
                let options = Array("\";type=text/x-own;filename=\"".utf8)
                let second = Array("file=\"".utf8) + quoted(content) + options + quoted(fileName) + Array("\"".utf8)
                return first == Array("\(name)=\(text)".utf8) && call.value(of: "--form") == second
            }
        )
    }

    /// A text with the escapes that curl undoes in a part of a form.
    private static func quoted(_ text: String) -> [UInt8] {
        text.utf8.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    @Test
    func
        `a hundred thousand texts of all Unicode in curl descriptions reach the program unchanged, and nothing else runs`()
        async throws
    {
        var generator = SeededGenerator(seed: 0x0B1B_0A11)
        try await withDirectory { directory in
            // A word that is not quoted would match these files.
            for name in ["a", "b", "1", "n"] { try Data().write(to: directory.appending(path: name)) }
            var commands: [String] = []
            var conditions: [(Call) -> Bool] = []
            var texts = 0
            while texts < 100_000 {
                await Task.yield()
                let (request, count, holds) = try Self.request(using: &generator)
                commands.append(request.curlDescription(redacting: texts.isMultiple(of: 2)))
                conditions.append(holds)
                texts += count
            }
            let calls = try Self.run(commands, in: directory)
            try #require(calls.count == commands.count)
            var wrong = 0
            for (index, call) in calls.enumerated() where !conditions[index](call) {
                wrong += 1
                if wrong < 4 { Issue.record("\(commands[index].debugDescription)\n\(call)") }
            }
            #expect(wrong == 0)
        }
    }

    @Test func `names of files in curl descriptions reach the program unchanged`() async throws {
        var generator = SeededGenerator(seed: 7)
        try await withDirectory { directory in
            let folder = directory.appending(path: "files")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var commands: [String] = []
            var words: [(option: String, word: [UInt8])] = []
            for number in 0..<100 {
                let name = Self.name(using: &generator).unicodeScalars.filter { $0 != "/" && $0.value >= 0x20 }
                let file = folder.appending(path: "\(number)\(String(String.UnicodeScalarView(name)))")
                guard (try? Data("x".utf8).write(to: file)) != nil else { continue }
                let path = Array(file.path(percentEncoded: false).utf8)
                var request = Request(method: .post, url: try #require(URL(string: "http://example.com/")))
                request.body = try .file(file)
                commands.append(request.curlDescription())
                words.append(("--data-binary", Array("@".utf8) + path))
                request.method = .put
                request.url = try #require(URL(string: "http://example.com/x"))
                commands.append(request.curlDescription())
                words.append(("--upload-file", path))
                var form = MultipartFormData()
                try form.append(fileURL: file, name: "f", fileName: "g", mimeType: "a/b")
                try request.setBody(multipart: form)
                commands.append(request.curlDescription())
                let quoted = Self.quoted(String(decoding: path, as: UTF8.self))
                words.append(("--form", Array("f=@\"".utf8) + quoted + Array("\";type=a/b;filename=\"g\"".utf8)))
            }
            let calls = try Self.run(commands, in: directory)
            try #require(calls.count == words.count)
            for (call, expected) in zip(calls, words) { #expect(call.value(of: expected.option) == expected.word) }
        }
    }

    @Test(arguments: ["'\u{301}", "'\u{FE0F}", "'\u{200D}"])
    func `an apostrophe with a combining character does not end a shell quotation`(_ quote: String) async throws {
        let text = "x\(quote); touch PWNED #"
        try await withDirectory { directory in
            var request = Request(method: .post, url: try #require(URL(string: "http://example.com/")))
            request.headerFields[Self.fieldName] = text
            request.body = .string(text)
            let call = try #require(try Self.run([request.curlDescription()], in: directory).first)
            #expect(call.value(of: "--data-raw") == Array(text.utf8))
            #expect(call.words.contains(Array("X-Text: \(text)".utf8)))
        }
    }

    @Test(arguments: controls)
    func `nothing in a curl description steers a terminal`(_ text: String) throws {
        var request = Request(method: .post, url: try #require(URL(string: "http://example.com/")))
        request.headerFields.append(HTTPField(name: Self.fieldName, value: "x\(text)y"))
        request.body = .string("x\(text)y")
        let shown = request.curlDescription().unicodeScalars.filter { $0 != "\n" }
        #expect(
            shown.allSatisfy {
                ![.control, .format].contains($0.properties.generalCategory)
            },
            "\(request.curlDescription().debugDescription)"
        )
    }

    @Test func `a URL that cannot be sent is neither an option nor another host for curl`() throws {
        let option = Request(url: try #require(URL(string: "-K/etc/hostname")))
        #expect(option.curlDescription().hasSuffix("--url -K/etc/hostname"))
        let host = Request(url: try #require(URL(string: "http://good.example%40evil.example/")))
        #expect(!host.curlDescription().contains("@"))
    }
}
