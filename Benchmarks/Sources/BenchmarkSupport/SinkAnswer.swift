/// Reads the answer of the upload sink, which is the number of body bytes it received, in decimal.
public enum SinkAnswer {
    /// The answer was something else than a number.
    public struct Unreadable: Error {}

    /// Reads an answer.
    ///
    /// - Parameter body: The body of the sink's response.
    /// - Returns: The number of bytes that the sink received.
    /// - Throws: ``Unreadable`` when the body is no number.
    public static func received(_ body: some Collection<UInt8>) throws -> Int {
        guard let number = Int(String(decoding: body, as: UTF8.self)) else { throw Unreadable() }
        return number
    }
}
