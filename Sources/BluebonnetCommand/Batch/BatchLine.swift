import Bluebonnet

/// A parsed line of the input: its identifier, and its request or the reason why there is none.
struct BatchLine: Sendable {
    /// The `id` of the result: the line's `id`, else its number.
    let id: JSONValue

    /// The request, or the error of the line.
    let request: Result<BatchRequest, BatchError>

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - bytes: The line without its end.
    ///   - number: Its number, from 1.
    ///   - timeouts: The session's timeouts, which a line changes only in part.
    init(_ bytes: some Collection<UInt8>, number: Int, timeouts: Timeouts = Timeouts()) {
        var id = JSONValue(number)
        do throws(BatchError) {
            let members = try Self.members(of: bytes)
            id = members["id"] ?? id
            request = .success(try BatchRequest(members, timeouts: timeouts))
        } catch {
            request = .failure(error)
        }
        self.id = id
    }

    private static func members(of bytes: some Collection<UInt8>) throws(BatchError) -> JSONObject {
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .invalidLine("The line is not JSON: \(error.description)")
        }
        guard let members = value.object else {
            throw .invalidLine("The line is \(value.kindWithArticle), not an object.")
        }
        return members
    }
}
