/// The source of a request body brought more or less than was declared.
struct RequestBodyLengthMismatch: Error, CustomStringConvertible {
    let length: Int
    let produced: String

    static func more(than length: Int) -> Self { Self(length: length, produced: "more") }

    static func only(_ produced: Int, of length: Int) -> Self { Self(length: length, produced: "only \(produced)") }

    var description: String {
        "The request body was declared as \(length) bytes, and \(produced) came from its source."
    }
}
