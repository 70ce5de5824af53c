/// The source of a request body, or of a part of it, brought more or less than was declared.
struct RequestBodyLengthMismatch: Error, CustomStringConvertible {
    let subject: String
    let length: Int
    let produced: String

    static let wholeBody = "request body"

    static func more(than length: Int, in subject: String = wholeBody) -> Self {
        Self(subject: subject, length: length, produced: "more")
    }

    static func only(_ produced: Int, of length: Int, in subject: String = wholeBody) -> Self {
        Self(subject: subject, length: length, produced: "only \(produced)")
    }

    var description: String { "The \(subject) was declared as \(length) bytes, and \(produced) came from its source." }
}
