import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Serializers outside of this library, such as one for images, and the validation of a manager.
@Suite struct CustomResponseSerializerTests {
    private struct Picture: Sendable, Equatable { var width: Int }
    private struct NoPicture: Error {}

    /// A counterpart of `AFImageResponseSerializer`: it has its own content types, and a body that
    /// cannot be decoded is an error.
    private struct PictureSerializer: ValidatingResponseSerializer {
        var validation = ResponseValidation(contentTypes: ["image/png", "image/x-*"])

        func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Picture {
            try validation.validate(body, head: head, request: request)
            guard let width = body.first else {
                throw NetworkingError(.responseSerializationFailed, "The response is not a picture.", body: body)
            }
            return Picture(width: Int(width))
        }
    }

    @Test func `a custom image serializer accepts its own content types`() throws {
        #expect(try ResponseExample(200, "image/png", "A").serialized(as: PictureSerializer()) == Picture(width: 65))
        #expect(try ResponseExample(200, "image/x-icon", "A").serialized(as: PictureSerializer()) == Picture(width: 65))
        #expect(ResponseExample(200, "text/html", "A").error(as: PictureSerializer())?.code == .unacceptableContentType)
        #expect(try ResponseExample(500, "a/b", "A").serialized(as: PictureSerializer().validating(.none)).width == 65)
        let error = ResponseExample(200, "image/png", "").error(as: .compound([PictureSerializer()]))
        #expect(error?.code == .responseSerializationFailed)
    }

    /// A decoder that counts the bytes of the body.
    private struct CountDecoder: ResponseDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
            guard let count = body.count as? Value else { throw NoPicture() }
            return count
        }
    }

    @Test func `a custom decoder can be plugged into a serializer`() throws {
        let example = ResponseExample(200, "a/b", "1234")
        #expect(try example.serialized(as: .decodable(Int.self, decoder: CountDecoder(), validation: .default)) == 4)
        let error = example.error(as: .decodable(String.self, decoder: CountDecoder(), validation: .default))
        #expect(error?.underlying is NoPicture)
    }

    @Test func `a manager's validation holds for each of its calls and runs first`() async throws {
        let transport = StubTransport { _ in .json(["error": "stale"] as JSONValue) }
        let session = SessionManager(transport: transport)
        var api = HTTPSessionManager(baseURL: "http://a.example/", session: session)
        #expect(try await api.get("x", as: .json) == ["error": "stale"] as JSONValue)
        api.validation = api.validation.requiring { _, body, _ in
            guard !body.starts(with: Data(#"{"error""#.utf8)) else { throw NoPicture() }
        }
        let manager = api
        let error = try await networkingError { try await manager.get("x", as: .json) }
        #expect(error.code == .responseRefused)
        #expect(error.parsedBody(as: JSONValue.self) == ["error": "stale"] as JSONValue)
        let task = try api.dataTask(.get, "x", as: .json)
        task.resume()
        #expect(try await networkingError { try await task.value }.code == .responseRefused)
        api.validation = .default
        #expect(try await api.get("x", as: .json) == ["error": "stale"] as JSONValue)
    }
}
