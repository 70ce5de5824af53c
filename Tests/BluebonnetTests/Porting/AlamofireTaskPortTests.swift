import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Uploads, downloads, streams, adapters and control of tasks in Alamofire 5.
@Suite(.timeLimit(.minutes(5)))
struct AlamofireTaskPortTests {
    private actor Tokens {
        private(set) var number = 0

        var current: String { "\(number)" }

        func renew() { number += 1 }
    }

    private let name = "Ada"
    private let data = Data("PNG".utf8)
    private let key = "s3cret"
    private let count = 100_000

    @Test func `an upload of bytes`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.upload(data, to: url).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.post(url, body: data)
            // End
            #expect(echo.data == "PNG")
        }
    }

    @Test func `an upload of a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try data.write(to: file)
            try await withSnippet { api, base in
                let url = base + "anything"
                // Original (Alamofire):
                //     let echo = try await AF.upload(file, to: url, method: .put).serializingDecodable(Echo.self).value
                // Ported:
                let echo: Echo = try await api.put(url, body: .file(file))
                // End
                #expect(echo.method == "PUT")
                #expect(echo.data == "PNG")
            }
        }
    }

    @Test func `an upload of a file with its progress`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try data.write(to: file)
            try await withSnippet { api, base in
                let (fractions, url) = (EventLog<Double>(), base + "anything")
                // Original (Alamofire):
                //     let echo = try await AF.upload(file, to: url).uploadProgress { progress in
                //         fractions.append(progress.fractionCompleted)
                //     }.serializingDecodable(Echo.self).value
                // Ported:
                let echo: Echo = try await api.upload(url, from: .file(file)) { progress in
                    fractions.append(progress.fractionCompleted ?? 0)
                }
                // End
                #expect(echo.data == "PNG" && fractions.events.last == 1)
            }
        }
    }

    @Test func `a stream that is made first and started later`() async throws {
        try await withSnippet { api, base in
            let (url, received) = (base + "stream-bytes/\(count)", Counter())
            // Original (Alamofire):
            //     let request = AF.streamRequest(url).validate()
            //     let data = request.streamTask().streamingData(automaticallyCancelling: true)
            //     request.resume()
            //     for await stream in data {
            //         if case .stream(.success(let data)) = stream.event { received.add(data.count) }
            //     }
            // Ported:
            let task = try api.streamTask(.get, url)
            task.resume()
            for try await data in try await task.value.body { received.add(data.count) }
            // End
            #expect(received.value == count)
        }
    }

    @Test func `an upload of a stream`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            let stream = Pieces(["P", "N", "G"])
            // Original (Alamofire):
            //     let echo = try await AF.upload(stream, to: url).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.post(url, body: .stream(stream))
            // End
            #expect(echo.data == "PNG")
        }
    }

    @Test func `an upload of a form with a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try data.write(to: file)
            try await withSnippet { api, base in
                let url = base + "anything"
                // Original (Alamofire):
                //     let request = AF.upload(multipartFormData: { form in
                //         form.append(Data(name.utf8), withName: "user")
                //         form.append(file, withName: "photo")
                //     }, to: url)
                //     let echo = try await request.serializingDecodable(Echo.self).value
                // Ported:
                let form = RequestContent.multipart { [name] form in
                    form.append(name, name: "user")
                    try form.append(fileURL: file, name: "photo")
                }
                let echo: Echo = try await api.post(url, body: form)
                // End
                #expect(echo.form == ["user": "Ada"])
                #expect(echo.files == ["photo": "PNG"])
            }
        }
    }

    @Test func `an upload of a form with bytes`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Echo>()
            let url = base + "anything"
            // Original (Alamofire):
            //     AF.upload(multipartFormData: { form in
            //         form.append(data, withName: "photo", fileName: "photo.png", mimeType: "image/png")
            //     }, to: url).validate().responseDecodable(of: Echo.self) { response in
            //         switch response.result {
            //         case .success(let echo): screen.show(echo)
            //         case .failure(let error): screen.fail(error)
            //         }
            //     }
            // Ported:
            api.post(url, as: .decodable(Echo.self)) { form in
                form.append(data, name: "photo", fileName: "photo.png", mimeType: "image/png")
            } success: { _, echo in
                screen.show(echo)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown.files == ["photo": "PNG"])
        }
    }

    @Test func `the progress of an upload`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Data?>()
            let fractions = EventLog<Double>()
            let url = base + "anything"
            // Original (Alamofire):
            //     AF.upload(data, to: url).uploadProgress { progress in
            //         fractions.append(progress.fractionCompleted)
            //     }.responseData { response in
            //         screen.show(response.value)
            //     }
            // Ported:
            api.post(url, body: .data(data), as: .data) { progress in
                fractions.append(progress.upload.fractionCompleted ?? 0)
            } success: { _, data in
                screen.show(data)
            }
            // End
            let shown = try await screen.shown
            #expect(shown?.isEmpty == false)
            #expect(fractions.events.last == 1)
        }
    }

    @Test func `the progress of a download`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Data?>()
            let fractions = EventLog<Double>()
            let url = base + "bytes/\(count)"
            // Original (Alamofire):
            //     AF.request(url).downloadProgress { progress in
            //         fractions.append(progress.fractionCompleted)
            //     }.responseData { response in
            //         screen.show(response.value)
            //     }
            // Ported:
            api.get(url, as: .data) { progress in
                fractions.append(progress.fractionCompleted ?? 0)
            } success: { _, data in
                screen.show(data)
            }
            // End
            let shown = try await screen.shown
            #expect(shown?.count == count)
            #expect(fractions.events.last == 1)
        }
    }

    @Test func `a download to a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "new/bytes")
            try await withSnippet { api, base in
                let url = base + "bytes/\(count)"
                // Original (Alamofire):
                //     let destination: DownloadRequest.Destination = { _, _ in (file, [.removePreviousFile, .createIntermediateDirectories]) }
                //     let saved = try await AF.download(url, to: destination).validate().serializingDownloadedFileURL().value
                // Ported:
                let saved = try await api.download(url, to: .file(file, options: .createDirectories))
                // End
                #expect(try Data(contentsOf: saved).count == count)
            }
        }
    }

    @Test func `a download that never is in memory`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "bytes")
            try await withSnippet { api, base in
                let url = base + "bytes/\(count)"
                // Original (Alamofire):
                //     _ = try await AF.download(url, to: { _, _ in (file, .removePreviousFile) }).validate().serializingDownloadedFileURL().value
                // Ported:
                try await api.download(url, to: file)
                // End
                #expect(try Data(contentsOf: file).count == count)
            }
        }
    }

    @Test func `bytes as they come`() async throws {
        try await withSnippet { api, base in
            let received = Counter()
            let url = base + "stream-bytes/\(count)"
            // Original (Alamofire):
            //     for await stream in AF.streamRequest(url).streamTask().streamingData() {
            //         switch stream.event {
            //         case .stream(.success(let data)): received.add(data.count)
            //         case .complete(let completion): if let error = completion.error { throw error }
            //         }
            //     }
            // Ported:
            for try await data in api.stream(url) {
                received.add(data.count)
            }
            // End
            #expect(received.value == count)
        }
    }

    @Test func `lines as they come`() async throws {
        try await withSnippet { api, base in
            let received = EventLog<JSONValue>()
            let url = base + "stream/3"
            // Original (Alamofire):
            //     var rest = ""
            //     for await stream in AF.streamRequest(url).streamTask().streamingStrings() {
            //         var lines = (rest + (stream.value ?? "")).components(separatedBy: "\n")
            //         rest = lines.removeLast()
            //         for line in lines { received.append(try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))) }
            //     }
            // Ported:
            for try await line in api.stream(url).jsonLines(of: JSONValue.self) {
                received.append(line)
            }
            // End
            #expect(received.events.map { $0["id"] } == [0, 1, 2])
        }
    }

    @Test func `an adapter of all requests`() async throws {
        var configuration = SessionConfiguration()
        // Original (Alamofire):
        //     let adapter = Adapter { request, _, completion in
        //         var request = request
        //         request.headers.add(.authorization(bearerToken: key))
        //         completion(.success(request))
        //     }
        //     let session = Session(interceptor: adapter)
        // Ported:
        let adapter = RequestAdapter { request in
            request.headerFields[.authorization] = "Bearer \(key)"
        }
        configuration.interceptors = [adapter]
        let session = SessionManager(configuration: configuration)
        // End
        try await LocalServer.run { server in
            let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
            let json = try await api.get("bearer", as: .json)
            #expect(json["token"]?.string == key)
            await session.shutdown()
        }
    }

    @Test func `an adapter of one request, which waits`() async throws {
        try await withSnippet { api, base in
            let url = base + "bearer"
            let token = { @Sendable () async throws in "abc.def" }
            // Original (Alamofire):
            //     let authorization = Adapter { request, _, completion in
            //         Task {
            //             do {
            //                 var request = request
            //                 request.headers.add(.authorization(bearerToken: try await token()))
            //                 completion(.success(request))
            //             } catch {
            //                 completion(.failure(error))
            //             }
            //         }
            //     }
            //     let data = try await AF.request(url, interceptor: authorization).serializingData().value
            // Ported:
            let authorization = RequestAdapter { request in
                request.headerFields[.authorization] = "Bearer \(try await token())"
            }
            let data: Data = try await api.get(url, options: [.interceptor(authorization)])
            // End
            #expect(try JSONValue(parsing: data)["token"] == "abc.def")
        }
    }

    @Test func `a token that is renewed`() async throws {
        let script = FaultServer.Script.requests { request in
            [.respond(request.headText.contains("Bearer 1") ? 200 : 401, body: "ok")]
        }
        let server = try await FaultServer.start(script)
        try await withSnippet(at: server.baseURL + "/") { api, base in
            let url = base + "private"
            let tokens = Tokens()
            // Original (Alamofire):
            //     struct Authentication: RequestInterceptor {
            //         let tokens: Tokens
            //
            //         func adapt(_ request: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void) {
            //             Task {
            //                 var request = request
            //                 request.headers.add(.authorization(bearerToken: await tokens.current))
            //                 completion(.success(request))
            //             }
            //         }
            //
            //         func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void) {
            //             guard request.response?.statusCode == 401, request.retryCount == 0 else { return completion(.doNotRetry) }
            //             Task {
            //                 await tokens.renew()
            //                 completion(.retry)
            //             }
            //         }
            //     }
            //     let authentication = Authentication(tokens: tokens)
            //     let text = try await AF.request(url, interceptor: authentication).validate().serializingString().value
            // Ported:
            struct Authentication: Interceptor {
                let tokens: Tokens

                func intercept(_ first: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse
                {
                    var request = first
                    request.headerFields[.authorization] = "Bearer \(await tokens.current)"
                    let response = try await next(request)
                    guard response.head.status == .unauthorized else { return response }
                    await response.body.discard()
                    await tokens.renew()
                    request.headerFields[.authorization] = "Bearer \(await tokens.current)"
                    return try await next(request)
                }
            }
            let authentication = Authentication(tokens: tokens)
            let text = try await api.get(url, options: [.interceptor(authentication)], as: .string)
            // End
            #expect(text == "ok")
            #expect(server.requests.count == 2)
        }
        await server.shutdown()
    }

    @Test func `a compressed body`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            let user = User(name: String(repeating: "Ada", count: 1000), age: 36)
            // Original (Alamofire):
            //     let echo = try await AF.request(url, method: .post, parameters: user, encoder: .json, interceptor: .deflateCompressor)
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let compression = RequestCompression(.deflate)
            let echo: Echo = try await api.post(url, body: .json(user), options: [.interceptor(compression)])
            // End
            #expect(echo.headers["Content-Encoding"] == "deflate")
        }
    }

    @Test func `a redirect that is not followed`() async throws {
        try await withSnippet { api, base in
            let url = base + "redirect/1"
            // Original (Alamofire):
            //     let response = await AF.request(url).redirect(using: .doNotFollow).serializingData().response
            //     let location = response.response?.headers["Location"]
            // Ported:
            let response = try await api.response(.get, url, options: [.redirectPolicy(.manual)], as: .unvalidatedData)
            let location = response.head[.location]
            // End
            #expect(location == "/get")
        }
    }

    @Test func `all requests that are cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let screen = Screen<Bool>()
                let session = api.session
                api.get("slow", success: nil) { _, error in screen.show(error.isCancelled) }
                try await server.waitForRequests(1)
                // Original (Alamofire):
                //     session.cancelAllRequests()
                // Ported:
                session.cancelAllTasks()
                // End
                let shown = try await screen.shown
                #expect(shown)
            }
        }
    }

    @Test func `a request that waits`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Int?>()
            let url = base + "bytes/\(count)"
            // Original (Alamofire):
            //     let request = AF.request(url).responseData { response in
            //         screen.show(response.value?.count)
            //     }
            //     request.suspend()
            //     request.resume()
            // Ported:
            let request = api.get(url, as: .data) { _, data in
                screen.show(data.count)
            }
            request?.suspend()
            request?.resume()
            // End
            let shown = try await screen.shown
            #expect(shown == count)
        }
    }

    @Test func `a log of what happens`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String>()
            // Original (Alamofire):
            //     struct Log: EventMonitor {
            //         let screen: Screen<String>
            //
            //         func requestDidResume(_ request: Request) {
            //             screen.show("\(request) began")
            //         }
            //
            //         func requestDidFinish(_ request: Request) {
            //             screen.show("\(request) is over")
            //         }
            //     }
            //     let session = Session(eventMonitors: [Log(screen: screen)])
            // Ported:
            let events = api.session.events
            Task {
                for await event in events {
                    guard let task = event.task else { continue }
                    if event.kind == .didResume { screen.show("\(task) began") }
                    if event.kind == .didComplete { screen.show("\(task) is over") }
                }
            }
            // End
            try await api.get("json")
            let (first, second) = (try await screen.shown, try await screen.shown)
            #expect(first.hasSuffix("began"))
            #expect(second.hasSuffix("is over"))
        }
    }

    @Test func `a server whose certificate nobody knows`() async throws {
        let identity = try TestCertificates.shared().localhost
        try await LocalServer.run(.init(tls: ServerTLS(identity))) { server in
            var configuration = SessionConfiguration()
            // Original (Alamofire):
            //     let trust = ServerTrustManager(evaluators: ["localhost": DisabledTrustEvaluator()])
            //     let session = Session(serverTrustManager: trust)
            // Ported:
            configuration.securityPolicy = .acceptingAnyCertificate
            let session = SessionManager(configuration: configuration)
            // End
            let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
            let json = try await api.get("json", as: .json)
            #expect(json["slideshow"] != nil)
            await session.shutdown()
        }
    }
}
