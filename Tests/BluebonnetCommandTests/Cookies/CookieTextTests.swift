import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

/// Cookies as a table and as the JSON of extensions of browsers.
struct CookieTextTests {
    private let cookies = [
        Cookie(
            name: "theme",
            value: "dark",
            domain: "example.com",
            expires: Date(timeIntervalSince1970: 1_893_456_000)
        ),
        Cookie(
            name: "id",
            value: "secret",
            domain: "www.example.com",
            isHostOnly: true,
            path: "/app",
            isSecure: true,
            isHTTPOnly: true,
            sameSite: Cookie.SameSite.none
        ),
    ]

    @Test func `a table has columns of equal width`() {
        let rows = cookies.map { CookieText.row(of: $0, showsValue: false) }
        #expect(
            CookieText.table([CookieText.titles(showsValue: false)] + rows) == [
                "DOMAIN           PATH  NAME   ENDS        FLAGS",
                ".example.com     /     theme  2030-01-01",
                "www.example.com  /app  id     session     Secure HttpOnly SameSite=None",
            ]
        )
        #expect(CookieText.row(of: cookies[1], showsValue: true)[3] == "secret")
    }

    @Test func `JSON that is written is read again`() throws {
        let read = try CookieText.cookies(in: Data(CookieText.json(of: cookies).utf8), name: "x")
        #expect(read.map(\.identity) == cookies.map(\.identity) && read.map(\.value) == cookies.map(\.value))
        #expect(read.map(\.expires) == cookies.map(\.expires) && read.map(\.sameSite) == cookies.map(\.sameSite))
        #expect(read.map(\.isSecure) == [false, true] && read.map(\.isHTTPOnly) == [false, true])
    }

    @Test func `the export of an extension is read`() throws {
        let text = """
            [{"domain": ".example.com", "expirationDate": 1893456000.5, "hostOnly": false, "httpOnly": true,
              "name": "a", "path": "/", "sameSite": "unspecified", "secure": true, "session": false,
              "storeId": "0", "value": "b"}, {"domain": "example.com", "name": "c", "value": "d"}]
            """
        let read = try CookieText.cookies(in: Data(text.utf8), name: "x")
        #expect(read.map(\.name) == ["a", "c"] && read.map(\.isHostOnly) == [false, true])
        #expect(read.map(\.expires) == [Date(timeIntervalSince1970: 1_893_456_000.5), nil])
    }

    @Test(arguments: ["hello", "[1]", "[{\"name\": \"a\"}]", "[{]"])
    func `a text that has no cookies is an error`(_ text: String) {
        #expect(throws: CommandFailure.self) { try CookieText.cookies(in: Data(text.utf8), name: "x") }
    }

    @Test func `a file of curl without cookies is one`() throws {
        for text in ["", "\n", "# Netscape HTTP Cookie File\n", "[]"] {
            #expect(try CookieText.cookies(in: Data(text.utf8), name: "x").isEmpty)
        }
    }
}
