import Testing

@testable import BluebonnetCommand

@Suite struct FieldPathTests {
    @Test(arguments: [
        ("name", [FieldPath.Step.key("name")]),
        ("a[b]", [.key("a"), .key("b")]),
        ("a[b][c]", [.key("a"), .key("b"), .key("c")]),
        ("l[]", [.key("l"), .append]),
        ("l[0][id]", [.key("l"), .index(0), .key("id")]),
        ("[]", [.append]),
        ("[2][x]", [.index(2), .key("x")]),
        ("5", [.key("5")]),
        ("a[1e3]", [.key("a"), .key("1e3")]),
        ("a[-]", [.key("a"), .key("-")]),
        ("a[b c]", [.key("a"), .key("b c")]),
        ("a\\[b\\]", [.key("a[b]")]),
        ("a[\\[]", [.key("a"), .key("[")]),
        ("a[\\1]", [.key("a"), .key("1")]),
        ("a[\\1x]", [.key("a"), .key("\\1x")]),
        ("a\\\\[b]", [.key("a\\"), .key("b")]),
        ("a\\b", [.key("a\\b")]),
        ("a\\", [.key("a\\")]),
        ("[65535]", [.index(65_535)]),
        ("a[\u{301}]", [.key("a"), .key("\u{301}")]),
        ("a[b\u{301}][\u{200D}c]", [.key("a"), .key("b\u{301}"), .key("\u{200D}c")]),
    ])
    func `a field name is a path in HTTPie's syntax`(name: String, steps: [FieldPath.Step]) throws {
        #expect(try FieldPath(name).steps == steps)
    }

    @Test(arguments: [
        ("a[b", "has no “]”"), ("a]", "no “[” before it"), ("a[b]c", "only another “[”"), ("a[b[c]]", "has no “]”"),
        ("a[b]]", "no “[” before it"), ("[top]", "only a list can"), ("[\\0]", "only a list can"),
        ("a[-1]", "0 or more"), ("a[65536]", "at most 65535"), ("a[99999999999999999999]", "at most 65535"),
    ])
    func `the error about a name that is not a field path says why`(name: String, reason: String) {
        let error = #expect(throws: CommandFailure.self) { try FieldPath(name) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("“\(name)”") == true)
    }

    @Test func `a field path has a maximum depth`() throws {
        let deepest = "a" + String(repeating: "[b]", count: FieldPath.mostSteps - 1)
        #expect(try FieldPath(deepest).steps.count == FieldPath.mostSteps)
        #expect(throws: CommandFailure.self) { try FieldPath(deepest + "[b]") }
    }
}
