import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Tasks of AFNetworking 4, as Swift imports it: forms with files, uploads, downloads, progress,
/// control.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingTaskPortTests {
    private let name = "Ada"
    private let data = Data("PNG".utf8)
    private let count = 100_000

    @Test func `a form with a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try data.write(to: file)
            try await withSnippet { api, _ in
                let screen = Screen<JSONValue>()
                // Original (AFNetworking):
                //     api.post("anything", parameters: ["user": name], headers: nil, constructingBodyWith: { form in
                //         try? form.appendPart(withFileURL: file, name: "photo")
                //     }, progress: nil) { _, json in
                //         screen.show(json)
                //     } failure: { _, error in
                //         screen.fail(error)
                //     }
                // Ported:
                api.post("anything", parameters: ["user": name]) { form in
                    try form.append(fileURL: file, name: "photo")
                } success: { _, json in
                    screen.show(json)
                } failure: { _, error in
                    screen.fail(error)
                }
                // End
                let json = try await screen.shown
                #expect(json["form"] == ["user": "Ada"])
                #expect(json["files"] == ["photo": "PNG"])
            }
        }
    }

    @Test func `a form with bytes and a field`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.post("anything", parameters: nil, headers: nil, constructingBodyWith: { form in
            //         form.appendPart(withForm: Data(name.utf8), name: "user")
            //         form.appendPart(withFileData: data, name: "photo", fileName: "photo.png", mimeType: "image/png")
            //     }, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.post("anything") { form in
                form.append(name, name: "user")
                form.append(data, name: "photo", fileName: "photo.png", mimeType: "image/png")
            } success: { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["form"] == ["user": "Ada"])
            #expect(json["files"] == ["photo": "PNG"])
        }
    }

    @Test func `a form with a stream`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            let stream = Pieces(["P", "NG"])
            // Original (AFNetworking):
            //     api.post("anything", parameters: nil, headers: nil, constructingBodyWith: { form in
            //         form.appendPart(with: stream, name: "photo", fileName: "photo.png", length: 3, mimeType: "image/png")
            //     }, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.post("anything") { form in
                form.append(stream: stream, name: "photo", fileName: "photo.png", length: 3, mimeType: "image/png")
            } success: { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown["files"] == ["photo": "PNG"])
        }
    }

    @Test func `a form for a slow line`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.post("anything", parameters: nil, headers: nil, constructingBodyWith: { form in
            //         form.appendPart(withForm: data, name: "photo")
            //         form.throttleBandwidth(withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: kAFUploadStream3GSuggestedDelay)
            //     }, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.post("anything") { form in
                form.append(data, name: "photo")
                form.throttle = .suggestedFor3G
            } success: { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown["form"] == ["photo": "PNG"])
        }
    }

    @Test func `a form that is written to a file first`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "form")
            try await withSnippet { api, base in
                let screen = Screen<URL>()
                let url = base + "anything"
                // Original (AFNetworking):
                //     let form = api.requestSerializer.multipartFormRequest(withMethod: "POST", urlString: url, parameters: ["user": name], constructingBodyWith: { form in
                //         form.appendPart(withFileData: data, name: "photo", fileName: "photo.png", mimeType: "image/png")
                //     }, error: nil)
                //     api.requestSerializer.request(withMultipartForm: form as URLRequest, writingStreamContentsToFile: file) { error in
                //         if let error { screen.fail(error) } else { screen.show(file) }
                //     }
                // Ported:
                let request = try await api.request(.post, url, parameters: ["user": name], writingTo: file) { form in
                    form.append(data, name: "photo", fileName: "photo.png", mimeType: "image/png")
                }
                screen.show(file)
                // End
                let shown = try await screen.shown
                #expect(shown == file)
                let echo: Echo = try await api.send(request)
                #expect(echo.files == ["photo": "PNG"])
                #expect(try names(in: directory) == ["form"])
            }
        }
    }

    @Test func `an upload of a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try data.write(to: file)
            try await withSnippet { api, base in
                let screen = Screen<JSONValue>()
                let url = base + "anything"
                // Original (AFNetworking):
                //     let request = try api.requestSerializer.request(withMethod: "PUT", urlString: url, parameters: nil)
                //     let task = api.uploadTask(with: request as URLRequest, fromFile: file, progress: nil) { _, json, error in
                //         if let error { screen.fail(error) } else { screen.show(json) }
                //     }
                //     task.resume()
                // Ported:
                api.put(url, body: .file(file)) { _, json in
                    screen.show(json)
                } failure: { _, error in
                    screen.fail(error)
                }
                // End
                let json = try await screen.shown
                #expect(json["data"] == "PNG")
                #expect(json["headers"]?["Content-Type"] == "image/png")
            }
        }
    }

    @Test func `an upload of bytes, with its progress`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<JSONValue>()
            let fractions = EventLog<Double>()
            let url = base + "anything"
            // Original (AFNetworking):
            //     let request = try api.requestSerializer.request(withMethod: "POST", urlString: url, parameters: nil)
            //     let task = api.uploadTask(with: request as URLRequest, from: data) { progress in
            //         fractions.append(progress.fractionCompleted)
            //     } completionHandler: { _, json, error in
            //         if let error { screen.fail(error) } else { screen.show(json) }
            //     }
            //     task.resume()
            // Ported:
            api.upload(url, from: .data(data)) { progress in
                fractions.append(progress.fractionCompleted ?? 0)
            } success: { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown["data"] == "PNG")
            #expect(fractions.events.last == 1)
        }
    }

    @Test func `a download to a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "bytes")
            try await withSnippet { api, base in
                let screen = Screen<URL>()
                let url = base + "bytes/\(count)"
                // Original (AFNetworking):
                //     let request = URLRequest(url: URL(string: url)!)
                //     let task = api.downloadTask(with: request, progress: nil, destination: { _, _ in file }) { _, file, error in
                //         if let error { screen.fail(error) } else { screen.show(file!) }
                //     }
                //     task.resume()
                // Ported:
                api.download(url, to: file) { _, file in
                    screen.show(file)
                } failure: { _, error in
                    screen.fail(error)
                }
                // End
                let saved = try Data(contentsOf: await screen.shown)
                #expect(saved.count == count)
            }
        }
    }

    @Test func `the progress of a GET`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<Data?>()
            let fractions = EventLog<Double>()
            // Original (AFNetworking):
            //     api.responseSerializer = AFHTTPResponseSerializer()
            //     api.get("bytes/\(count)", parameters: nil, headers: nil) { progress in
            //         fractions.append(progress.fractionCompleted)
            //     } success: { _, data in
            //         screen.show(data as? Data)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("bytes/\(count)", as: .data) { progress in
                fractions.append(progress.fractionCompleted ?? 0)
            } success: { _, data in
                screen.show(data)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown?.count == count)
            #expect(fractions.events.last == 1)
        }
    }

    @Test func `bytes as they come`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Int>()
            let received = Counter()
            let url = base + "stream-bytes/\(count)"
            // Original (AFNetworking):
            //     api.responseSerializer = AFHTTPResponseSerializer()
            //     api.setDataTaskDidReceiveDataBlock { _, _, data in
            //         received.add(data.count)
            //     }
            //     api.get(url, parameters: nil, headers: nil, progress: nil) { _, _ in
            //         screen.show(received.value)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            for try await data in api.stream(url) {
                received.add(data.count)
            }
            screen.show(received.value)
            // End
            let shown = try await screen.shown
            #expect(shown == count)
        }
    }

    @Test func `a task that is cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let screen = Screen<String>()
                // Original (AFNetworking):
                //     let task = api.get("slow", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
                //         if (error as NSError).code == NSURLErrorCancelled { screen.show("cancelled") }
                //     }
                //     task?.cancel()
                // Ported:
                let task = api.get("slow", success: nil) { _, error in
                    if error.isCancelled { screen.show("cancelled") }
                }
                task?.cancel()
                // End
                let shown = try await screen.shown
                #expect(shown == "cancelled")
            }
        }
    }

    @Test func `all tasks that are cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let screen = Screen<String>()
                for number in 1...3 {
                    api.get("slow/\(number)", success: nil) { _, error in screen.show("\(error.isCancelled)") }
                }
                try await server.waitForRequests(3)
                // Original (AFNetworking):
                //     api.tasks.forEach { $0.cancel() }
                // Ported:
                api.session.cancelAllTasks()
                // End
                for _ in 1...3 {
                    let shown = try await screen.shown
                    #expect(shown == "true")
                }
            }
        }
    }

    @Test func `a task that is made first and started later`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     let task = api.dataTask(withHTTPMethod: "GET", urlString: "json", parameters: nil, headers: nil, uploadProgress: nil, downloadProgress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            //     task?.resume()
            // Ported:
            let task = try api.dataTask(.get, "json", as: .json)
            task.whenComplete { result in
                do { screen.show(try result.get().value) } catch { screen.fail(error) }
            }
            task.resume()
            // End
            let shown = try await screen.shown
            #expect(shown["slideshow"] != nil)
        }
    }

    @Test func `a request of one's own in a session`() async throws {
        try await withSnippet { api, base in
            let manager = api.session
            let screen = Screen<JSONValue?>()
            let url = try #require(URL(string: base + "json"))
            // Original (AFNetworking):
            //     let task = manager.dataTask(with: URLRequest(url: url), uploadProgress: nil, downloadProgress: nil) { _, json, _ in
            //         screen.show(json)
            //     }
            //     task.resume()
            // Ported:
            let task = manager.dataTask(for: Request(url: url), as: .json)
            task.whenComplete { screen.show(try? $0.get().value) }
            task.resume()
            // End
            let shown = try await screen.shown
            #expect(shown?["slideshow"] != nil)
        }
    }

    @Test func `the tasks that run`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let manager = api.session
                api.get("slow", success: nil)
                // Original (AFNetworking):
                //     let urls = manager.tasks.filter { $0.state == .running }.compactMap { $0.originalRequest?.url }
                // Ported:
                let urls = manager.tasks.filter { $0.state == .running }.map { $0.originalRequest.url }
                // End
                #expect(urls.map(\.path) == ["/slow"])
            }
        }
    }

    @Test func `a task that waits`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            let task = api.get("json") { _, json in screen.show(json) }
            // Original (AFNetworking):
            //     task?.suspend()
            //     if task?.state == .suspended { task?.resume() }
            // Ported:
            task?.suspend()
            if task?.state == .suspended { task?.resume() }
            // End
            let shown = try await screen.shown
            #expect(shown["slideshow"] != nil)
        }
    }

    @Test func `the end of a session`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let screen = Screen<NetworkingError>()
                api.get("slow", success: nil) { _, error in screen.show(error) }
                // Original (AFNetworking):
                //     api.invalidateSessionCancelingTasks(true, resetSession: false)
                // Ported:
                api.session.invalidate()
                // End
                let shown = try await screen.shown
                #expect(shown.code == .sessionInvalidated)
            }
        }
    }

    @Test func `a redirect that is not followed`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil }
            //     api.get("redirect/1", parameters: nil, headers: nil, progress: nil, success: nil) { task, _ in
            //         screen.show((task?.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location"))
            //     }
            // Ported:
            api.get("redirect/1", options: [.redirectPolicy(.manual)], success: nil) { task, _ in
                screen.show(task?.head?[.location])
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "/get")
        }
    }

    @Test func `an observer of all tasks`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<URL?>()
            let session = api.session
            // Original (AFNetworking):
            //     NotificationCenter.default.addObserver(forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil) { note in
            //         let task = note.object as? URLSessionTask
            //         screen.show(task?.originalRequest?.url)
            //     }
            // Ported:
            let ends = session.events.filter { $0.kind == .didComplete }
            Task {
                for await end in ends { screen.show(end.task?.originalRequest.url) }
            }
            // End
            try await api.get("json")
            let shown = try await screen.shown
            #expect(shown?.path == "/json")
        }
    }

    @Test func `a server whose certificate nobody knows`() async throws {
        let identity = try TestCertificates.shared().localhost
        try await LocalServer.run(.init(tls: ServerTLS(identity))) { server in
            var configuration = SessionConfiguration()
            // Original (AFNetworking):
            //     api.securityPolicy.allowInvalidCertificates = true
            //     api.securityPolicy.validatesDomainName = false
            // Ported:
            configuration.securityPolicy = .acceptingAnyCertificate
            // End
            try await withSnippet(at: server.baseURL + "/", configuration) { api, _ in
                let json = try await api.get("json", as: .json)
                #expect(json["slideshow"] != nil)
            }
        }
    }
}
