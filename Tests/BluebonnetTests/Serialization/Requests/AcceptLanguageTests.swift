import Testing

@testable import Bluebonnet

@Suite struct AcceptLanguageTests {
    @Test(
        arguments: [
            ([:], "en;q=1"),
            (["LANG": "C"], "en;q=1"),
            (["LANG": "C.UTF-8"], "en;q=1"),
            (["LANG": "POSIX"], "en;q=1"),
            (["LANG": ""], "en;q=1"),
            (["LANG": "de_AT.UTF-8"], "de-AT;q=1"),
            (["LANG": "de_DE@euro"], "de-DE;q=1"),
            (["LANG": "sr_RS.UTF-8@latin"], "sr-Latn-RS;q=1"),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"], "fr-FR;q=1"),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8", "LC_ALL": "ja_JP.UTF-8"], "ja-JP;q=1"),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "", "LC_ALL": ""], "en-US;q=1"),
            (["LANG": "fr_CA.UTF-8", "LANGUAGE": "fr:en"], "fr;q=1, en;q=0.9, fr-CA;q=0.8"),
            (["LANG": "en_GB.UTF-8", "LANGUAGE": "en_GB:en"], "en-GB;q=1, en;q=0.9"),
            (["LANG": "C", "LANGUAGE": "fr:en"], "en;q=1"),
            (["LANGUAGE": "fr:en"], "fr;q=1, en;q=0.9"),
            (
                ["LANG": "h_H", "LANGUAGE": "aa:bb:cc:dd:ee:ff:gg:hh"],
                "en;q=1"
            ),
            (
                ["LANG": "zz", "LANGUAGE": "aa:bb:cc:dd:ee:ff:gg:hh"],
                "aa;q=1, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
            ),
            (["LANG": "en\r\nX: y"], "en;q=1"),
            (["LANG": "dé_FR"], "en;q=1"),
            (["LANG": "/usr/share/locale/de"], "en;q=1"),
        ] as [([String: String], String)]
    )
    func `Accept-Language lists the user's languages with weights`(_ environment: [String: String], _ expected: String)
    {
        #expect(AcceptLanguage(environment: environment).value == expected)
    }
}
