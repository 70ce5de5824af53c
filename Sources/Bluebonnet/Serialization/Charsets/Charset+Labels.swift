import FoundationEssentials

extension Charset {
    /// The charset of a label: first the charsets that are read here, then the labels that name a
    /// subset of what is sent, then all that the system knows.
    static func labelled(_ label: String) -> Charset? {
        let bytes = label.utf8.drop(while: ASCII.isBlank).reversed().drop(while: ASCII.isBlank).reversed()
        let label = String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
        return own[label] ?? widened[label] ?? known(label)
    }

    private static let own: [String: Charset] = [
        "utf-8": .utf8, "utf8": .utf8, "unicode-1-1-utf-8": .utf8, "x-unicode20utf8": .utf8,
        "us-ascii": .ascii, "ascii": .ascii, "ansi_x3.4-1968": .ascii, "iso646-us": .ascii, "iso-ir-6": .ascii,
        "iso-8859-1": .latin1, "iso8859-1": .latin1, "iso_8859-1": .latin1, "latin1": .latin1, "l1": .latin1,
        "iso88591": .latin1, "iso_8859-1:1987": .latin1, "cp819": .latin1, "ibm819": .latin1,
        "utf-16": .utf16, "utf16": .utf16, "ucs-2": .utf16, "iso-10646-ucs-2": .utf16, "csunicode": .utf16,
        "utf-16be": .utf16BigEndian, "utf16be": .utf16BigEndian, "unicodefffe": .utf16BigEndian,
        "utf-16le": .utf16LittleEndian, "utf16le": .utf16LittleEndian, "unicodefeff": .utf16LittleEndian,
        "utf-32": .utf32, "utf32": .utf32, "ucs-4": .utf32, "iso-10646-ucs-4": .utf32,
        "utf-32be": .utf32BigEndian, "utf32be": .utf32BigEndian,
        "utf-32le": .utf32LittleEndian, "utf32le": .utf32LittleEndian,
    ]

    /// Labels of the Encoding Standard that `iconv` does not have, or for which it has fewer
    /// characters than are sent with them.
    private static let widened: [String: Charset] = {
        var labels: [String: Charset] = [:]
        func add(_ charset: Charset, _ aliases: String) {
            for alias in aliases.split(separator: " ") { labels[String(alias)] = charset }
        }
        func add(_ name: String, _ systemName: String, _ aliases: String) {
            add(Charset(name, .system(systemName)), aliases)
        }
        add("GBK", "GBK", "gbk x-gbk gb2312 gb_2312 gb_2312-80 csgb2312 chinese iso-ir-58 csiso58gb231280 cp936 euc-cn")
        add("GB18030", "GB18030", "gb18030")
        add(Charset("Big5", .big5), "big5 big5-hkscs cn-big5 csbig5 x-x-big5 big-five cp950 windows-950")
        add("Shift_JIS", "CP932", "shift_jis shift-jis sjis x-sjis ms_kanji csshiftjis windows-31j ms932 cp932")
        add("EUC-JP", "EUC-JP-MS", "euc-jp x-euc-jp eucjp cseucpkdfmtjapanese")
        add(
            "EUC-KR",
            "CP949",
            "euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean iso-ir-149 csksc56011987"
                + " windows-949 cp949 uhc ms949"
        )
        add("ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp")
        add("windows-874", "CP874", "windows-874 dos-874 cp874")
        add("KOI8-R", "KOI8-R", "koi8-r koi koi8 koi8_r cskoi8r")
        add("KOI8-U", "KOI8-U", "koi8-u koi8-ru")
        add("IBM866", "CP866", "ibm866 cp866 866 csibm866")
        add("ISO-8859-8", "ISO-8859-8", "iso-8859-8 iso-8859-8-i iso-8859-8-e logical visual csiso88598e csiso88598i")
        add("macintosh", "MACINTOSH", "macintosh mac x-mac-roman csmacintosh")
        add("x-mac-cyrillic", "MAC-CYRILLIC", "x-mac-cyrillic x-mac-ukrainian")
        for page in 1250...1258 { add("windows-\(page)", "CP\(page)", "windows-\(page) cp\(page) x-cp\(page)") }
        return labels
    }()

    /// The charset that the system has for a label. Servers must not name its notation
    /// (`//TRANSLIT`), the locale's charset or an unsafe charset.
    private static func known(_ label: String) -> Charset? {
        guard (1...40).contains(label.utf8.count), label.utf8.allSatisfy(isNameByte) else { return nil }
        let letters = label.utf8.filter { isAlphanumeric($0) }
        let squeezed = String(decoding: letters, as: UTF8.self)
        let refused = ["utf7", "iso2022", "internal", "wchart", "locale"]
        guard !squeezed.isEmpty, squeezed != "char", !refused.contains(where: squeezed.contains) else { return nil }
        let name = label.uppercased()
        guard CharsetConverter.exists(from: name, to: "UTF-8"), CharsetConverter.exists(from: "UTF-8", to: name) else {
            return nil
        }
        return Charset(name, .system(name))
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-_.:+()".utf8.contains(byte)
    }
}

extension Charset {
    /// The charset of a byte-order mark and the mark's length; nil without a mark.
    static func marked(_ body: some Collection<UInt8>) -> (charset: Charset, markLength: Int)? {
        let bytes = Array(body.prefix(4))
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes == [0xFF, 0xFE, 0, 0] { return (.utf32LittleEndian, 4) }
        if bytes == [0, 0, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    /// The `charset` parameter of a `Content-Type` (RFC 9110 §8.3.2), quotes removed; nil without
    /// one.
    package static func label(ofContentType contentType: String) -> String? {
        for parameter in contentType.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            let bytes = parameter.filter { !ASCII.isBlank($0) && $0 != UInt8(ascii: "\"") }
            let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, parts[0].map(ASCII.lowercased) == Array("charset".utf8) else { continue }
            return String(decoding: parts[1], as: UTF8.self)
        }
        return nil
    }
}
