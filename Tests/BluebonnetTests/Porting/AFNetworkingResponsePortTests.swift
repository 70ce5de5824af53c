import Bluebonnet
import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Responses in AFNetworking 4, as Swift imports it: serializers, validation, values, errors.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingResponsePortTests {
    private let count = 5

    @Test func `a value in JSON`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.get("json", parameters: nil, headers: nil, progress: nil) { _, json in
            //         let show = (json as? [String: Any])?["slideshow"] as? [String: Any]
            //         screen.show(show?["title"] as? String)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("json") { _, json in
                let show = json["slideshow"]
                screen.show(show?["title"]?.string)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "A field in spring")
        }
    }

    @Test func `a model`() async throws {
        try await withResponse("application/json", #"{"name":"Ada","age":36}"#) { api, _ in
            let screen = Screen<User>()
            // Original (AFNetworking):
            //     api.get("users/1", parameters: nil, headers: nil, progress: nil) { _, json in
            //         guard let json = json as? [String: Any], let name = json["name"] as? String, let age = json["age"] as? Int else { return }
            //         screen.show(User(name: name, age: age))
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("users/1", as: .decodable(User.self)) { _, user in
                screen.show(user)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == User(name: "Ada", age: 36))
        }
    }

    @Test func `a list of models`() async throws {
        try await withResponse("application/json", #"[{"name":"Ada","age":36},{"name":"Alan","age":41}]"#) { api, _ in
            let screen = Screen<[User]>()
            // Original (AFNetworking):
            //     api.get("users", parameters: nil, headers: nil, progress: nil) { _, json in
            //         let users = (json as? [[String: Any]] ?? []).map { User(name: $0["name"] as! String, age: $0["age"] as! Int) }
            //         screen.show(users)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("users", as: .decodable([User].self)) { _, users in
                screen.show(users)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown.map(\.name) == ["Ada", "Alan"])
        }
    }

    @Test func `the bytes of a response`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<Data?>()
            // Original (AFNetworking):
            //     api.responseSerializer = AFHTTPResponseSerializer()
            //     api.get("bytes/\(count)", parameters: nil, headers: nil, progress: nil) { _, data in
            //         screen.show(data as? Data)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("bytes/\(count)", as: .data) { _, data in
                screen.show(data)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown?.count == count)
        }
    }

    @Test func `the text of a response`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.responseSerializer = AFHTTPResponseSerializer()
            //     api.get("robots.txt", parameters: nil, headers: nil, progress: nil) { _, data in
            //         screen.show(String(data: data as! Data, encoding: .utf8))
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("robots.txt", as: .string) { _, text in
                screen.show(text)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown?.contains("Disallow") == true)
        }
    }

    @Test func `XML that is parsed by events`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<[String]>()
            // Original (AFNetworking):
            //     class Items: NSObject, XMLParserDelegate {
            //         var names: [String] = []
            //         func parser(_ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]) {
            //             names.append(name)
            //         }
            //     }
            //     api.responseSerializer = AFXMLParserResponseSerializer()
            //     api.get("xml", parameters: nil, headers: nil, progress: nil) { _, parser in
            //         let items = Items()
            //         (parser as? XMLParser)?.delegate = items
            //         (parser as? XMLParser)?.parse()
            //         screen.show(items.names)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("xml", as: .xmlEvents) { _, events in
                var events = events
                var names: [String] = []
                while let event = try? events.next() {
                    if case .startElement(let element) = event { names.append(element.name.local) }
                }
                screen.show(names)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown.prefix(3) == ["slideshow", "slide", "title"])
        }
    }

    @Test func `a property list`() async throws {
        let text = "<plist><dict><key>name</key><string>Ada</string></dict></plist>"
        try await withResponse("application/x-plist", text) { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.responseSerializer = AFPropertyListResponseSerializer()
            //     api.get("users/1", parameters: nil, headers: nil, progress: nil) { _, list in
            //         screen.show((list as? [String: Any])?["name"] as? String)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("users/1", as: .propertyList) { _, list in
                screen.show(list?["name"]?.string)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "Ada")
        }
    }

    @Test func `JSON, or else the bytes`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String>()
            // Original (AFNetworking):
            //     let serializers = [AFJSONResponseSerializer(), AFHTTPResponseSerializer()]
            //     api.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: serializers)
            //     api.get("robots.txt", parameters: nil, headers: nil, progress: nil) { _, object in
            //         if let data = object as? Data { screen.show("\(data.count) bytes") } else { screen.show("\(object!)") }
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            let text = CompoundResponseSerializer<String>.Alternative.trying(.json) { "\($0)" }
            let size = CompoundResponseSerializer<String>.Alternative.trying(.data) { "\($0.count) bytes" }
            api.get("robots.txt", as: .compound(text, size)) { _, text in
                screen.show(text)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "30 bytes")
        }
    }

    @Test func `JSON that says it is HTML`() async throws {
        try await withResponse("text/html", #"{"name":"Ada"}"#) { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.responseSerializer.acceptableContentTypes?.insert("text/html")
            //     api.get("users/1", parameters: nil, headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.responseSerializer.acceptableContentTypes.insert("text/html")
            api.get("users/1") { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == ["name": "Ada"])
        }
    }

    @Test func `other status codes that are accepted`() async throws {
        try await withResponse("application/json", #"{"reason":"gone"}"#, status: 404) { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     api.responseSerializer.acceptableStatusCodes = IndexSet(200..<500)
            //     api.get("users/1", parameters: nil, headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.responseSerializer.acceptableStatusCodes = Set(200..<500)
            api.get("users/1") { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == ["reason": "gone"])
        }
    }

    @Test func `JSON without nulls`() async throws {
        try await withResponse("application/json", #"{"name":"Ada","age":null}"#) { api, _ in
            let screen = Screen<JSONValue>()
            // Original (AFNetworking):
            //     let serializer = AFJSONResponseSerializer()
            //     serializer.removesKeysWithNullValues = true
            //     api.responseSerializer = serializer
            //     api.get("users/1", parameters: nil, headers: nil, progress: nil) { _, json in
            //         screen.show(json)
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.responseSerializer = JSONResponseSerializer(removesKeysWithNullValues: true)
            api.get("users/1") { _, json in
                screen.show(json)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == ["name": "Ada"])
        }
    }

    @Test func `a field of the response`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.get("json", parameters: nil, headers: nil, progress: nil) { task, _ in
            //         let response = task.response as? HTTPURLResponse
            //         screen.show(response?.value(forHTTPHeaderField: "Content-Type"))
            //     } failure: { _, error in
            //         screen.fail(error)
            //     }
            // Ported:
            api.get("json") { task, _ in
                screen.show(task.head?[.contentType])
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "application/json")
        }
    }

    @Test func `the status of an error`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<Int?>()
            // Original (AFNetworking):
            //     api.get("status/418", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
            //         let response = (error as NSError).userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse
            //         screen.show(response?.statusCode)
            //     }
            // Ported:
            api.get("status/418", success: nil) { _, error in
                screen.show(error.response?.status.code)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == 418)
        }
    }

    @Test func `the body of an error`() async throws {
        try await withResponse("application/json", #"{"reason":"too old"}"#, status: 422) { api, _ in
            let screen = Screen<String?>()
            // Original (AFNetworking):
            //     api.post("users", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
            //         let data = (error as NSError).userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data
            //         let json = data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
            //         screen.show(json?["reason"] as? String)
            //     }
            // Ported:
            api.post("users", success: nil) { _, error in
                let json = error.parsedBody(as: JSONValue.self)
                screen.show(json?["reason"]?.string)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "too old")
        }
    }

    @Test func `an error page in place of JSON`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<String>()
            // Original (AFNetworking):
            //     api.get("html", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
            //         let error = error as NSError
            //         if error.domain == AFURLResponseSerializationErrorDomain, error.code == NSURLErrorCannotDecodeContentData {
            //             screen.show(error.localizedDescription)
            //         }
            //     }
            // Ported:
            api.get("html", success: nil) { _, error in
                if error.code == .unacceptableContentType {
                    screen.show(error.message)
                }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "Request failed: unacceptable content-type: text/html")
        }
    }

    @Test func `nobody listens at the port`() async throws {
        try await withSnippet(at: "http://127.0.0.1:\(FaultServer.unusedPort)/") { api, _ in
            let screen = Screen<String>()
            // Original (AFNetworking):
            //     api.get("users", parameters: nil, headers: nil, progress: nil, success: nil) { _, error in
            //         if (error as NSError).code == NSURLErrorCannotConnectToHost { screen.show("offline") }
            //     }
            // Ported:
            api.get("users", success: nil) { _, error in
                if error.code == .connectFailed { screen.show("offline") }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "offline")
        }
    }

    @Test func `several requests, and then one closure`() async throws {
        try await withSnippet { api, _ in
            let screen = Screen<Int>()
            let statuses = EventLog<Int?>()
            // Original (AFNetworking):
            //     let group = DispatchGroup()
            //     for id in 1...count {
            //         group.enter()
            //         api.get("anything/\(id)", parameters: nil, headers: nil, progress: nil) { task, _ in
            //             statuses.append((task.response as? HTTPURLResponse)?.statusCode)
            //             group.leave()
            //         } failure: { _, _ in
            //             group.leave()
            //         }
            //     }
            //     group.notify(queue: .global()) { screen.show(count) }
            // Ported:
            let group = DispatchGroup()
            api.completionGroup = group
            for id in 1...count {
                api.get("anything/\(id)") { task, _ in
                    statuses.append(task.head?.status.code)
                }
            }
            group.notify(queue: .global()) { [count] in screen.show(count) }
            // End
            let shown = try await screen.shown
            #expect(shown == count)
            #expect(statuses.events == Array(repeating: 200, count: count))
        }
    }
}
