import Testing

@testable import BluebonnetCommand

@Suite struct RequestItemTests {
    @Test(arguments: [
        ("Accept:text/html", RequestItem.header(name: "Accept", value: .text("text/html"))),
        ("X:a=b", .header(name: "X", value: .text("a=b"))),
        ("X:a:b", .header(name: "X", value: .text("a:b"))),
        ("X: spaced", .header(name: "X", value: .text(" spaced"))),
        ("X:@token.txt", .header(name: "X", value: .file("token.txt"))),
        ("Accept:", .unsetHeader(name: "Accept")),
        ("X-Empty;", .emptyHeader(name: "X-Empty")),
        ("page==2", .query(name: "page", value: .text("2"))),
        ("page==", .query(name: "page", value: .text(""))),
        ("q==a=b", .query(name: "q", value: .text("a=b"))),
        ("q==@words", .query(name: "q", value: .file("words"))),
        ("name=Ada", .field(name: "name", value: .text("Ada"))),
        ("name=", .field(name: "name", value: .text(""))),
        ("name=a:b@c", .field(name: "name", value: .text("a:b@c"))),
        ("name=@file", .field(name: "name", value: .file("file"))),
        ("name=\\@file", .field(name: "name", value: .text("@file"))),
        ("name=a\\=b\\c", .field(name: "name", value: .text("a=b\\c"))),
        ("age:=36", .jsonField(name: "age", value: .text("36"))),
        ("tags:=[\"a\"]", .jsonField(name: "tags", value: .text("[\"a\"]"))),
        ("tags:=@tags.json", .jsonField(name: "tags", value: .file("tags.json"))),
        ("@photo.png", .body(path: "photo.png")),
        ("@-", .body(path: "-")),
        ("photo@photo.png", .file(name: "photo", file: .init(path: "photo.png"))),
        ("f@a;type=a/b", .file(name: "f", file: .init(path: "a", type: "a/b"))),
        ("f@a;filename=b c.txt", .file(name: "f", file: .init(path: "a", name: "b c.txt"))),
        ("f@a;filename=b;type=a/b;c=d", .file(name: "f", file: .init(path: "a", type: "a/b;c=d", name: "b"))),
        ("f@a;type=a/b;filename=b", .file(name: "f", file: .init(path: "a", type: "a/b", name: "b"))),
        ("f@a;b", .file(name: "f", file: .init(path: "a;b"))),
        ("a\\:b:c", .header(name: "a:b", value: .text("c"))),
        ("a\\=b=c", .field(name: "a=b", value: .text("c"))),
        ("foo\\==bar", .field(name: "foo=", value: .text("bar"))),
        ("a\\=\\=b=c", .field(name: "a==b", value: .text("c"))),
        ("a\\:=b=c", .field(name: "a:", value: .text("b=c"))),
        ("a\\:\\=b=c", .field(name: "a:=b", value: .text("c"))),
        ("a\\\\:b", .header(name: "a\\\\", value: .text("b"))),
        ("a\\@b=c", .field(name: "a@b", value: .text("c"))),
        ("a\\b=c", .field(name: "a\\b", value: .text("c"))),
        ("é=ü", .field(name: "é", value: .text("ü"))),
        ("a=\u{301}", .field(name: "a", value: .text("\u{301}"))),
        ("X:\u{FE0F}b", .header(name: "X", value: .text("\u{FE0F}b"))),
        ("a\\=\u{200D}=b", .field(name: "a=\u{200D}", value: .text("b"))),
        ("a\r=\nb", .field(name: "a\r", value: .text("\nb"))),
    ])
    func `a request item is read by its first separator`(argument: String, item: RequestItem) throws {
        #expect(try RequestItem(argument) == item)
    }

    @Test(arguments: [
        "", "word", "http://a", "HTTPS://a/b?c=d", "=x", ":x", "==x", ":=1", ";", "a;b", "@", "a@", "a=@", "a:=@",
        "a\\=b",
    ])
    func `a request item without separator or name is bad usage`(argument: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestItem(argument) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(argument) == true)
    }
}
