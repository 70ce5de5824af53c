import Foundation
import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChatEndpointsTests {
    private let target = "/v1/chat/completions"

    private func question(_ text: String, stream: Bool) -> String {
        #"{"model": "echo", "messages": [{"role": "user", "content": "\#(text)"}], "stream": \#(stream)}"#
    }

    /// The data of the events of a response.
    private func events(_ response: RawResponse) -> [String] {
        response.text.split(separator: "\n\n").map { String($0.dropFirst("data: ".count)) }
    }

    /// The first choice of a reply or of one piece of it.
    private func choice(_ json: some StringProtocol) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require((object?["choices"] as? [[String: Any]])?.first)
    }

    @Test func `the reply is streamed word by word, and says how it ended`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.post(
                target,
                question(#"Hello,\n \"world\""#, stream: true),
                to: server
            )
            #expect(response.status == 200)
            #expect(response.value(of: "content-type") == "text/event-stream")
            #expect(response.value(of: "transfer-encoding") == "chunked")
            let events = events(response)
            #expect(events.last == "[DONE]")
            let choices = try events.dropLast().map { try choice($0) }
            let words = choices.compactMap { ($0["delta"] as? [String: Any])?["content"] as? String }
            #expect(words == ["You", " said:", " Hello,", " \"world\""])
            #expect(choices.last?["finish_reason"] as? String == "stop")
            #expect(choices.first?["finish_reason"] is NSNull)
        }
    }

    @Test func `the first word is sent before the last one is due`() async throws {
        try await LocalServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            let body = question(String(repeating: "a ", count: 2000), stream: true)
            let head = "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            try await connection.send(head + body)
            var text = ""
            while !text.contains("\"You\""), let piece = try await connection.receive() { text += piece }
            #expect(!text.contains("[DONE]"))
        }
    }

    @Test func `the reply is one JSON text when no stream is wanted`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.post(target, question("Hello", stream: false), to: server)
            let choice = try choice(response.text)
            #expect(choice["finish_reason"] as? String == "stop")
            let message = try #require(choice["message"] as? [String: String])
            #expect(message == ["role": "assistant", "content": "You said: Hello"])
        }
    }

    @Test func `a long reply is cut`() async throws {
        try await LocalServer.run { server in
            let text = String(repeating: "a ", count: 30_000)
            let choice = try choice(try await RawResponse.post(target, question(text, stream: false), to: server).text)
            #expect(choice["finish_reason"] as? String == "length")
            let content = try #require((choice["message"] as? [String: String])?["content"])
            #expect(content.split(separator: " ").count == 1000)
        }
    }

    @Test(arguments: [
        ("", 400), ("[]", 400), (#"{"messages": []}"#, 400), (String(repeating: "[", count: 60_000), 400),
        (#"{"messages": [{"role": "assistant", "content": "Hello"}]}"#, 400),
        (#"{"messages": [{"role": "user", "content": 1}]}"#, 400),
        (#"{"messages": [{"role": "user", "content": "\#(String(repeating: "a", count: 65_536))"}]}"#, 413),
    ])
    func `what is not a question is refused`(body: String, status: Int) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.post(target, body, to: server)
            #expect(response.status == status)
            if status == 400 {
                let error = try response.object()["error"] as? [String: Any]
                #expect(error?["message"] is String)
            }
        }
    }
}
