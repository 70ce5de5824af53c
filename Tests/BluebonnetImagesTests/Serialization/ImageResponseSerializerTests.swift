#if Images
    import Bluebonnet
    import BluebonnetImages
    import Foundation
    import HTTPTypes
    import LocalServer
    import Testing

    @Suite(.timeLimit(.minutes(2)))
    struct ImageResponseSerializerTests {
        private func respond(
            _ type: String,
            _ body: Data,
            status: Int = 200,
            _ use: (HTTPSessionManager) async throws -> Void
        ) async throws {
            let headers = [(name: "Content-Type", value: type)]
            try await FaultServer.run([.readRequest, .respond(status, headers: headers, bytes: Array(body))]) {
                server in
                try await withAPI(at: server.baseURL) { try await use($0) }
            }
        }

        @Test func `a response becomes an image`() async throws {
            try await respond("image/gif", SampleImage.animatedGIF) { api in
                var serializer = ImageResponseSerializer()
                serializer.imageScale = 2
                let image = try await api.get("x", as: serializer)
                #expect(image.frames.count == 3)
                #expect(image.scale == 2)
            }
        }

        @Test(arguments: [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp", "image/avif", "image/svg+xml",
        ])
        func `the media types of AFNetworking and of today are accepted`(type: String) async throws {
            // The format is recognized by the bytes, whatever the type says.
            try await respond(type, SampleImage.bmp) { api in
                let image = try await api.get("x", as: .image)
                #expect(image.width == 3)
            }
        }

        @Test(arguments: ["text/html", "application/octet-stream", "image/x-tga"])
        func `another media type is refused`(type: String) async throws {
            try await respond(type, SampleImage.bmp) { api in
                let error = try await networkingError { try await api.get("x", as: .image) }
                #expect(error.code == .unacceptableContentType)
            }
        }

        /// In AFNetworking it was a success without an image.
        @Test(arguments: [Data("not an image".utf8), SampleImage.turnedPNG.prefix(60), Data()])
        func `a body that cannot be decoded is an error with a reason`(body: Data) async throws {
            try await respond("image/png", body) { api in
                let error = try await networkingError { try await api.get("x", as: .image) }
                #expect(error.code == .responseSerializationFailed)
                let reason = (error.underlying as? ImageDecodingError)?.reason
                #expect(reason == (body.count == 60 ? .truncated : .unknownFormat))
                #expect(error.body == body)
            }
        }

        /// RFC 9110 §9.3.2 (HEAD), §15.3.5 (204), §15.4.5 (304): none of them has a body. (In
        /// AFNetworking they were successes without an image.)
        @Test(arguments: [
            (HTTPRequest.Method.head, "200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000"),
            (.get, "204 No Content"), (.get, "304 Not Modified\r\nETag: \"1\""),
        ])
        func `a response that has no body is an error, and not an image`(
            method: HTTPRequest.Method,
            head: String
        ) async throws {
            let response = "HTTP/1.1 \(head)\r\n\r\n"
            try await FaultServer.run(.requests { _ in [.send(response)] }) { server in
                try await withAPI(at: server.baseURL) { api in
                    for _ in 0..<2 {
                        let error = try await networkingError { try await api.response(method, "x", as: .image) }
                        #expect(error.code == .responseSerializationFailed)
                        #expect(error.body?.isEmpty != false)
                        let isNotModified = head.hasPrefix("304")
                        #expect(error.contains(.unacceptableStatusCode) == isNotModified)
                        let reason = (error.underlying as? ImageDecodingError)?.reason
                        #expect(isNotModified || reason == .unknownFormat)
                    }
                    // The connection is not out of step with its responses.
                    #expect(server.connections.count == 1)
                }
                let downloader = ImageDownloader()
                let url = try #require(URL(string: "\(server.baseURL)/x"))
                let request = ImageRequest(Request(method: method, url: url))
                let error = try await networkingError { try await downloader.image(for: request) }
                #expect(error.code == .responseSerializationFailed || error.code == .unacceptableStatusCode)
                #expect(downloader.activeCount == 0 && downloader.cachedImage(for: request) == nil)
            }
        }

        @Test func `the image of an error response is in the error`() async throws {
            try await respond("image/bmp", SampleImage.bmp, status: 404) { api in
                let error = try await networkingError { try await api.get("x", as: .image) }
                #expect(error.code == .unacceptableStatusCode)
                #expect(error.parsedBody(as: Image.self)?.width == 3)
            }
        }

        @Test func `a decoder makes images smaller`() async throws {
            var decoder = ImageDecoder()
            decoder.targetSize = ImageSize(width: 8, height: 8)
            try await respond("image/jpeg", SampleImage.progressiveJPEG) { api in
                let image = try await api.get("x", as: .image(decoder))
                #expect(image.width == 8)
            }
        }

        @Test func `an image is never decoded on an event loop`() {
            #expect(ImageResponseSerializer().isLengthy)
            #expect(CompoundResponseSerializer([ImageResponseSerializer()]).isLengthy)
        }
    }
#endif
