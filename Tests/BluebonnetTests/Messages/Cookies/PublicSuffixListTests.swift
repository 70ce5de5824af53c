import Testing

@testable import Bluebonnet

/// The public suffix list, with the cases of its own test file.
struct PublicSuffixListTests {
    // Any copyright of these cases is dedicated to the public domain by their authors:
    // https://github.com/publicsuffix/list/blob/main/tests/test_psl.txt
    private static let cases = """
        COM null
        example.COM example.com
        WwW.example.COM example.com
        .com null
        .example null
        .example.com null
        .example.example null
        example null
        example.example example.example
        b.example.example example.example
        a.b.example.example example.example
        biz null
        domain.biz domain.biz
        b.domain.biz domain.biz
        a.b.domain.biz domain.biz
        com null
        example.com example.com
        b.example.com example.com
        a.b.example.com example.com
        uk.com null
        example.uk.com example.uk.com
        b.example.uk.com example.uk.com
        a.b.example.uk.com example.uk.com
        test.ac test.ac
        mm null
        c.mm null
        b.c.mm b.c.mm
        a.b.c.mm b.c.mm
        jp null
        test.jp test.jp
        www.test.jp test.jp
        ac.jp null
        test.ac.jp test.ac.jp
        www.test.ac.jp test.ac.jp
        kyoto.jp null
        test.kyoto.jp test.kyoto.jp
        ide.kyoto.jp null
        b.ide.kyoto.jp b.ide.kyoto.jp
        a.b.ide.kyoto.jp b.ide.kyoto.jp
        c.kobe.jp null
        b.c.kobe.jp b.c.kobe.jp
        a.b.c.kobe.jp b.c.kobe.jp
        city.kobe.jp city.kobe.jp
        www.city.kobe.jp city.kobe.jp
        ck null
        test.ck null
        b.test.ck b.test.ck
        a.b.test.ck b.test.ck
        www.ck www.ck
        www.www.ck www.ck
        us null
        test.us test.us
        www.test.us test.us
        ak.us null
        test.ak.us test.ak.us
        www.test.ak.us test.ak.us
        k12.ak.us null
        test.k12.ak.us test.k12.ak.us
        www.test.k12.ak.us test.k12.ak.us
        食狮.com.cn 食狮.com.cn
        食狮.公司.cn 食狮.公司.cn
        www.食狮.公司.cn 食狮.公司.cn
        shishi.公司.cn shishi.公司.cn
        公司.cn null
        食狮.中国 食狮.中国
        www.食狮.中国 食狮.中国
        shishi.中国 shishi.中国
        中国 null
        xn--85x722f.com.cn xn--85x722f.com.cn
        xn--85x722f.xn--55qx5d.cn xn--85x722f.xn--55qx5d.cn
        www.xn--85x722f.xn--55qx5d.cn xn--85x722f.xn--55qx5d.cn
        shishi.xn--55qx5d.cn shishi.xn--55qx5d.cn
        xn--55qx5d.cn null
        xn--85x722f.xn--fiqs8s xn--85x722f.xn--fiqs8s
        www.xn--85x722f.xn--fiqs8s xn--85x722f.xn--fiqs8s
        shishi.xn--fiqs8s shishi.xn--fiqs8s
        xn--fiqs8s null
        """

    @Test func `the cases of the test file of the list hold`() {
        let cases = Self.cases.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(cases.count == 77)
        for fields in cases {
            // Hosts are known by their ASCII form, in which the file has all of these again.
            let isKnown = fields[0].utf8.allSatisfy { $0 < 0x80 } && fields[1] != "null"
            #expect(PublicSuffixList.registrableDomain(of: fields[0]) == (isKnown ? fields[1] : nil), "\(fields[0])")
        }
    }

    @Test(arguments: [
        ("com", true), ("COM", true), ("co.uk", true), ("github.io", true), ("example.com", false), ("www.ck", false),
        ("other.ck", true), ("ck", true), ("nothing-known", true), ("127.0.0.1", false), ("::1", false), ("", false),
        (".com", false), ("com.", false),
    ])
    func `a public suffix is known`(_ domain: String, _ isSuffix: Bool) {
        #expect(PublicSuffixList.contains(domain) == isSuffix)
    }

    @Test func `each entry of the table is found, and nothing between them`() {
        // The bytes of a static string live as long as the program.
        let bytes = unsafe UnsafeBufferPointer(
            start: PublicSuffixList.table.utf8Start,
            count: PublicSuffixList.table.utf8CodeUnitCount
        )
        let entries = unsafe String(decoding: bytes, as: UTF8.self).split(separator: " ")
        #expect(entries.count > 9_000)
        for entry in entries {
            switch entry.last {
            case "!":
                #expect(!PublicSuffixList.contains(String(entry.dropLast())), "\(entry)")
            case "*", "+":
                #expect(PublicSuffixList.contains("x-y-z." + entry.dropLast()), "\(entry)")
            default:
                #expect(PublicSuffixList.contains(String(entry)), "\(entry)")
                #expect(PublicSuffixList.registrableDomain(of: "x-y-z.\(entry)") == "x-y-z.\(entry)", "\(entry)")
            }
        }
        #expect(PublicSuffixList.date.count == 10)
    }
}
