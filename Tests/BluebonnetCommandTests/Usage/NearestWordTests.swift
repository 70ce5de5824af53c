import Testing

@testable import BluebonnetCommand

@Suite struct NearestWordTests {
    @Test(arguments: [
        ("pots", "post"), ("gte", "get"), ("downlod", "download"), ("uplaod", "upload"), ("serv", "serve"),
        ("cokies", "cookies"), ("reachabilty", "reachability"),
    ])
    func `a misspelt word has a nearest one`(word: String, nearest: String) {
        #expect(NearestWord.of(word, among: MainCommand.commandNames) == nearest)
    }

    @Test(arguments: ["", "nope", "localhost", "example", "d"])
    func `a word that is far from all has none`(word: String) {
        #expect(NearestWord.of(word, among: MainCommand.commandNames) == nil)
    }
}
