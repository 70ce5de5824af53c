import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CharsetTests {
    /// Labels, texts and their bytes, as the codecs of Python have them.
    static let samples: [(label: String, text: String, bytes: String)] = [
        ("gbk", "你好，世界", "c4e3bac3a3accac0bde7"),
        ("gb2312", "你好，世界", "c4e3bac3a3accac0bde7"),
        ("gb18030", "你好，世界🦊", "c4e3bac3a3accac0bde79530d932"),
        ("big5", "繁體中文", "c163c5e9a4a4a4e5"),
        ("shift_jis", "日本語テスト", "93fa967b8cea836583588367"),
        ("windows-31j", "①～", "87408160"),
        ("euc-jp", "日本語テスト", "c6fccbdcb8eca5c6a5b9a5c8"),
        ("iso-2022-jp", "日本語テスト", "1b2442467c4b5c386c2546253925481b2842"),
        ("euc-kr", "안녕하세요", "bec8b3e7c7cfbcbcbfe4"),
        ("ks_c_5601-1987", "똠방각하", "8c63b9e6b0a2c7cf"),
        ("koi8-r", "Привет, мир", "f0d2c9d7c5d42c20cdc9d2"),
        ("koi8-u", "Ґанок", "bdc1cecfcb"),
        ("windows-1251", "Привет, мир", "cff0e8e2e5f22c20ece8f0"),
        ("windows-1252", "Grüße €žš", "4772fcdf6520809e9a"),
        ("iso-8859-2", "Žluťoučký", "ae6c75bb6f75e86bfd"),
        ("iso-8859-5", "Привет, мир", "bfe0d8d2d5e22c20dcd8e0"),
        ("iso-8859-7", "Ελληνικά", "c5ebebe7ede9eadc"),
        ("iso-8859-15", "Grüße €", "4772fcdf6520a4"),
        ("windows-1253", "Ελληνικά", "c5ebebe7ede9eadc"),
        ("windows-1255", "שלום", "f9ece5ed"),
        ("windows-1256", "مرحبا", "e3d1cdc8c7"),
        ("windows-874", "สวัสดี", "cac7d1cab4d5"),
        ("ibm866", "Привет, мир", "8fe0a8a2a5e22c20aca8e0"),
        ("macintosh", "Grüße", "47729fa765"),
        ("tis-620", "สวัสดี", "cac7d1cab4d5"),
        ("iso-8859-8-i", "שלום", "f9ece5ed"),
        ("utf-16", "ü🦊", "00fcd83edd8a"),
        ("utf-16le", "ü🦊", "fc003ed88add"),
        ("utf-32le", "🦊", "8af90100"),
        ("us-ascii", "abc", "616263"),
        ("latin1", "ü", "fc"),
        ("utf8", "ü🦊", "c3bcf09fa68a"),
    ]

    static func data(_ hexadecimal: String) -> Data {
        let digits = Array(hexadecimal.utf8).map { Int(String(UnicodeScalar($0)), radix: 16) ?? 0 }
        return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
    }

    @Test(arguments: samples)
    func `text is decoded and encoded in its charset`(_ label: String, _ text: String, _ bytes: String) throws {
        let charset = try #require(Charset(label))
        #expect(try charset.decode(Self.data(bytes)) == text)
        #expect(try charset.encode(text) == Self.data(bytes))
        #expect(try #require(Charset(" " + label.uppercased() + "\t")) == charset)
        #expect(try charset.decode(Data()) == "")
        #expect(try charset.encode("") == Data())
    }

    @Test func `the vendor characters that servers send under a charset label are decoded`() throws {
        // NEC's selection of IBM's characters, half-width katakana, a character of Hong Kong.
        #expect(try #require(Charset("shift_jis")).decode(Self.data("eee0b1")) == "髙ｱ")
        #expect(try #require(Charset("big5")).decode(Self.data("fa40")) == "𠕇")
    }

    @Test func `long texts in a charset are converted whole`() throws {
        let text = String(repeating: "日本語abc", count: 20_000)
        for label in ["shift_jis", "iso-2022-jp", "gb18030", "euc-jp"] {
            let charset = try #require(Charset(label))
            let bytes = try charset.encode(text)
            #expect(try charset.decode(bytes) == text)
        }
    }

    @Test(arguments: [
        "", " ", "nonsense", "utf-7", "UTF7", "iso-2022-cn", "ISO-2022-CN-EXT", "iso-2022-kr", "csiso2022kr",
        "hz-gb-2312",
        "utf-8//TRANSLIT", "//IGNORE", "wchar_t", "internal", "char", "utf-8\u{0}x", "../gbk",
        String(repeating: "a", count: 99),
    ])
    func `an unknown or unsafe label has no charset`(_ label: String) {
        #expect(Charset(label) == nil)
    }

    @Test(arguments: [
        ("gbk", "41c4e3ff41", 3), ("gbk", "41c4", 1), ("euc-kr", "ff", 0), ("shift_jis", "93fa9", 2),
        ("us-ascii", "41ff", 1), ("big5", "a240a1feff", 4),
        ("utf-8", "41c3", 1), ("utf-8", "efbbbf41ff", 4), ("windows-1252", "4181", 1),
    ])
    func `bytes that are invalid in their charset are an error with their place`(
        _ label: String,
        _ bytes: String,
        _ offset: Int
    ) throws {
        let charset = try #require(Charset(label))
        let body = Self.data(bytes.count % 2 == 0 ? bytes : bytes + "3")
        let error = #expect(throws: CharsetError.self) { try charset.decode(body) }
        #expect(error?.code == .invalidBytes)
        #expect(error?.offset == offset)
        #expect(error?.description == "The text is not valid \(charset.name) (at byte \(offset)).")
    }

    @Test(arguments: [
        ("gbk", "41ff42", "A\u{FFFD}B"), ("gbk", "41c4", "A\u{FFFD}"), ("us-ascii", "41ff42", "A\u{FFFD}B"),
        ("utf-8", "41ff42", "A\u{FFFD}B"), ("utf-16be", "d8000041", "\u{FFFD}A"), ("utf-16be", "004100", "A\u{FFFD}"),
        ("windows-1252", "8141", "\u{FFFD}A"), ("big5", "ffa1fea4", "\u{FFFD}／\u{FFFD}"),
    ])
    func `bytes that are invalid in their charset can be replaced`(_ label: String, _ bytes: String, _ text: String)
        throws
    {
        #expect(try #require(Charset(label)).decode(Self.data(bytes), fallback: .replace) == text)
    }

    /// As code page 950 and the Encoding Standard have them; the system's converter for Hong Kong's
    /// supplement does not.
    @Test func `Big5 has the web's symbols, beside characters of Hong Kong`() throws {
        let charset = try #require(Charset("big5"))
        let bytes = Self.data("a1c3a1fea240a2cca2cea3e1a241a1e3a2448862fa40a4a4")
        #expect(try charset.decode(bytes) == "￣／＼十卅€∕～￥Ê̄𠕇中")
        #expect(try charset.decode(charset.encode("￥～／")) == "￥～／")
    }

    @Test(arguments: [
        ("koi8-r", "a日b", "日", 1), ("us-ascii", "aü", "ü", 1), ("iso-8859-1", "ü€", "€", 2), ("big5", "🦊", "🦊", 0),
        ("shift_jis", "日🦊", "🦊", 3), ("iso-2022-jp", "日\u{1B}(B", "\u{1B}", 3), ("iso-2022-jp", "a\u{E}", "\u{E}", 1),
    ])
    func `a character that is not in the charset is an error that names it, or a question mark`(
        _ label: String,
        _ text: String,
        _ character: String,
        _ offset: Int
    ) throws {
        let charset = try #require(Charset(label))
        let error = #expect(throws: CharsetError.self) { try charset.encode(text) }
        #expect(error?.code == .inexpressibleCharacter)
        #expect(error?.offset == offset)
        #expect(error?.description.contains("“\(character)”") == true)
        let replaced = try charset.decode(try charset.encode(text, fallback: .replace))
        #expect(replaced == text.replacingOccurrences(of: character, with: "?"))
    }

    @Test func `a replacement character is written with the charset's shift sequence`() throws {
        let charset = try #require(Charset("iso-2022-jp"))
        #expect(try charset.decode(try charset.encode("日🦊本", fallback: .replace)) == "日?本")
    }

    @Test(arguments: [
        ("utf-16", "\u{FFFE}a", "fefffffe0061"), ("utf-16", "\u{FEFF}a", "fefffeff0061"),
        ("utf-16", "a\u{FFFE}", "0061fffe"), ("utf-32", "\u{FEFF}", "0000feff0000feff"),
        ("utf-32", "\u{FFFE}", "0000feff0000fffe"),
    ])
    func `a text that begins like a byte-order mark has one before it where the byte order is not fixed`(
        _ label: String,
        _ text: String,
        _ bytes: String
    ) throws {
        let charset = try #require(Charset(label))
        #expect(try charset.encode(text) == Self.data(bytes))
        #expect(try charset.decode(Self.data(bytes)) == text)
    }

    @Test func `no byte-order mark is written where the byte order is fixed`() throws {
        #expect(try Charset.utf16LittleEndian.encode("\u{FFFE}") == Self.data("feff"))
        #expect(try Charset.utf16BigEndian.encode("\u{FFFE}") == Self.data("fffe"))
        #expect(try Charset.utf16BigEndian.decode(Self.data("fffe")) == "\u{FFFE}")
    }

    @Test func `an error quotes only the beginning of a charset label`() throws {
        let label = String(repeating: "x", count: 100_000)
        let example = ResponseExample(200, "text/plain; charset=\(label)", "a")
        let error = try #require(example.error(as: .string))
        #expect(error.message.utf8.count < 300)
        let underlying = try #require(error.underlying as? CharsetError)
        #expect(underlying.description.utf8.count < 100 && underlying.charset.utf8.count < 100)
    }
}
