import ArgumentParser
import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

/// Whether the arguments of requests that are read without ArgumentParser are read as it does.
@Suite struct PlainOptionsTests {
    @Test func `each option has its default, also those that were added later`() throws {
        let options = try #require(RequestOptions(plain: ["http://x/", "a=b"]))
        #expect(options.url == "http://x/" && options.items == ["a=b"])
        var (read, unread) = ("", "")
        dump(options, to: &read)
        // Reading one that has no value ends the process.
        dump(RequestOptions(), to: &unread)
        #expect(unread.contains("Parsed") && unread.contains("definition"))
        #expect(!read.contains("definition"), "\(read)")
    }

    @Test(arguments: [
        [":8080/get"], ["example.org/users", "page==2", "Accept:application/json"], ["example.org", "name=Ada", ""],
        [""],
    ])
    func `arguments without options are read as ArgumentParser reads them`(_ arguments: [String]) throws {
        #expect(Self.text(RequestOptions(plain: arguments)) == Self.text(try RequestOptions.parse(arguments)))
    }

    @Test func `each option is read, in all its forms, as ArgumentParser reads it`() async throws {
        let declared = try Self.declared()
        try await withDirectory { directory in
            let pins = directory.appending(path: "pins.json")
            try Data(#"{"hosts": {}}"#.utf8).write(to: pins)
            // Lists of options that can be used together: ArgumentParser is slow in debug builds.
            var lists: [[String]] = []
            for (position, separator) in [(0, " "), (0, "="), (1, " "), (1, "="), (2, " ")] {
                var found: [[String]] = []
                for (number, option) in declared.enumerated() where position < option.names.count {
                    let name = option.names[position]
                    let value = name == "--pins" ? pins.path : Self.values[name] ?? "x\(number)"
                    let part = option.isFlag ? [name] : separator == " " ? [name, value] : ["\(name)=\(value)"]
                    Self.add(part, needing: Self.companions[name] ?? [], to: &found)
                }
                lists += found
            }
            #expect(lists.count < 30, "\(lists)")
            for options in lists {
                let arguments = ["POST"] + options + [":8080/get"]
                let parsed = Self.text(try RequestOptions.parse(arguments))
                #expect(Self.text(RequestOptions(plain: arguments)) == parsed, "\(arguments)")
            }
        }
    }

    @Test(arguments: [
        ["-Ljvi", "--no-follow", "--follow", "--http2", "--http2", "-o", "a", "-o=b", "-kv4", "-o", "-"],
        [
            "--pin=sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "-a", "basic", "-a", "ada:=secret",
            "--resolve", "*:80:[::1]", "--resolve=a:80:127.0.0.1", "--connect-to", ":::8080", "-p", "",
        ],
        ["--raw=-5", "--proxy", "", "--pretty", "none", "--pretty=all", "--timeout", ".5e1"],
        ["--raw={\"a\":\"\u{E9}\"}", "--raw=b=\n", "--filter", "\u{301}x"],
    ])
    func `several options are read as ArgumentParser reads them`(_ options: [String]) throws {
        let arguments = [":8080/get"] + options + ["a=b"]
        #expect(Self.text(RequestOptions(plain: arguments)) == Self.text(try RequestOptions.parse(arguments)))
    }

    @Test(arguments: [
        [], ["-v"], ["-vo", "file", ":8080/get"], [":8080/get", "--", "name=Ada"], ["-"], ["--verbos", ":8080/get"],
        ["--raw", "-v", ":8080/get"], ["--version", ":8080/get"], ["--help"], [":8080/get", "--raw"],
        [":8080/get", "--proxy=", "x"], [":8080/get", "-ofile"], [":8080/get", "-xyz"], [":8080/get", "--json=x"],
        [":8080/get", "--timeout=soon"], [":8080/get", "--timeout=0"], [":8080/get", "-p", "x"],
        [":8080/get", "--http2", "--http1.1"], [":8080/get", "--bearer=x", "-a", "ada:x"],
        [":8080/get", "--auth-type=bearer"], [":8080/get", "--cookies="], [":8080/get", "--key=x"],
        [":8080/get", "-46"],
        [":8080/get", "--proxy=ftp://x"], [":8080/get", "--session=x", "--cookies=off"], [":8080/get", "--retry=-1"],
    ])
    func `unusual arguments, and mistakes, are left to ArgumentParser`(_ arguments: [String]) {
        #expect(Self.text(RequestOptions(plain: arguments)) == "none")
    }

    @Test(arguments: [
        ["--json", "--form"], ["-L", "--no-follow"], ["--offline", "--curl"], ["-q", "-v"], ["-q", "--body"],
        ["-O", "-i"], ["--curl", "--timings"],
    ])
    func `the messages for flags that exclude each other are those of ArgumentParser`(_ flags: [String]) {
        #expect(Self.text(RequestOptions(plain: flags + [":8080/get"])) == "none")
    }

    @Test func `arguments at random are read as ArgumentParser reads them, or left to it`() throws {
        let declared = try Self.declared()
        var random = SeededGenerator(seed: 19)
        var (compared, left) = (0, 0)
        while compared < 40 {
            var arguments: [String] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                arguments += Self.part(declared, using: &random)
            }
            guard let read = RequestOptions(plain: arguments) else {
                left += 1
                continue
            }
            compared += 1
            #expect(Self.text(read) == Self.text(try? RequestOptions.parse(arguments)), "\(arguments)")
        }
        #expect(left > 40)
    }

    // MARK: Helpers

    /// An option of requests.
    private struct Declared {
        let names: [String]
        let isFlag: Bool
    }

    /// Adds an option to the first list that can have it, or to a new one.
    private static func add(_ part: [String], needing companions: [String], to lists: inout [[String]]) {
        let url = [":8080/get"]
        for options in [part, companions + part] {
            for place in lists.indices where RequestOptions(plain: url + lists[place] + options) != nil {
                lists[place] += options
                return
            }
        }
        lists.append(companions + part)
    }

    /// One or two arguments, mostly correct ones.
    private static func part(_ declared: [Declared], using random: inout SeededGenerator) -> [String] {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        func name(ofFlag isFlag: Bool) -> String { one(declared.filter { $0.isFlag == isFlag }.flatMap(\.names)) }
        let option = name(ofFlag: false)
        let value = Int.random(in: 0..<4, using: &random) > 0 ? values[option] ?? "x" : one(oddValues)
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<10: return [one([":8080/get", "POST", "a=b", "a==", "X:y", ""])]
        case 10..<16: return [name(ofFlag: true)]
        case 16..<20: return ["-" + one(["k", "j", "v", "o", "4"]) + one(["i", "L", "r", "a", "-", "6", "é"])]
        case 20..<29: return [option, value]
        case 29..<38: return ["\(option)=\(value)"]
        case 38: return [option]
        default: return [one(["--", "-", "---", "--=x", "-=", "--json=", "--json=x", "-o=", "--ra", "-h", "-\u{301}"])]
        }
    }

    private static let oddValues = [
        "", "-", "--", "-5", "5", "1e400", "=", "a=b", "\u{301}x", "-v", "--raw", "basic", "none", "h", "x y", "\n",
    ]

    /// A value of each option that cannot have any text.
    private static let values = [
        "--pretty": "all", "--max-redirects": "3", "--print": "Hh", "-p": "b", "--style": "dark",
        "--response-mime": "text/xml", "--response-charset": "big5", "--retry": "2", "--rate": "10/s",
        "--auth-type": "digest", "-A": "basic", "--timeout": "3", "--connect-timeout": "0.5",
        "--pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "--tls-min": "1.3",
        "--resolve": "example.org:80:127.0.0.1", "--connect-to": "example.org:80:127.0.0.1:8080",
        "--proxy": "http://localhost:3128", "--cookies": "memory", "--proxy-user": "ada:secret",
    ]

    /// The options that an option needs beside it.
    private static let companions = ["--key": ["--cert=x"], "--pass": ["--cert=x"], "--continue": ["-O"]]

    /// The flags and options of requests, but those of ArgumentParser itself.
    private static func declared() throws -> [Declared] {
        let help = try JSONValue(parsing: Array(RequestOptions._dumpHelp().utf8))
        var declared: [Declared] = []
        for argument in try #require(help["command"]?["arguments"]?.array) {
            let names = (argument["names"]?.array ?? []).compactMap { name in
                name["name"]?.string.map { (name["kind"]?.string == "short" ? "-" : "--") + $0 }
            }
            guard !names.isEmpty, !names.contains("--help") else { continue }
            declared.append(Declared(names: names, isFlag: argument["kind"]?.string == "flag"))
        }
        let names = declared.flatMap(\.names)
        #expect(names.contains("--no-follow") && names.contains("-4") && names.contains("--host-header"))
        return declared
    }

    /// The values of all options as a text.
    private static func text(_ options: RequestOptions?) -> String { options.map { String(describing: $0) } ?? "none" }
}
