import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import bluebonnet

@Suite struct RequestPlanTests {
    private static let files = ["name.txt": "Ada\n", "tags.json": "[1, 2]\n", "-": "from stdin", "bad": "\u{FF}"]

    private func plan(
        _ items: [String],
        method: HTTPRequest.Method = .post,
        url: String = ":8080/x",
        isForm: Bool = false,
        unixSocket: String? = nil
    ) throws -> RequestPlan {
        var arguments = RequestPlan.Arguments(method: method, url: url, items: items)
        arguments.isForm = isForm
        arguments.unixSocket = unixSocket
        return try RequestPlan(arguments) { path throws(CommandFailure) in
            guard let text = Self.files[path] else { throw .usage("\(path): No such file") }
            return path == "bad" ? [0xFF] : Array(text.utf8)
        }
    }

    private func text(_ body: RequestBody?) -> String? {
        body?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    private func fields(_ plan: RequestPlan) -> [String] {
        plan.request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test func `fields make a JSON object in their order`() throws {
        let plan = try plan(["name=Ada", "age:=36", "tags:=@tags.json", "name2=@name.txt", "big:=12345678901234567890"])
        #expect(
            text(plan.request.body)
                == #"{"name":"Ada","age":36,"tags":[1,2],"name2":"Ada","big":12345678901234567890}"#
        )
        #expect(
            fields(plan) == [
                "Accept: application/json, */*;q=0.5", "User-Agent: bluebonnet/\(BluebonnetCommand.version)",
                "Content-Type: application/json",
            ]
        )
    }

    @Test func `a form is escaped and keeps repeated fields`() throws {
        let plan = try plan(["a=1", "b=x y&z", "a=ü"], isForm: true)
        #expect(text(plan.request.body) == "a=1&b=x%20y%26z&a=%C3%BC")
        #expect(plan.request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        (["a==1"], "http://localhost:8080/x?a=1"),
        (["a==1", "a==2 3"], "http://localhost:8080/x?a=1&a=2%203"),
        (["a&b==c=d"], "http://localhost:8080/x?a%26b=c%3Dd"),
    ])
    func `query items are appended`(items: [String], url: String) throws {
        let plan = try plan(items, method: .get)
        #expect(plan.request.url.absoluteString == url)
        #expect(plan.request.body == nil || plan.request.body?.length == nil)
    }

    @Test func `query items join a query and stand before a fragment`() throws {
        let plan = try plan(["b==2"], method: .get, url: "http://example.org/?a=1#end")
        #expect(plan.request.url.absoluteString == "http://example.org/?a=1&b=2#end")
    }

    @Test func `without items there is no body and nothing but the defaults`() throws {
        let plan = try plan([], method: .get)
        #expect(plan.request.body?.length == nil)
        #expect(fields(plan) == ["Accept: */*", "User-Agent: bluebonnet/\(BluebonnetCommand.version)"])
        #expect(plan.decodesContent)
    }

    @Test func `headers of the user replace the defaults and may repeat`() throws {
        let plan = try plan(["Accept:text/html", "X:1", "X:2", "Y;", "User-Agent:", "Accept-Encoding:"], method: .get)
        #expect(fields(plan) == ["Accept: text/html", "X: 1", "X: 2", "Y: "])
        #expect(!plan.decodesContent)
    }

    @Test func `standard input is the body only when it is asked for`() throws {
        let plan = try plan(["@-", "Content-Type:text/plain"])
        #expect(text(plan.request.body) == "from stdin")
        #expect(plan.request.headerFields[values: .contentType] == ["text/plain"])
    }

    @Test func `a file is the body with the type of its name`() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "plan-\(UInt32.random(in: .min ... .max)).csv"
        )
        try Data("a,b\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let plan = try plan(["@\(file.path(percentEncoded: false))"])
        #expect(plan.request.body?.length == 4)
        #expect(plan.request.headerFields[.contentType] == "text/csv")
    }

    @Test func `over a socket the host stays the one of the URL`() throws {
        let plan = try plan([], method: .get, url: "example.org/x", unixSocket: "/run/a.sock")
        #expect(plan.request.url.absoluteString == "http+unix://%2Frun%2Fa.sock/x")
        #expect(fields(plan).contains("Host: example.org"))
    }

    @Test(arguments: [
        ["a:=nonsense"], ["a=@missing"], ["a=@bad"], ["@-", "@-"], ["@-", "a=1"], ["@/no/such/file"], ["photo@x.png"],
        ["Host:"], ["bad name:x"], ["X:a\nb"], ["é:x"],
    ])
    func `what makes no request is bad usage`(items: [String]) {
        let error = #expect(throws: CommandFailure.self) { try plan(items) }
        #expect(error?.status == .usage)
    }

    @Test func `a form has no JSON fields`() {
        #expect(throws: CommandFailure.self) { try plan(["a:=1"], isForm: true) }
    }
}
