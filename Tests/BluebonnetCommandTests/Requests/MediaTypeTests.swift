import Testing

@testable import BluebonnetCommand

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("a.json", "application/json"), ("dir.x/photo.PNG", "image/png"), ("a.tar.gz", "application/gzip"),
        ("README", nil), ("dir.txt/file", nil), ("a.unknown", nil), ("", nil),
    ])
    func `the name of a file decides its media type`(path: String, type: String?) {
        #expect(MediaType.ofFile(atPath: path) == type)
    }

    @Test(arguments: [
        ("application/json", true), ("application/problem+json", true), ("text/json", true), ("text/plain", false),
        ("application/jsonl", false), (nil, false),
    ])
    func `JSON is recognised by the media type or its suffix`(type: String?, isJSON: Bool) {
        #expect(MediaType.isJSON(type) == isJSON)
    }
}
