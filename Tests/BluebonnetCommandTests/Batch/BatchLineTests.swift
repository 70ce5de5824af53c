import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct BatchLineTests {
    private func line(_ text: String) -> BatchLine {
        BatchLine(LineReader.Line(number: 7, content: .bytes(Array(text.utf8))))
    }

    private func request(_ text: String) throws -> BatchRequest {
        try line(text).request.get()
    }

    private func error(_ text: String) throws -> BatchError {
        guard case .failure(let error) = line(text).request else {
            Issue.record("\(text) was accepted")
            throw BatchError.invalidLine("none")
        }
        return error
    }

    private func text(_ body: RequestBody?) -> String? {
        body?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `only the URL of a batch line is required, and nothing is added to its request`() throws {
        let request = try request(#"{"url":"http://127.0.0.1/x?a=1"}"#).request
        #expect(request.method == .get)
        #expect(request.url.absoluteString == "http://127.0.0.1/x?a=1")
        #expect(request.headerFields.isEmpty)
        #expect(request.body?.length == nil)
        #expect(request.timeouts == nil)
        #expect(request.redirectPolicy == nil)
    }

    @Test(arguments: [
        (#"{"url":"http://a/","id":"x"}"#, #""x""#), (#"{"url":"http://a/","id":null}"#, "null"),
        (#"{"url":"http://a/","id":{"a":[1.0]}}"#, #"{"a":[1.0]}"#), (#"{"url":"http://a/"}"#, "7"),
        (#"{"url":1,"id":3}"#, "3"), (#"{"id":3"#, "7"), ("[]", "7"),
        (#"{"url":"http://a/","id":12345678901234567890123}"#, "12345678901234567890123"),
        (#"{"url":"http://a/","id":1e2}"#, "1e2"), (#"{"url":"http://a/","id":-0}"#, "-0"),
        (#"{"url":"http://a/","id" : { "a" : [ 1.50 , "\u00e9 x" ] } }"#, #"{"a":[1.50,"\u00e9 x"]}"#),
        (#"{"url":"http://a/","id":{"a":1,"a":2}}"#, #"{"a":1,"a":2}"#),
        (#"{"id":1,"url":"http://a/","id":2}"#, "2"), (#"{"url":"http://a/","\u0069d":"x"}"#, #""x""#),
        (#"{"json":{"id":5},"url":"http://a/"}"#, "7"),
    ])
    func `a batch result has the id of its line, else the line number`(text: String, id: String) {
        #expect(line(text).id == id)
    }

    @Test func `a batch line in UTF-16 has its id and its body of JSON`() throws {
        let text = #"{"url":"http://a/","id":{"a": "é"},"json":[1]}"#
        let bytes = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let line = BatchLine(LineReader.Line(number: 7, content: .bytes(bytes)))
        #expect(line.id == #"{"a":"é"}"#)
        #expect(self.text(try line.request.get().request.body) == "[1]")
    }

    @Test func `batch headers keep their order, repeats and spelling, as pairs or object`() throws {
        let pairs = try request(#"{"url":"http://a/","headers":[["x","1"],["Accept","*/*"],["X","2"]]}"#)
        #expect(pairs.request.headerFields.map { "\($0.name.rawName)=\($0.value)" } == ["x=1", "Accept=*/*", "X=2"])
        let object = try request(#"{"url":"http://a/","headers":{"B":"1","A":""}}"#)
        #expect(object.request.headerFields.map { "\($0.name.rawName)=\($0.value)" } == ["B=1", "A="])
    }

    @Test func `a character of a batch header value is sent as one byte of Latin-1`() throws {
        let request = try request(#"{"url":"http://a/","headers":{"X":"caf\u00e9\u00ff"}}"#).request
        let field = try #require(request.headerFields.first)
        #expect(field.latin1Value == "caf\u{E9}\u{FF}")
    }

    @Test(
        arguments: [
            (#""body":"tëxt""#, "tëxt", nil), (#""body":"""#, "", nil), (#""bodyBase64":"AGE=""#, "\0a", nil),
            (#""json":{"b":1.0,"a":[null]}"#, #"{"b":1.0,"a":[null]}"#, "application/json"),
            (#""json":{"a": 1.50,"a":1e2, "b":[-0]}"#, #"{"a":1.50,"a":1e2,"b":[-0]}"#, "application/json"),
            (#""json":null"#, "null", "application/json"),
            (#""json":1,"headers":{"content-type":"text/x"}"#, "1", "text/x"),
            (#""form":{"b":"x y","a":"1"}"#, "a=1&b=x%20y", "application/x-www-form-urlencoded"),
            (#""form":{"a":["1","2"]}"#, "a%5B%5D=1&a%5B%5D=2", "application/x-www-form-urlencoded"),
            (#""form":[["b","1"],["a","2"],["b","&"]]"#, "b=1&a=2&b=%26", "application/x-www-form-urlencoded"),
            (#""body":"x","json2":null"#, nil, nil),
        ] as [(String, String?, String?)]
    )
    func `batch bodies are text, Base64, JSON or a form`(member: String, body: String?, type: String?) throws {
        let line = "{\"url\":\"http://a/\",\"method\":\"POST\",\(member)}"
        guard let body else {
            #expect(try error(line).code == "invalid-line")
            return
        }
        let request = try request(line).request
        #expect(request.method == .post)
        #expect(text(request.body) == body)
        #expect(request.headerFields.map(\.value) == (type.map { [$0] } ?? []))
    }

    @Test func `paths, redirects and timeouts of a batch line are used`() throws {
        let line = try request(
            #"{"url":"http://a/","bodyFile":"in","output":"out","redirect":"manual","timeout":0.5,"cache":"default"}"#
        )
        #expect(line.bodyFile == "in")
        #expect(line.output == "out")
        #expect(line.request.redirectPolicy == .manual)
        #expect(line.request.timeouts?.request == .milliseconds(500))
        #expect(line.request.timeouts?.connect == Timeouts().connect)
        #expect(line.request.timeouts?.waiting == nil)
        #expect(line.request.timeouts?.firstByte == nil)
    }

    @Test func `a null member of a batch line counts as omitted`() throws {
        let line = try request(
            #"{"url":"http://a/","method":null,"headers":null,"body":null,"output":null,"timeout":null,"multipart":null}"#
        )
        #expect(line.request.method == .get)
        #expect(line.output == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8092/get", "“127.0.0.1:8092/get” has no scheme; write http://"),
        ("localhost:80", "“localhost:80” has no scheme"), (":8092/get", "“:8092/get” has no scheme"),
        ("example.org/a?token=secret", "no scheme"), ("//example.org/", "no scheme"),
        ("http://a b/?token=secret", "“http://a b/” is not a URL"), ("http://u:secret@a b/", "is not a URL"),
    ])
    func `the error about a URL of a batch line shows it without its query`(url: String, hint: String) throws {
        let error = try error("{\"url\":\"\(url)\"}")
        #expect(error.code == "invalid-url")
        #expect(error.message.contains(hint))
        #expect(!error.message.contains("secret"))
    }

    @Test func `the error about a batch line has the column and not a line within the line`() throws {
        let error = try error(#"{"url": x}"#)
        #expect(error.message == "The line is not JSON: Expected a JSON value but found 'x' at column 9 (in url).")
    }

    @Test func `a batch line that is too long is an error that says the limit`() throws {
        let line = BatchLine(LineReader.Line(number: 3, content: .tooLong(limit: 10)))
        #expect(line.id == "3")
        guard case .failure(let error) = line.request else { throw BatchError.invalidLine("none") }
        #expect(error.code == "invalid-line")
        #expect(error.message.contains("longer than 10 bytes"))
    }

    @Test func `a part of a batch form has the type and the file name that are given`() throws {
        let line = try request(
            #"{"url":"http://a/","multipart":[{"name":"f","file":"p","type":"image/png","filename":"a.png"},"#
                + #"{"name":"n","value":"v","type":null},{"name":"j","value":"{}","type":"application/json"}]}"#
        )
        let parts = try #require(line.parts)
        #expect(parts.map(\.name) == ["f", "n", "j"])
        #expect(parts.map(\.content) == [.file("p"), .value("v"), .value("{}")])
        #expect(parts.map(\.type) == ["image/png", nil, "application/json"])
        #expect(parts.map(\.fileName) == ["a.png", nil, nil])
    }

    @Test(arguments: [
        ("", "empty"), ("nonsense", "JSON"), ("[1]", "an array"), (#""x""#, "a string"), ("{}", "“url”"),
        (#"{"url":null}"#, "“url”"), (#"{"url":1}"#, "“url”"), (#"{"url":"http://a/","urll":1}"#, "“urll”"),
        (#"{"url":"http://a/","method":1}"#, "“method”"), (#"{"url":"http://a/","method":"G T"}"#, "“G T”"),
        (#"{"url":"http://a/","method":""}"#, "method"),
        (#"{"url":"http://a/","headers":"x"}"#, "“headers”"), (#"{"url":"http://a/","headers":[["a"]]}"#, "“headers”"),
        (#"{"url":"http://a/","headers":[["a","b","c"]]}"#, "“headers”"),
        (#"{"url":"http://a/","headers":[["a",1]]}"#, "“headers”"),
        (#"{"url":"http://a/","headers":{"a":1}}"#, "“headers.a”"),
        (#"{"url":"http://a/","headers":{"a":"\u0100"}}"#, "U+00FF"),
        (#"{"url":"http://a/","body":1}"#, "“body”"), (#"{"url":"http://a/","bodyBase64":"*"}"#, "“bodyBase64”"),
        (#"{"url":"http://a/","bodyFile":""}"#, "“bodyFile”"), (#"{"url":"http://a/","form":"a=1"}"#, "“form”"),
        (#"{"url":"http://a/","form":[["a"]]}"#, "“form”"), (#"{"url":"http://a/","multipart":{}}"#, "“multipart”"),
        (#"{"url":"http://a/","body":"","json":1}"#, "one body"),
        (#"{"url":"http://a/","redirect":"maybe"}"#, "“redirect”"),
        (#"{"url":"http://a/","redirect":true}"#, "“redirect”"),
        (#"{"url":"http://a/","cache":"x"}"#, "“cache”"), (#"{"url":"http://a/","timeout":"1"}"#, "“timeout”"),
        (#"{"url":"http://a/","timeout":0}"#, "“timeout”"), (#"{"url":"http://a/","timeout":-1}"#, "“timeout”"),
        (#"{"url":"http://a/","timeout":1e300}"#, "“timeout”"),
        (#"{"url":"http://a/","timeout":1e400}"#, "“timeout” must be a number of seconds above 0"),
        (#"{"url":"http://a/","output":7}"#, "“output”"),
        (#"{"url":"http://a/","credentials":"u"}"#, "“credentials”"),
        (#"{"url":"http://a/","credentials":{"pass":"x"}}"#, "“credentials.pass”"),
        (#"{"url":"http://a/","credentials":{"password":"x"}}"#, "no “user”"),
        (#"{"url":"http://a/","credentials":{"user":"u:v"}}"#, "colon"),
        (#"{"url":"http://u:a%0Ab@a/"}"#, "control character"),
    ])
    func `the error about an invalid batch line says why`(text: String, hint: String) throws {
        let error = try error(text)
        #expect(error.code == "invalid-line")
        #expect(error.message.contains(hint))
    }

    @Test(arguments: CachePolicy.allCases)
    func `each cache policy of a batch line is that of the request`(policy: CachePolicy) throws {
        let line = try request("{\"url\":\"http://a/\",\"cache\":\"\(policy.rawValue)\"}")
        #expect(line.request.properties.cachePolicy == policy)
    }

    @Test(arguments: [
        (#"{"url":"http://u:p@a/"}"#, "u:p"), (#"{"url":"http://a/","credentials":{"user":"u"}}"#, "u:"),
        (#"{"url":"http://a/","credentials":{"user":"u","password":null}}"#, "u:"),
        (#"{"url":"http://x:y@a/","credentials":{"user":"u","password":"p"}}"#, "u:p"),
        (#"{"url":"http://x:y@a/","headers":{"authorization":"Mine"}}"#, nil),
    ])
    func `batch credentials are sent at once, unless the line has an Authorization field`(
        text: String,
        expected: String?
    ) throws {
        let request = try request(text)
        let credential = request.request.credential
        #expect(credential.map { "\($0.user ?? ""):\($0.password ?? "")" } == expected)
        #expect(credential?.isPreemptive != false)
        #expect(request.request.url.absoluteString == "http://a/")
    }

    @Test func `the white space around a batch header value is removed`() throws {
        let request = try request(#"{"url":"http://a/","headers":[["a"," 1\t"]]}"#)
        #expect(request.request.headerFields.map(\.latin1Value) == ["1"])
    }

    @Test(
        arguments: [
            (#"{"url":"http://a/","headers":{"a b":"1"}}"#, "invalid-line"),
            (#"{"url":"http://a/","headers":{"a":"x\r\nEvil: 1"}}"#, "invalid-line"),
            (#"{"url":"http://a/","headers":{"a":"x\u0000"}}"#, "invalid-line"),
            (#"{"url":""}"#, "invalid-url"),
            (#"{"url":"http://a/","form":{}}"#, nil),
        ] as [(String, String?)]
    )
    func `a batch line that cannot be sent has the library's error code`(text: String, code: String?) throws {
        switch line(text).request {
        case .success: #expect(code == nil)
        case .failure(let error): #expect(error.code == code)
        }
    }
}
