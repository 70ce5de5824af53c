import Testing

@testable import Bluebonnet

struct MIMETypesTests {
    private static let tables = MIMETypes(
        mimeTypes: """
            # a comment\tpng
            image/png\t\tpng PNG2
            application/none
            text/tabs\ta\tb # c
            application/gzip gz\r
            """,
        globs: """
            # weight:type:glob
            80:image/other:*.png
            60:application/x-compressed-tar:*.tar.gz
            50:text/x-make:Makefile
            50:text/x-question:*.q?
            50:text/glob:*.gl:cs
            50:text/second:*.gl
            broken
            """
    )

    @Test(arguments: [
        ("a.png", "image/png"), ("a.PNG", "image/png"), ("a.png2", "image/png"), ("x.a", "text/tabs"),
        ("x.b", "text/tabs"),
        ("x.c", "application/octet-stream"), ("x.gz", "application/gzip"), ("x.tar.gz", "application/x-compressed-tar"),
        ("x.y.tar.GZ", "application/x-compressed-tar"), ("x.y.gz", "application/gzip"), ("x.gl", "text/glob"),
        ("Makefile", "application/octet-stream"), ("x.qa", "application/octet-stream"),
        (".png", "application/octet-stream"), ("..png", "application/octet-stream"), (".hidden.png", "image/png"),
        ("png", "application/octet-stream"), ("x.", "application/octet-stream"), ("", "application/octet-stream"),
        ("x.jpeg", "image/jpeg"), ("böse.png", "image/png"), ("a b.tar.png", "image/png"),
        ("tar.gz", "application/gzip"),
    ]) func `the longest known file extension decides the media type`(name: String, type: String) {
        #expect(Self.tables.type(ofFileNamed: name) == type)
    }

    @Test(arguments: ["txt", "json", "pdf", "jpg", "html", "mp4", "zip", "csv"])
    func `the usual media types are known without a system table`(end: String) {
        let types = MIMETypes(mimeTypes: "", globs: "")
        #expect(types.type(ofFileNamed: "x.\(end)") != MIMETypes.unknown)
        #expect(types.type(ofFileNamed: "x.unheard-of") == MIMETypes.unknown)
    }

    @Test func `this system's tables are read`() {
        #expect(MIMETypes.system.type(ofFileNamed: "photo.jpg") == "image/jpeg")
        #expect(MIMETypes.system.type(ofFileNamed: "notes.txt") == "text/plain")
    }
}
