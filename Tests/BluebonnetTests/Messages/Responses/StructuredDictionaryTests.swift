import Testing

@testable import Bluebonnet

/// Dictionaries of RFC 9651.
struct StructuredDictionaryTests {
    @Test(
        arguments: [
            ("", [:]), ("a=:AQI=:", ["a": [1, 2]]), ("  a=:AQI=:  ", ["a": [1, 2]]),
            ("a=:AQI=:,b=:AQ==:", ["a": [1, 2], "b": [1]]), ("a=:AQI=: \t, \tb=:AQ==:", ["a": [1, 2], "b": [1]]),
            ("a=:AQI=:;p=1;q=\"x\";r, b", ["a": [1, 2]]), ("a=:AQI:", ["a": [1, 2]]), ("a=::", ["a": []]),
            ("a=:AQI=:, a=:AQ==:", ["a": [1]]), ("a=:AQI=:, a=1", [:]), ("*a-b_c.d*=:AQ==:", ["*a-b_c.d*": [1]]),
            ("a=(:AQ==: 1;x \"s\" t);y=2, b=:AQ==:", ["b": [1]]), ("a=()", [:]), ("a=(  1  2  )", [:]),
            ("a=1, b=-1.5, c=\"x\\\"\\\\\", d=tok/en:x, e=?0, f=@123, g=%\"f%c3%bc\", h=*x", [:]),
            ("a=123456789012345, b=123456789012.123", [:]),
        ] as [(String, [String: [UInt8]])]
    )
    func `a dictionary is read`(text: String, members: [String: [UInt8]]) {
        #expect(StructuredDictionary(text)?.byteSequences == members)
    }

    @Test(arguments: [
        "a=:AQ==:,", "a=:AQ==:, ", ",a=1", "a=:AQ==", "a=:A*==:", "a=:AQ==: b", "A=1", "a=", "a=,b=1", "1=2", "a b",
        "a=1234567890123456", "a=1.", "a=1.1234", "a=1234567890123.1", "a=-", "a=\"x", "a=\"\\x\"", "a=\"ü\"", "a=?2",
        "a=@1.5", "a=(1 2", "a=(1,2)", "a=(1\"x\")", "a=%\"f%C3\"", "a=%\"%ff\"", "a=%x", "a;=1", "a;A", "ü=1", "\ta=1",
        "a=:ü:", "a=:AQ==:;", "a=:AQ\n==:",
    ])
    func `what breaks a rule is no dictionary`(text: String) {
        #expect(StructuredDictionary(text) == nil)
    }
}
