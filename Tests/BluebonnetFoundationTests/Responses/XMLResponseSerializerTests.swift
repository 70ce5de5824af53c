import Bluebonnet
import BluebonnetFoundation
import Foundation
import FoundationXML
import HTTPTypes
import Testing

@Suite struct XMLResponseSerializerTests {
    private static func serialize<Serializer: ResponseSerializer>(
        _ status: Int,
        _ type: String,
        _ body: String,
        as serializer: Serializer
    ) throws(NetworkingError) -> Serializer.Output {
        let head = ResponseHead(status: HTTPResponse.Status(code: status), headerFields: [.contentType: type])
        return try serializer.serialize(Data(body.utf8), head: head, request: Request(url: URL(filePath: "/")))
    }

    private static func error(_ status: Int, _ type: String, _ body: String) -> NetworkingError? {
        do {
            _ = try serialize(status, type, body, as: .xmlDocument)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["application/xml", "text/xml; charset=utf-8"])
    func `an XML document becomes a tree`(_ type: String) throws {
        let tree = try Self.serialize(200, type, "<a><b>ü</b></a>", as: .xmlDocument)
        #expect(try tree.nodes(atXPath: "/a/b").first?.stringValue == "ü")
    }

    @Test func `XML responses have the errors of invalid bodies, statuses and content types`() throws {
        let broken = try #require(Self.error(200, "text/xml", "<a>\n<b></a>"))
        #expect(broken.code == .responseSerializationFailed)
        #expect(broken.message == "The response is not valid XML: The tag “a” cannot close “b” (line 2, column 6)")
        #expect((broken.underlying as? XMLParsingError)?.code == .mismatchedTag)
        #expect(Self.error(200, "text/html", "<a/>")?.code == .unacceptableContentType)
        let refused = try #require(Self.error(404, "text/xml", "<e>no</e>"))
        #expect(refused.code == .unacceptableStatusCode)
        #expect(refused.parsedBody(as: XMLTree.self)?.root.stringValue == "no")
        let both = try #require(Self.error(404, "text/xml", "no"))
        #expect(both.code == .responseSerializationFailed && both.contains(.unacceptableStatusCode))
        #expect(Self.error(200, "text/xml; charset=nonsense", "<a/>")?.code == .responseSerializationFailed)
        #expect(Self.error(200, "text/xml", "")?.code == .responseSerializationFailed)
    }

    private final class Names: NSObject, XMLParserDelegate {
        var names: [String] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            names.append(name)
        }
    }

    @Test func `the serializer of Foundation's XMLParser returns a parser that has not started`() throws {
        let prepared = try Self.serialize(200, "application/xml", "<a><b/></a>", as: .xmlParser)
        let delegate = Names()
        try prepared.parse(delegate)
        #expect(delegate.names == ["a", "b"])
        let parser = prepared.makeParser()
        #expect(parser.parserError == nil && !parser.shouldResolveExternalEntities)
        parser.delegate = delegate
        #expect(parser.parse())
        #expect(delegate.names == ["a", "b", "a", "b"])
    }

    /// On Linux Foundation's parser says of such a document that it went well.
    @Test func `a truncated XML document is an error of the prepared parser`() throws {
        let prepared = try Self.serialize(200, "application/xml", "<a><b>", as: .xmlParser)
        #expect(throws: (any Error).self) { try prepared.parse(Names()) }
    }
}
