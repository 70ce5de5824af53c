import Bluebonnet
import Foundation

/// A chat whose replies are shown while the server sends them, as those of language models.
///
/// Needs `bluebonnet serve --port 8080`, which repeats what it is told, or the server of a model:
/// `swift run Chat [SERVER [MODEL]]`
@main
struct Chat {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let server = arguments.first ?? "http://127.0.0.1:8080"
        let api = HTTPSessionManager(baseURL: server + "/v1/")
        let model = Model(api: api, name: arguments.dropFirst().first ?? "echo")
        var messages: [Message] = []
        do {
            try await ask("What blooms in Texas in April?", model, &messages)
            try await ask("Tell me everything about this flower, from the seed on.", model, &messages, pieces: 6)
        } catch {
            // The reason as these servers send it.
            let body = (error as? NetworkingError)?.parsedBody(as: JSONValue.self)
            show("\nFailed: \(body?["error"]?["message"]?.string ?? "\(error)")\n")
        }
    }

    /// Shows the reply to a question, and adds both to the conversation; stops after a number of
    /// pieces, as a user would with a button.
    private static func ask(
        _ question: String,
        _ model: Model,
        _ messages: inout [Message],
        pieces most: Int = .max
    ) async throws {
        show("> \(question)\n")
        messages.append(Message(role: "user", content: question))
        var reply = ""
        var count = 0
        for try await piece in model.reply(to: messages) {
            show(piece)
            reply += piece
            count += 1
            // The request is cancelled, and the server stops.
            if count == most { break }
        }
        show(count == most ? " (stopped)\n" : "\n")
        messages.append(Message(role: "assistant", content: reply))
    }

    /// Writes at once; `print` on a terminal would wait for the end of the line.
    private static func show(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
