import Testing

@testable import BluebonnetCommand

@Suite struct OutputStyleTests {
    @Test(arguments: [
        (PrettyPrinting.auto, true, true, true, true),
        (.auto, true, false, true, false),
        (.auto, false, true, false, false),
        (.all, false, false, true, true),
        (.format, false, true, true, false),
        (.colors, false, false, false, true),
        (.none, true, true, false, false),
    ])
    func `colours and format follow the option, the terminal and NO_COLOR`(
        pretty: PrettyPrinting,
        isTerminal: Bool,
        wantsColors: Bool,
        formats: Bool,
        colors: Bool
    ) {
        let style = OutputStyle(pretty, isTerminal: isTerminal, wantsColors: wantsColors)
        #expect(style.formats == formats)
        #expect(style.colors == colors)
        #expect(style.isTerminal == isTerminal)
    }
}
