import Foundation
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

    @Test(arguments: [
        ("txt", "text/plain"), ("json", "application/json"), ("pdf", "application/pdf"), ("jpg", "image/jpeg"),
        ("html", "text/html"), ("mp4", "video/mp4"), ("zip", "application/zip"), ("csv", "text/csv"),
        ("unheard-of", "application/octet-stream"),
    ])
    func `the usual media types are known without a system table`(end: String, type: String) {
        let types = MIMETypes(mimeTypes: "", globs: "")
        #expect(types.type(ofFileNamed: "x.\(end)") == type)
    }

    /// An extension of `/etc/mime.types` that the built-in table does not have, with its type.
    private static let systemType: (end: String, type: String)? = {
        let table = (try? String(contentsOf: URL(filePath: "/etc/mime.types"), encoding: .utf8)) ?? ""
        let builtIn = MIMETypes(mimeTypes: "", globs: "")
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1, !words[1].contains(".") else { continue }
            if builtIn.type(ofFileNamed: "x.\(words[1])") == MIMETypes.unknown {
                return (String(words[1]), String(words[0]))
            }
        }
        return nil
    }()

    @Test(.enabled(if: systemType != nil, "/etc/mime.types is not there"))
    func `the media types of this system's table are known`() throws {
        let (end, type) = try #require(Self.systemType)
        #expect(MIMETypes.system.type(ofFileNamed: "x.\(end)") == type)
    }
}
