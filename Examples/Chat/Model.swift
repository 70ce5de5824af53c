import Bluebonnet

/// A message of the conversation.
struct Message: Codable, Sendable {
    var role: String
    var content: String
}

/// A language model behind the endpoint `chat/completions`, which most servers of models have.
struct Model: Sendable {
    var api: HTTPSessionManager
    var name: String

    private struct Question: Encodable, Sendable {
        var model: String
        var messages: [Message]
        var stream = true
    }

    /// The data of one event; what is not named here is skipped.
    private struct Chunk: Decodable {
        struct Choice: Decodable {
            var delta: Delta
        }

        struct Delta: Decodable {
            var content: String?
        }

        var choices: [Choice]
    }

    /// The reply to a conversation, piece by piece while the server sends it.
    ///
    /// The request is sent when the pieces are asked for; leaving the loop cancels it.
    func reply(to messages: [Message]) -> some AsyncSequence<String, any Error> & Sendable {
        // A pause between two pieces may be long, when the model thinks.
        let timeouts = Timeouts(firstByte: .seconds(60), betweenBytes: .seconds(60))
        return api.stream(
            .post,
            "chat/completions",
            body: .json(Question(model: name, messages: messages)),
            options: [.timeouts(timeouts)]
        )
        .serverSentEvents
        .compactMap { event in
            // The last event. The loop goes on to the end of the response, which comes with it, so
            // that the connection can be used again.
            guard event.data != "[DONE]" else { return nil }
            return try JSONBodyDecoder().decode(Chunk.self, from: event.data.utf8).choices.first?.delta.content
        }
    }
}
