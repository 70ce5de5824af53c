import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Endpoints with small documents of many types.
enum SampleEndpoints {
    static let all: [Endpoint] = [
        Endpoint("json") { _ in .json(slideshow) },
        Endpoint("xml") { _ in .content(xml, type: "application/xml") },
        Endpoint("html") { _ in .html(page) },
        Endpoint("robots.txt") { _ in .content("User-agent: *\nDisallow: /deny\n", type: "text/plain") },
        Endpoint("deny") { _ in .content("Robots have been told to stay away from here.\n", type: "text/plain") },
        Endpoint("image") { _ in try image() },
        Endpoint("image/png") { _ in try image() },
        Endpoint("encoding/utf8") { _ in .html(utf8) },
        Endpoint("base64/:text") { try decode($0.parameter("text")) },
        Endpoint("uuid") { _ in .json(["uuid": .string(UUID().uuidString.lowercased())]) },
    ]

    static let notFound = """
        <!DOCTYPE html>
        <title>404 Not Found</title>
        <h1>Not Found</h1>
        <p>There is nothing at this URL. The page at / lists all endpoints.</p>

        """

    static let methodNotAllowed = """
        <!DOCTYPE html>
        <title>405 Method Not Allowed</title>
        <h1>Method Not Allowed</h1>
        <p>This URL does not accept that method; the Allow field names those that it accepts.</p>

        """

    private static let slideshow: JSON = [
        "slideshow": [
            "author": "The gardener",
            "date": "date of publication",
            "title": "A field in spring",
            "slides": [
                ["title": "Seeds", "type": "all"],
                ["title": "Flowers", "type": "all", "items": ["Blue ones", "Red ones, bred by hand"]],
            ],
        ]
    ]

    private static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <slideshow title="A field in spring" date="date of publication" author="The gardener">
          <slide type="all">
            <title>Seeds</title>
          </slide>
          <slide type="all">
            <title>Flowers</title>
            <item>Blue ones</item>
            <item>Red ones, bred by <em>hand</em></item>
          </slide>
        </slideshow>

        """

    private static let page = """
        <!DOCTYPE html>
        <html>
          <head><title>A field in spring</title></head>
          <body>
            <h1>A field in spring</h1>
            <p>In March, the field is empty; in April, it is blue.</p>
          </body>
        </html>

        """

    private static let utf8 = """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <title>UTF-8</title>
        <pre>
        German   Zwölf Boxkämpfer jagen Viktor quer über den großen Deich
        Greek    Η μπλε λουπίνα ανθίζει τον Απρίλιο
        Russian  Синий люпин цветёт в апреле
        Hebrew   תורמוס כחול פורח באביב
        Japanese 青いルピナスは四月に咲く
        Maths    ∀x∈ℝ: ⌈x⌉ = −⌊−x⌋
        Emoji    🌱 💙 👩‍🌾
        </pre>

        """

    /// A flower of 16 by 16 pixels in four colours.
    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAgMAAABinRfyAAAADFBMVEX///86Ur48jDzm6/+kbjyjAAAARElEQVR42mNgYHRgYGBgDQAS7BeAhG"
        + "gIkIgtBRKhoQwMjKWxDgyMoaEODKzXrwcwsIaGBjAwxpY6QGQZmBpgBNcCCAsA1HIMQJsFwNoAAAAASUVORK5CYII="

    private static func image() throws -> Response {
        guard let bytes = Data(base64Encoded: png) else {
            throw EndpointError(.internalServerError, "The image is broken.")
        }
        return .content(Array(bytes), type: "image/png")
    }

    /// The text behind URL-safe base64 (RFC 4648 §5), with or without padding.
    private static func decode(_ text: String) throws -> Response {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        while base64.utf8.count % 4 != 0 {
            base64 += "="
        }
        guard let bytes = Data(base64Encoded: base64) else {
            throw EndpointError(.badRequest, "The text is not base64. Try: Qmx1ZWJvbm5ldCBibG9vbXM=")
        }
        return .html(String(decoding: bytes, as: UTF8.self))
    }
}
