import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct RequestPlanTests {
    private static let files = [
        "name.txt": "Ada\n", "tags.json": "[1, 2]\n", "-": "from stdin", "bad": "\u{FF}",
        "crlf.txt": "Ada\r\n", "lines.txt": " Ada \r\n\n", "two.txt": "a\nb\n",
    ]

    private func plan(
        _ items: [String],
        method: HTTPRequest.Method = .post,
        url: String = ":8080/x",
        isForm: Bool = false,
        unixSocket: String? = nil,
        credentials: Credentials? = nil,
        takesStandardInput: Bool = false
    ) throws -> RequestPlan {
        var arguments = RequestPlan.Arguments(method: method, url: url, items: items)
        arguments.isForm = isForm
        arguments.unixSocket = unixSocket
        arguments.credentials = credentials
        arguments.takesStandardInput = takesStandardInput
        return try Self.plan(arguments)
    }

    private static func plan(_ arguments: RequestPlan.Arguments) throws -> RequestPlan {
        try RequestPlan(arguments) { path throws(CommandFailure) in
            guard let text = files[path] else { throw .usage("\(path): No such file") }
            return path == "bad" ? [0xFF] : Array(text.utf8)
        }
    }

    private func text(_ body: RequestBody?) -> String? {
        body?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    private func fields(_ plan: RequestPlan) -> [String] {
        plan.request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test func `field items make a JSON object in their order`() throws {
        let plan = try plan(["name=Ada", "age:=36", "tags:=@tags.json", "name2=@name.txt", "big:=12345678901234567890"])
        #expect(
            text(plan.request.body)
                == #"{"name":"Ada","age":36,"tags":[1,2],"name2":"Ada\n","big":12345678901234567890}"#
        )
        #expect(
            fields(plan) == [
                "Accept: application/json, */*;q=0.5", "User-Agent: bluebonnet/\(MainCommand.version)",
                "Content-Type: application/json",
            ]
        )
    }

    @Test func `dot segments of the URL are resolved unless they are to stay`() throws {
        #expect(try plan([], url: ":8080/./../a/../b?c#d").request.url.absoluteString == "http://localhost:8080/b?c#d")
        var arguments = RequestPlan.Arguments(url: ":8080/./../b")
        arguments.keepsDotSegments = true
        #expect(try Self.plan(arguments).request.url.absoluteString == "http://localhost:8080/./../b")
    }

    @Test func `the boundary of a form can be chosen, unless the type names another one`() throws {
        var arguments = RequestPlan.Arguments(url: ":8080", items: ["a=1"])
        (arguments.isForm, arguments.isMultipart, arguments.boundary) = (true, true, "xoxo")
        let form = try Self.plan(arguments)
        #expect(form.request.headerFields[.contentType] == "multipart/form-data; boundary=xoxo")
        arguments.items = ["a=1", "Content-Type:multipart/letter"]
        let letter = try Self.plan(arguments)
        #expect(letter.request.headerFields[.contentType] == "multipart/letter; boundary=xoxo")
        arguments.items = ["a=1", "Content-Type:multipart/letter; boundary=yoyo"]
        let body = try text(Self.plan(arguments).request.body)
        #expect(body?.hasPrefix("--yoyo\r\n") == true)
        arguments.boundary = "x\u{7F}"
        arguments.items = ["a=1"]
        #expect(throws: CommandFailure.self) { try Self.plan(arguments) }
        (arguments.boundary, arguments.isMultipart) = ("xoxo", false)
        #expect(throws: CommandFailure.self) { try Self.plan(arguments) }
    }

    @Test func `a form of items is escaped and keeps repeated fields`() throws {
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

    @Test func `query items are added to the query of the URL, before its fragment`() throws {
        let plan = try plan(["b==2"], method: .get, url: "http://example.org/?a=1#end")
        #expect(plan.request.url.absoluteString == "http://example.org/?a=1&b=2#end")
    }

    @Test func `a query item may begin with a combining character`() throws {
        let plan = try plan(["b==2"], method: .get, url: "http://example.org/?\u{301}#\u{301}")
        #expect(plan.request.url.query(percentEncoded: true) == "%CC%81&b=2")
        #expect(plan.request.url.fragment(percentEncoded: true) == "%CC%81")
    }

    @Test func `a request without items has no body and only the default header fields`() throws {
        let plan = try plan([], method: .get)
        #expect(plan.request.body?.length == nil)
        #expect(fields(plan) == ["Accept: */*", "User-Agent: bluebonnet/\(MainCommand.version)"])
        #expect(plan.decodesContent)
    }

    @Test func `header items replace the defaults and may repeat`() throws {
        let plan = try plan(["Accept:text/html", "X:1", "X:2", "Y;", "User-Agent:", "Accept-Encoding:"], method: .get)
        #expect(fields(plan) == ["Accept: text/html", "X: 1", "X: 2", "Y: "])
        #expect(!plan.decodesContent)
    }

    @Test func `the item @- makes standard input the body`() throws {
        let plan = try plan(["@-", "Content-Type:text/plain"])
        #expect(text(plan.request.body) == "from stdin")
        #expect(plan.request.headerFields[values: .contentType] == ["text/plain"])
    }

    @Test func `a file item is the body with the type of its name`() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "plan-\(UInt32.random(in: .min ... .max)).csv"
        )
        try Data("a,b\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let plan = try plan(["@\(file.path(percentEncoded: false))"])
        #expect(plan.request.body?.length == 4)
        #expect(plan.request.headerFields[.contentType] == "text/csv")
    }

    @Test func `a request over a Unix-domain socket has the Host of its URL`() throws {
        let plan = try plan([], method: .get, url: "example.org/x", unixSocket: "/run/a.sock")
        #expect(plan.request.url.absoluteString == "http+unix://%2Frun%2Fa.sock/x")
        #expect(fields(plan).contains("Host: example.org"))
    }

    @Test(arguments: [
        ["a:=nonsense"], ["a=@missing"], ["a=@bad"], ["@-", "@-"], ["@-", "a=1"], ["@/no/such/file"], ["photo@x.png"],
        ["Host:"], ["bad name:x"], ["X:a\nb"], ["é:x"], ["X:@two.txt"], ["a=1", "a=2"], ["a=1", "a[b]=2"], ["a[b=1"],
        ["[top]=1"],
    ])
    func `items that cannot make a request are bad usage`(items: [String]) {
        let error = #expect(throws: CommandFailure.self) { try plan(items) }
        #expect(error?.status == .usage)
    }

    @Test(arguments: ["a:=null", "a:=[1]", "a:={}"])
    func `a form of items has no fields that are not texts or numbers`(item: String) {
        #expect(throws: CommandFailure.self) { try plan([item], isForm: true) }
    }

    @Test func `JSON is sent as it is written, and in a form its numbers are`() throws {
        let items = ["a:=1.50", "b:=1e2", "c:=-0", #"d:="x\u0041""#, "e:=true", #"f:={ "x" : 1, "x" : 2 }"#]
        #expect(
            text(try plan(items).request.body)
                == #"{"a":1.50,"b":1e2,"c":-0,"d":"x\u0041","e":true,"f":{"x":1,"x":2}}"#
        )
        #expect(text(try plan(Array(items[..<5]), isForm: true).request.body) == "a=1.50&b=1e2&c=-0&d=xA&e=true")
    }

    @Test func `a literal body is sent as it is, and excludes others`() throws {
        for (isForm, type) in [(false, "application/json"), (true, "application/x-www-form-urlencoded")] {
            var arguments = RequestPlan.Arguments(method: nil, url: ":", items: ["X:1"], isForm: isForm)
            arguments.literal = Array("a=1".utf8)
            let plan = try RequestPlan(arguments) { _ throws(CommandFailure) in [] }
            #expect(text(plan.request.body) == "a=1")
            #expect(plan.request.method == .post)
            #expect(plan.request.headerFields[.contentType] == type)
        }
        for item in ["a=1", "@-"] {
            var arguments = RequestPlan.Arguments(method: nil, url: ":", items: [item])
            arguments.literal = []
            let error = #expect(throws: CommandFailure.self) {
                try RequestPlan(arguments) { _ throws(CommandFailure) in [] }
            }
            #expect(error?.message == "A request has one body: fields, @file or --raw.")
        }
    }

    @Test(arguments: [
        ("Accept: text/html", "Accept: text/html"), ("X:v ", "X: v"), ("X:\tv", "X: v"), ("X: \t", "X: "),
        ("X:@lines.txt", "X: Ada"), ("X:@crlf.txt", "X: Ada"),
    ])
    func `the white space around the value of a header item is not part of it`(item: String, field: String) throws {
        #expect(fields(try plan([item], method: .get)).contains(field))
    }

    @Test func `the error about a header item describes the fault`() {
        let lineEnd = #expect(throws: CommandFailure.self) { try plan(["X:a\nb"]) }
        #expect(lineEnd?.message == "The value of X has a line end in it (RFC 9110 §5.5).")
        let escape = #expect(throws: CommandFailure.self) { try plan(["X: \u{1B}"]) }
        #expect(escape?.message == "The value of X has the control character U+001B in it (RFC 9110 §5.5).")
    }

    @Test func `a field has every byte of a file, and a query parameter not the last line end`() throws {
        let plan = try plan(["a=@crlf.txt", "b=@name.txt", "c=@lines.txt", "d==@crlf.txt"])
        #expect(text(plan.request.body) == #"{"a":"Ada\r\n","b":"Ada\n","c":" Ada \r\n\n"}"#)
        #expect(plan.request.url.query == "d=Ada")
    }

    @Test func `nested item names build JSON, and are sent unchanged in a form`() throws {
        #expect(
            text(try plan(["a[b]=c", "l[]=x", "l[]=y", "l[]:=1", "n[1]:=true"]).request.body)
                == #"{"a":{"b":"c"},"l":["x","y",1],"n":[null,true]}"#
        )
        #expect(text(try plan(["[]=x", "[]:=1"]).request.body) == #"["x",1]"#)
        #expect(
            text(try plan(["a[b]=c", "l[]=x", "l[]=y"], isForm: true).request.body) == "a%5Bb%5D=c&l%5B%5D=x&l%5B%5D=y"
        )
    }

    @Test func `piped input is the body of a plan if no item is`() throws {
        let piped = try plan(["X:1", "q==1"], takesStandardInput: true)
        #expect(text(piped.request.body) == "from stdin")
        #expect(piped.request.headerFields[.contentType] == "application/json")
        #expect(text(try plan(["a=1"], takesStandardInput: true).request.body) == #"{"a":"1"}"#)
        #expect(try plan([], takesStandardInput: false).request.body == nil)
        for method in [HTTPRequest.Method.get, .head, .delete, .options] {
            #expect(try plan([], method: method, takesStandardInput: true).request.body == nil)
        }
    }

    @Test func `without a method a request with a body is a POST`() throws {
        for (items, method) in [(["a=1"], "POST"), (["@-"], "POST"), (["X:1", "q==1"], "GET")] {
            let arguments = RequestPlan.Arguments(method: nil, url: ":", items: items)
            let plan = try RequestPlan(arguments) { _ throws(CommandFailure) in Array("x".utf8) }
            #expect(plan.request.method.rawValue == method)
        }
        let piped = RequestPlan.Arguments(method: nil, url: ":", takesStandardInput: true)
        for (input, method) in [("x", "POST"), ("", "GET")] {
            let plan = try RequestPlan(piped) { _ throws(CommandFailure) in Array(input.utf8) }
            #expect(plan.request.method.rawValue == method)
        }
    }

    @Test func `--json asks for JSON, and is the type of a body without one`() throws {
        var arguments = RequestPlan.Arguments(method: .put, url: ":", items: ["@-"])
        arguments.isJSON = true
        let plan = try RequestPlan(arguments) { _ throws(CommandFailure) in Array("x".utf8) }
        #expect(plan.request.headerFields[.accept] == "application/json, */*;q=0.5")
        #expect(plan.request.headerFields[.contentType] == "application/json")
        arguments.items = []
        let get = try RequestPlan(arguments) { _ throws(CommandFailure) in [] }
        #expect(get.request.headerFields[.accept] == "application/json, */*;q=0.5")
        #expect(!get.request.headerFields.contains(.contentType))
    }

    @Test func `empty input is not the body of a plan`() throws {
        var arguments = RequestPlan.Arguments(method: .post, url: ":")
        arguments.takesStandardInput = true
        let plan = try RequestPlan(arguments) { _ throws(CommandFailure) in [] }
        #expect(plan.request.body == nil)
        #expect(!plan.request.headerFields.contains(.contentType))
    }

    @Test func `user and password of the URL are sent as Basic and are not part of the URL`() throws {
        let plan = try plan(["q==1"], method: .get, url: "us%40er:p%C3%A4ss@example.org/x")
        #expect(plan.request.url.absoluteString == "http://example.org/x?q=1")
        let credential = plan.request.credential
        #expect(credential?.user == "us@er" && credential?.password == "päss" && credential?.isPreemptive == true)
    }

    @Test func `an Authorization item replaces --auth, which replaces the credentials of the URL`() throws {
        let url = "http://u:p@example.org/"
        let given = Credentials.bearer("token")
        #expect(try plan([], url: url, credentials: given).request.headerFields[.authorization] == "Bearer token")
        let byHand = try plan(["authorization:Mine x"], url: url, credentials: given)
        #expect(byHand.request.headerFields[values: .authorization] == ["Mine x"])
        #expect(try plan(["authorization:Mine x"], url: url).request.credential == nil)
        #expect(try plan(["Authorization:"], url: url).request.credential == nil)
    }

    @Test(arguments: ["http://user:secret@a:b/", "http://user:sec%0Aret@secret/", "http://us%3Aer:secret@example.org"])
    func `an error about a URL does not show its password`(url: String) {
        let error = #expect(throws: CommandFailure.self) { try plan([], url: url) }
        #expect(error?.message.contains("secret") == false, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("http://h/é%20b", "http://h/%C3%A9%20b"), ("http://h/?a[]=%20&b=|", "http://h/?a%5B%5D=%20&b=%7C"),
        ("http://[::1]/a b%41", "http://[::1]/a%20b%41"),
    ])
    func `what a URL has encoded is not encoded again`(url: String, expected: String) throws {
        #expect(try plan([], method: .get, url: url).request.url.absoluteString == expected)
    }

    @Test func `a query item is encoded once, also beside an encoded query`() throws {
        let stray = try plan(["q==é&x"], method: .get, url: "http://h/get?d=50%")
        #expect(stray.request.url.absoluteString == "http://h/get?d=50%25&q=%C3%A9%26x")
        let escaped = try plan(["q==é&x"], method: .get, url: "http://h/get?d=50%25#f")
        #expect(escaped.request.url.absoluteString == "http://h/get?d=50%25&q=%C3%A9%26x#f")
    }
}
