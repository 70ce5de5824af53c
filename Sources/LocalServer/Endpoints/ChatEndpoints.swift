import HTTPTypes
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A chat with a language model that only repeats what it is told: requests and responses have the
/// form that most servers of such models have. httpbin has no such endpoint.
enum ChatEndpoints {
    static let all: [Endpoint] = [
        Endpoint("v1/chat/completions", [.post]) { try await respond($0) }
    ]

    static let largestBody = 64 * 1024
    /// The most words of a reply.
    static let longestReply = 1000
    /// The time between two words of a stream, so that it can be seen to be one.
    static let pause = Duration.milliseconds(10)

    private struct Question: Decodable {
        struct Message: Decodable {
            var role: String
            var content: String
        }

        var messages: [Message]
        var stream: Bool?
    }

    private static func respond(_ exchange: Exchange) async throws -> Response {
        let body = try await exchange.body(upTo: largestBody)
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body)) else {
            return refusal("The body is not JSON with messages, each with a role and a content.")
        }
        guard let message = question.messages.last, message.role == "user" else {
            return refusal("The last message is not one of the role user.")
        }
        let words = "You said: \(message.content)".split(whereSeparator: \.isWhitespace)
        let isTooLong = words.count > longestReply
        let reply = words.prefix(longestReply).enumerated().map { $0 == 0 ? "\($1)" : " \($1)" }
        let end: JSON = isTooLong ? "length" : "stop"
        guard question.stream == true else {
            let message: JSON = ["role": "assistant", "content": .string(reply.joined())]
            return .json(["choices": [["index": 0, "message": message, "finish_reason": end]]])
        }
        return stream(reply, end)
    }

    /// The words of a reply as server-sent events, one by one, and the mark of the end.
    private static func stream(_ words: [String], _ end: JSON) -> Response {
        let body = ResponseBody { writer in
            for word in words {
                try await writer.write(event(chunk(["content": .string(word)], nil)))
                try await Task.sleep(for: pause)
            }
            try await writer.write(event(chunk([:], end)))
            try await writer.write(event("[DONE]"))
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: body
        )
    }

    private static func chunk(_ delta: JSON, _ end: JSON) -> String {
        let chunk: JSON = ["choices": [["index": 0, "delta": delta, "finish_reason": end]]]
        return chunk.compact
    }

    private static func event(_ data: String) -> ByteBuffer {
        ByteBuffer(string: "data: \(data)\n\n")
    }

    private static func refusal(_ message: String) -> Response {
        .json(["error": ["message": .string(message)]], status: .badRequest)
    }
}
