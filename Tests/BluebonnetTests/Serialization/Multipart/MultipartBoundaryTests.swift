import NIOCore
import Testing

@testable import Bluebonnet

struct MultipartBoundaryTests {
    @Test func `random multipart boundaries differ and need no quotes`() throws {
        let forms = (0..<1000).map { _ in MultipartFormData() }
        #expect(Set(forms.map(\.boundary)).count == 1000)
        for form in forms {
            #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
            #expect(throws: Never.self) { try MultipartBoundary(chosen: form.boundary) }
        }
    }

    /// Every bit of the boundary comes from the generator.
    @Test func `a random multipart boundary has 128 bits`() {
        var generator = SeededGenerator(seed: 1)
        var digits = Array(repeating: Set<Character>(), count: 32)
        for _ in 0..<2000 {
            let text = MultipartBoundary.random(using: &generator).text
            #expect(text.count == 43)
            for (position, digit) in text.suffix(32).enumerated() { digits[position].insert(digit) }
        }
        #expect(digits.allSatisfy { $0.count == 16 })
    }

    @Test(arguments: [
        "a", "0'()+_,-./:=?z", "with space inside", String(repeating: "x", count: 70),
    ]) func `a boundary that RFC 2046 allows can be chosen`(text: String) throws {
        let form = try MultipartFormData(boundary: text)
        #expect(form.boundary == text)
    }

    @Test(arguments: [
        "", " ", "ends with space ", String(repeating: "x", count: 71), "a\r\nb", "quo\"te", "semi;colon", "ä", "a\\b",
        "<a>",
    ]) func `a boundary that RFC 2046 forbids is refused`(text: String) {
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try MultipartFormData(boundary: text) }
    }

    @Test func `a multipart boundary that is not a token is quoted`() throws {
        #expect(try MultipartFormData(boundary: "a b").contentType == "multipart/form-data; boundary=\"a b\"")
        #expect(try MultipartFormData(boundary: "a=b").contentType == "multipart/form-data; boundary=\"a=b\"")
        #expect(try MultipartFormData(boundary: "a+'b").contentType == "multipart/form-data; boundary=a+'b")
    }
}
