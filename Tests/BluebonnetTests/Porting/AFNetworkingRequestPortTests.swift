import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Requests of AFNetworking 4, as Swift imports it: methods, parameters, header fields.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingRequestPortTests {
    private let page = 2
    private let name = "tea & milk"
    private let tags = ["a", "b"]
    private let user = User(name: "Ada", age: 36)
    private let key = "s3cret"
    private let token = "abc.def"
    private let password = "pass word"

    @Test func `a GET with parameters`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.get("anything", parameters: ["page": page, "q": name, "tags": tags] as [String: Any], headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("anything", parameters: ["page": page, "q": name, "tags": tags]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["method"] == "GET")
            #expect(json["args"] == ["page": "2", "q": "tea & milk", "tags[]": ["a", "b"]])
        }
    }

    @Test func `a POST of a form`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.post("anything", parameters: ["user": name, "password": password], headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.post("anything", parameters: ["user": name, "password": password]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["form"] == ["user": "tea & milk", "password": "pass word"])
        }
    }

    @Test func `a POST of JSON`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.requestSerializer = AFJSONRequestSerializer()
            //     api.post("anything", parameters: ["page": page, "tags": tags] as [String: Any], headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.requestSerializer = JSONRequestSerializer()
            api.post("anything", parameters: ["page": page, "tags": tags]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["json"] == ["page": 2, "tags": ["a", "b"]])
            #expect(json["headers"]?["Content-Type"] == "application/json")
        }
    }

    @Test func `a PUT of a model as JSON`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.requestSerializer = AFJSONRequestSerializer()
            //     api.put("anything/7", parameters: ["name": user.name, "age": user.age] as [String: Any], headers: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.put("anything/7", body: .json(user)) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["method"] == "PUT")
            #expect(json["json"] == ["name": "Ada", "age": 36])
        }
    }

    @Test func `a PATCH of a form`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.patch("anything/7", parameters: ["name": name], headers: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.patch("anything/7", parameters: ["name": name]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["method"] == "PATCH")
            #expect(json["form"] == ["name": "tea & milk"])
        }
    }

    @Test func `a DELETE whose parameters are a query`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.delete("anything/7", parameters: ["page": page], headers: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.delete("anything/7", parameters: ["page": page]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["method"] == "DELETE")
            #expect(json["args"] == ["page": "2"])
        }
    }

    @Test func `a HEAD, whose task has the response`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.head("bytes/\(page)", parameters: nil, headers: nil) { task in
            //         let response = task.response as? HTTPURLResponse
            //         screen.show(response?.value(forHTTPHeaderField: "Content-Length"))
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.head("bytes/\(page)") { task in
                screen.show(task.head?[.contentLength])
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "2")
        }
    }

    @Test func `a call in which nobody cares for the result`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(204)] }) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                // Original (AFNetworking):
                //     api.post("seen/\(page)", parameters: nil, headers: nil, progress: nil, success: nil)
                // Ported:
                api.post("seen/\(page)", success: nil)
                // End
                try await server.waitForRequests(1)
                #expect(server.requests.first?.method == "POST")
                #expect(server.requests.first?.target == "/seen/2")
            }
        }
    }

    @Test func `header fields of one call`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.get("headers", parameters: nil, headers: ["X-Api-Key": key, "Accept": "text/csv"], progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("headers", headers: ["X-Api-Key": key, .accept: "text/csv"]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["headers"]?["X-Api-Key"]?.string == key)
            #expect(json["headers"]?["Accept"] == "text/csv")
        }
    }

    @Test func `a header field of every call`() async throws {
        try await withSnippet { api, _ in
            // Original (AFNetworking):
            //     api.requestSerializer.setValue(key, forHTTPHeaderField: "X-Api-Key")
            // Ported:
            try api.requestSerializer.setValue(key, forHeaderField: "X-Api-Key")
            // End
            let echo: Echo = try await api.get("anything")
            #expect(echo.headers["X-Api-Key"] == key)
        }
    }

    @Test func `a user name and a password with every call`() async throws {
        try await withSnippet { api, _ in
            // Original (AFNetworking):
            //     api.requestSerializer.setAuthorizationHeaderFieldWithUsername(user.name, password: password)
            // Ported:
            try api.requestSerializer.setAuthorization(username: user.name, password: password)
            // End
            let json = try await api.get("basic-auth/Ada/pass%20word", as: .json)
            #expect(json["authenticated"] == true)
        }
    }

    @Test func `a bearer token with every call, and none`() async throws {
        try await withSnippet { api, _ in
            // Original (AFNetworking):
            //     api.requestSerializer.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            // Ported:
            try api.requestSerializer.setAuthorization(bearerToken: token)
            // End
            let json = try await api.get("bearer", as: .json)
            #expect(json["token"]?.string == token)
            // Original (AFNetworking):
            //     api.requestSerializer.clearAuthorizationHeader()
            // Ported:
            api.requestSerializer.clearAuthorization()
            // End
            let manager = api
            let error = try await networkingError { try await manager.get("bearer") }
            #expect(error.response?.status == .unauthorized)
        }
    }

    @Test func `a timeout, and its error`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, _ in
                let screen = Screen<String>()
                // Original (AFNetworking):
                //     api.requestSerializer.timeoutInterval = 0.1
                //     api.get("slow", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
                //         if (error as NSError).code == NSURLErrorTimedOut { screen.show("Try again later.") }
                //     }
                // Ported:
                api.requestSerializer.timeoutInterval = .milliseconds(100)
                api.get("slow", success: nil) { _, error in
                    if error.isTimeout { screen.show("Try again later.") }
                }
                // End
                let shown = try await screen.shown
                #expect(shown == "Try again later.")
            }
        }
    }

    @Test func `the methods whose parameters are a query`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.requestSerializer.httpMethodsEncodingParametersInURI = ["GET", "HEAD"]
            //     api.delete("anything", parameters: ["page": page], headers: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.requestSerializer.methodsEncodingParametersInURI = [.get, .head]
            api.delete("anything", parameters: ["page": page]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown["form"] == ["page": "2"])
        }
    }

    @Test func `a query of one's own`() async throws {
        try await withSnippet { api, _ in
            // Original (AFNetworking):
            //     api.requestSerializer.setQueryStringSerializationWith { _, parameters, _ in
            //         (parameters as! [String: String]).map { "\($0):\($1)" }.joined(separator: "|")
            //     }
            // Ported:
            api.requestSerializer.parameterEncoding = .custom { _, parameters in
                (parameters.object ?? [:]).map { "\($0):\($1.string ?? "")" }.joined(separator: "|")
            }
            // End
            let echo: Echo = try await api.post("anything", parameters: ["a": "b"])
            #expect(echo.form == ["a:b": ""])
        }
    }

    @Test func `JSON for people to read`() async throws {
        try await withSnippet { api, _ in
            // Original (AFNetworking):
            //     api.requestSerializer = AFJSONRequestSerializer(writingOptions: [.prettyPrinted, .sortedKeys])
            // Ported:
            api.requestSerializer = JSONRequestSerializer(writingOptions: [.prettyPrinted, .sortedKeys])
            // End
            let echo: Echo = try await api.post("anything", body: user)
            #expect(echo.data?.contains("\n  \"age\"") == true)
        }
    }

    @Test func `a property list as a body`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.requestSerializer = AFPropertyListRequestSerializer()
            //     api.put("anything", parameters: ["name": name], headers: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.requestSerializer = PropertyListRequestSerializer()
            api.put("anything", parameters: ["name": name]) { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let json = try await screen.shown
            #expect(json["headers"]?["Content-Type"] == "application/x-plist")
            #expect(json["data"]?.string?.contains("<string>tea &amp; milk</string>") == true)
        }
    }

    @Test func `a request that is made and not sent`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (AFNetworking):
            //     let request = try api.requestSerializer.request(withMethod: "GET", urlString: url, parameters: ["q": name])
            // Ported:
            let request = try api.request(.get, url, parameters: ["q": name])
            // End
            #expect(request.url.absoluteString == url + "?q=tea%20%26%20milk")
        }
    }

    @Test func `a path that is resolved`() async throws {
        try await withSnippet { api, base in
            let path = "users/\(page)"
            // Original (AFNetworking):
            //     let url = URL(string: path, relativeTo: api.baseURL)?.absoluteURL
            // Ported:
            let url = try api.request(.get, path).url
            // End
            #expect(url.absoluteString == base + "users/2")
        }
    }

    @Test func `the escaping of one text`() {
        // Original (AFNetworking):
        //     let text = AFPercentEscapedStringFromString(name)
        // Ported:
        let text = QueryString().escape(name)
        // End
        #expect(text == "tea%20%26%20milk")
    }
}
