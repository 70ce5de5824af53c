import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct RequestWordsTests {
    private func words(_ words: [String]) throws -> RequestWords {
        try RequestWords(words, besides: MainCommand.commandNames)
    }

    @Test(arguments: [
        (["PROPFIND", ":8080/x"], "PROPFIND"), (["propfind", "localhost:8080/x"], "PROPFIND"),
        (["Purge", "example.org"], "PURGE"), (["M-SEARCH", "x"], "M-SEARCH"), (["MINE", "host", "a=1"], "MINE"),
        (["mine", "example.org:8080/x", "a=1"], "MINE"), (["mine", "http://x", "a=1"], "MINE"),
        (["mine", "localhost"], "MINE"), (["post", "a=1"], "POST"),
    ])
    func `a method in any case comes before the URL`(arguments: [String], method: String) throws {
        let words = try words(arguments)
        #expect(words.method?.rawValue == method)
        #expect(words.url == arguments[1])
        #expect(words.items == Array(arguments.dropFirst(2)))
    }

    @Test(arguments: [
        ["example.org"], [":8080/x", "a=1"], ["localhost", "a=1"], ["localhost", "X:1"], ["localhost", "q==1"],
        ["myhost", "name"], ["GET"], ["my-host", "a.b=c"], ["myhost", "a.b:c"], ["localhost", "a.b:1x"], [""],
        ["a1", ":80"],
    ])
    func `without a method the first word is the URL`(arguments: [String]) throws {
        let words = try words(arguments)
        #expect(words.method == nil)
        #expect(words.url == arguments[0])
        #expect(words.items == Array(arguments.dropFirst()))
    }

    @Test(arguments: [(["downlod", "example.org"], "“download”"), (["serv"], "“serve”"), (["pots", ":1/"], "“post”")])
    func `a misspelt command has the right one in its message`(arguments: [String], command: String) {
        let error = #expect(throws: CommandFailure.self) { try words(arguments) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("did you mean \(command)?") == true)
    }

    @Test func `a command behind its options is told where it belongs`() {
        let error = #expect(throws: CommandFailure.self) { try words(["download", "example.org"]) }
        #expect(error?.message.hasPrefix("The command comes first: bluebonnet download …") == true)
    }

    @Test(arguments: ["https", "HTTP"])
    func `a scheme is no method, and the URL is not sent in the clear`(scheme: String) throws {
        let error = #expect(throws: CommandFailure.self) { try words([scheme, "example.org/x", "a=1"]) }
        #expect(error?.message.contains("\(scheme.lowercased())://") == true)
    }
}
