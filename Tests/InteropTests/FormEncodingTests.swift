import Bluebonnet
import Testing

/// Tests that Python's urllib reads the values that were encoded in our forms.
@Suite(.needs("python3"), .timeLimit(.minutes(2)))
struct FormEncodingTests {
    /// The texts as Unicode scalars. Python compares these; for Swift, texts that are canonically
    /// equivalent are equal.
    private func scalars(_ pairs: [[String]]) -> [[[UInt32]]] {
        pairs.map { $0.map { $0.unicodeScalars.map(\.value) } }
    }

    @Test(arguments: [UInt64(1), 2])
    func `Python's urllib reads an encoded form and writes the same`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let trees = (0..<2000).map { _ in FormTree.object(depth: 3, using: &random) }
        var standard = URLEncodedFormEncoder.standard
        standard.sortsKeys = false
        standard.nilEncoding = .dropValue
        var whatwg = URLEncodedFormEncoder.whatwg
        whatwg.sortsKeys = false
        whatwg.nilEncoding = .dropValue
        let standardTexts = try trees.map { try standard.encode($0) }
        let whatwgTexts = try trees.map { try whatwg.encode($0) }
        let forms = try PythonFormParser.parse(standardTexts + whatwgTexts)
        try #require(forms.count == trees.count * 2)
        for (index, tree) in trees.enumerated() {
            let expected = scalars(tree.pairs())
            for (text, form) in [
                (standardTexts[index], forms[index]), (whatwgTexts[index], forms[index + trees.count]),
            ] {
                #expect(scalars(form.pairs) == expected, "\(text)")
                #expect(form.standard == standardTexts[index])
                #expect(form.whatwg == whatwgTexts[index])
            }
            let json = tree.json
            #expect(try standard.encode(json) == standardTexts[index])
        }
        #expect(standardTexts.count { $0.contains("%5B%5D") } > trees.count / 10)
    }

    @Test func `Python's urllib reads what QueryString writes`() throws {
        var random = SeededGenerator(seed: 3)
        let trees = (0..<1000).map { _ in FormTree.object(depth: 3, using: &random) }
        var form = URLEncodedFormEncoder.standard
        form.nilEncoding = .bareKey
        let texts = try trees.map { try QueryString().encode($0.json) }
        for (tree, text) in zip(trees, texts) { #expect(try form.encode(tree) == text) }
        // Python's strict parser refuses a key without `=`, which means an empty value.
        let written = texts.map { text in
            text.split(separator: "&").map { $0.contains("=") ? $0 : $0 + "=" }.joined(separator: "&")
        }
        for (form, (tree, text)) in zip(try PythonFormParser.parse(written), zip(trees, written)) {
            // Null with an empty key is encoded as an empty text, which is not a pair.
            let expected = tree.pairs().filter { $0 != ["", ""] }
            #expect(Set(scalars(form.pairs.filter { $0 != ["", ""] })) == Set(scalars(expected)), "\(text)")
        }
    }
}
