public import Foundation
public import FoundationXML

/// A document for Foundation's `XMLParser`, which is not `Sendable` and is made in the task that
/// runs it.
///
/// Counterpart of the `NSXMLParser` that `AFXMLParserResponseSerializer` returns.
public struct PreparedXMLParser: Sendable {
    /// The bytes of the document.
    public let document: Data

    /// Prepares a parser for a document.
    ///
    /// - Parameter document: The bytes.
    public init(document: Data) {
        self.document = document
    }

    /// Makes a parser that has not begun. It loads nothing from outside the document.
    ///
    /// - Returns: A parser without a delegate.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: document)
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Runs a parser from beginning to end.
    ///
    /// - Parameter delegate: The delegate of the parser.
    /// - Throws: The parser's error; also where `XMLParser` has an error but returns true.
    public func parse(_ delegate: any XMLParserDelegate) throws {
        let parser = makeParser()
        parser.delegate = delegate
        let isDone = parser.parse()
        if let error = parser.parserError { throw error }
        guard isDone else { throw CocoaError(.coderReadCorrupt) }
    }
}
