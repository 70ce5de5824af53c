#if DEBUG
    import Foundation
    import Synchronization
    import Testing

    @testable import Bluebonnet

    /// The cost of decoding grows linearly with the document, whatever it contains and in whatever
    /// order it is read.
    ///
    /// Steps are counted, not time: keys compared, children passed, strings made, words of the tape
    /// written.
    struct JSONBodyDecoderCostTests {
        /// A document that is made in any size, and how it is read.
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let document: @Sendable (Int) -> String
            let read: @Sendable (JSONDecodingContext) throws -> Void
            var keys = JSONBodyDecoder().keyDecodingStrategy

            init<T: Decodable & SendableMetatype>(
                _ name: String,
                _ type: T.Type,
                document: @escaping @Sendable (Int) -> String
            ) {
                testDescription = name
                self.document = document
                read = { _ = try $0.decode(T.self, at: 0) }
            }

            fileprivate func steps(_ size: Int) throws -> (steps: Int, bytes: Int) {
                let text = document(size)
                var options = JSONBodyDecoder()
                options.keyDecodingStrategy = keys
                let tape = try JSONTape(parsing: text.utf8, maximumDepth: 512)
                let context = JSONDecodingContext(tape: tape, options: options)
                try read(context)
                return (tape.work.load(ordering: .relaxed), text.utf8.count)
            }
        }

        private static func object(_ count: Int, _ key: (Int) -> String, _ value: String = "1") -> String {
            "{" + (0..<count).map { "\"\(key($0))\":\(value)" }.joined(separator: ",") + "}"
        }

        private static func array(_ count: Int, _ element: (Int) -> String) -> String {
            "[" + (0..<count).map(element).joined(separator: ",") + "]"
        }

        /// Many ways to read an object, each with its own document and type.
        private static let plain: [Case] = [
            Case("keys in order", Ordered.self) { object($0) { "k\($0)" } },
            Case("keys beyond ASCII", Ordered.self) { object($0) { "名\($0)" } },
            Case("keys with escapes", Ordered.self) { object($0) { "\\u0031\($0)" } },
            Case("keys beyond ASCII in reverse", Reversed.self) { object($0) { "名\($0)" } },
            Case("keys with escapes in reverse", Reversed.self) { object($0) { "\\u0031\($0)" } },
            Case("keys in reverse", Reversed.self) { object($0) { "k\($0)" } },
            Case("keys with one long beginning in reverse", Reversed.self) {
                object($0) { String(repeating: "p", count: 60) + "\(1_000_000 + $0)" }
            },
            Case("keys that are missing", Missing.self) { object($0) { "k\($0)" } },
            Case("keys that are missing among some with escapes", Missing.self) { object($0) { "\\u0031\($0)" } },
            Case("keys beyond ASCII that are missing", MissingBeyondASCII.self) { object($0) { "k\($0)" } },
            Case("all keys the same", Ordered.self) { object($0) { _ in "k" } },
            Case("all keys twice, in reverse", Reversed.self) { count in object(count) { "k\($0 % (count / 2))" } },
            Case("all keys the same in a dictionary", [String: Int].self) { object($0) { _ in "k" } },
            Case("keys of integers with escapes", [Int: Int].self) { object($0) { "\\u0031\($0)" } },
            Case("objects of seventeen keys in reverse", [Reversed].self) {
                array($0 / 17) { outer in object(17) { "\(outer)-\($0)" } }
            },
            Case("objects of sixteen keys, all missing", [MissingFew].self) {
                array($0 / 16) { _ in object(16) { "k\($0)" } }
            },
            Case("a structure without its keys", [Optionals].self) { array($0) { _ in "{}" } },
            Case("nested containers", NestedInOrder.self) { object($0, { "k\($0)" }, #"{"a":1}"#) },
            Case("nested containers in reverse", NestedInReverse.self) { object($0, { "k\($0)" }, #"{"a":1}"#) },
            Case("nested containers of keys with escapes", NestedInOrder.self) {
                object($0, { "\\u0031\($0)" }, #"{"a":1}"#)
            },
            Case("nested arrays", NestedArrays.self) { object($0, { "k\($0)" }, #"[{"a":1}]"#) },
            Case("super decoders", SuperDecoders.self) { object($0, { "k\($0)" }, #"{"a":1}"#) },
            Case("two objects in turn", InTurn.self) {
                #"{"a":\#(object($0) { "k\($0)" }),"b":\#(object($0) { "k\($0)" })}"#
            },
            Case("objects of decoders that were kept", KeptDecoders.self) {
                #"{"a":\#(object($0) { "k\($0)" }),"b":\#(object($0) { "k\($0)" })}"#
            },
            Case("large objects in a large object", [Ordered].self) {
                array($0 / 20) { _ in object(20) { "k\($0)" } }
            },
            Case("errors passed over in order", ErrorsInOrder.self) { object($0, { "k\($0)" }, "\"x\"") },
            Case("errors passed over in reverse", ErrorsInReverse.self) { object($0, { "k\($0)" }, "\"x\"") },
            Case("errors passed over in an array of objects", ErrorsInObjects.self) {
                array($0) { _ in #"{"a":"b"}"# }
            },
            Case("errors passed over in two arrays in turn", ErrorsInTurn.self) {
                "[\(array($0) { _ in "1" }),\(array($0) { _ in "1" })]"
            },
            Case("errors passed over at the greatest depth", PassedOverErrors.self) { count in
                let depth = PassedOverErrors.depth - 1
                return String(repeating: "[", count: depth) + array(count) { _ in #""x""# }
                    + String(repeating: "]", count: depth)
            },
            Case("any value", JSONValue.self) { array($0) { #"{"a\#($0)":[[],{"b":null,"b":1}]}"# } },
            Case("arrays at the greatest depth", JSONValue.self) { count in
                array(count / 512) { _ in String(repeating: "[", count: 500) + String(repeating: "]", count: 500) }
            },
            Case("a recursive type at the greatest depth", [Chain].self) { count in
                array(count / 100) { _ in
                    String(repeating: #"{"next":"#, count: 100) + "null" + String(repeating: "}", count: 100)
                }
            },
        ]

        /// The cases of `plain`, with keys that are converted.
        private static let converted: [Case] = plain.map { one in
            var one = one
            one.keys = .convertFromSnakeCase
            return one
        }

        private static let custom: [Case] = plain.map { one in
            var one = one
            one.keys = .custom { $0[$0.count - 1] }
            return one
        }

        @Test(arguments: plain)
        func `decoding twice the JSON takes twice the steps`(one: Case) throws {
            try check(one)
        }

        @Test(arguments: converted)
        func `decoding twice the JSON takes twice the steps in snake case`(one: Case) throws {
            try check(one)
        }

        @Test(arguments: custom)
        func `decoding twice the JSON takes twice the steps with keys of a closure`(one: Case) throws {
            try check(one)
        }

        private func check(_ one: Case) throws {
            let sizes = [1024, 2048, 4096]
            let costs = try sizes.map { try one.steps($0) }
            for (less, more) in zip(costs, costs.dropFirst()) {
                #expect(Double(more.steps) / Double(less.steps) < 2.4, "\(costs)")
            }
            // A proportional cost may still be too large.
            #expect(costs[2].steps < costs[2].bytes * 24, "\(costs)")
        }

        // MARK: Types

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }

            init?(intValue: Int) { nil }
        }

        private struct Ordered: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
            }
        }

        private struct Reversed: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys.reversed() { _ = try container.decode(Int.self, forKey: key) }
            }
        }

        private struct Missing: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    #expect(!container.contains(Key(stringValue: "no \(key.stringValue)")))
                }
            }
        }

        private struct MissingBeyondASCII: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys { #expect(!container.contains(Key(stringValue: "名\(key.stringValue)"))) }
            }
        }

        private struct MissingFew: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for index in 0..<16 { #expect(!container.contains(Key(stringValue: "no\(index)"))) }
            }
        }

        private struct Optionals: Decodable {
            var a: Int?, b: Int?, c: Int?, d: Int?, e: Int?, f: Int?, g: Int?, h: Int?, i: Int?, j: Int?
        }

        private struct NestedInOrder: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    let inner = try container.nestedContainer(keyedBy: Key.self, forKey: key)
                    _ = try inner.decode(Int.self, forKey: Key(stringValue: "a"))
                }
            }
        }

        private struct NestedInReverse: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys.reversed() {
                    let inner = try container.nestedContainer(keyedBy: Key.self, forKey: key)
                    _ = try inner.decode(Int.self, forKey: Key(stringValue: "a"))
                }
            }
        }

        private struct NestedArrays: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    var inner = try container.nestedUnkeyedContainer(forKey: key)
                    let element = try inner.nestedContainer(keyedBy: Key.self)
                    _ = try element.decode(Int.self, forKey: Key(stringValue: "a"))
                }
            }
        }

        private struct SuperDecoders: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    let inner = try container.superDecoder(forKey: key).container(keyedBy: Key.self)
                    _ = try inner.decode(Int.self, forKey: Key(stringValue: "a"))
                }
            }
        }

        private struct InTurn: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let first = try container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "a"))
                let second = try container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "b"))
                var generator = JSONGenerator(seed: 21)
                for key in first.allKeys.shuffled(using: &generator) {
                    _ = try first.decode(Int.self, forKey: key)
                    _ = try second.decode(Int.self, forKey: key)
                }
            }
        }

        private struct KeptDecoders: Decodable {
            struct Kept: Decodable {
                let decoder: any Decoder

                init(from decoder: any Decoder) { self.decoder = decoder }
            }

            init(from decoder: any Decoder) throws {
                let kept = try [String: Kept](from: decoder)
                let first = try #require(kept["a"]).decoder.container(keyedBy: Key.self)
                let second = try #require(kept["b"]).decoder.container(keyedBy: Key.self)
                for key in first.allKeys {
                    _ = try first.decode(Int.self, forKey: key)
                    _ = try second.decode(Int.self, forKey: key)
                }
            }
        }

        private struct ErrorsInOrder: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys { #expect((try? container.decode(Int.self, forKey: key)) == nil) }
            }
        }

        private struct ErrorsInReverse: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys.reversed() {
                    #expect((try? container.decode(Int.self, forKey: key)) == nil)
                }
            }
        }

        private struct ErrorsInObjects: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    #expect((try? container.decode([String: Int].self)) == nil)
                    _ = try container.decode(JSONValue.self)
                }
            }
        }

        private struct ErrorsInTurn: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                var first = try container.nestedUnkeyedContainer()
                var second = try container.nestedUnkeyedContainer()
                while !first.isAtEnd {
                    #expect((try? first.decode(String.self)) == nil)
                    _ = try first.decode(Int.self)
                    #expect((try? second.decode(String.self)) == nil)
                    _ = try second.decode(Int.self)
                }
            }
        }

        private final class Chain: Decodable {
            let next: Chain?
        }
    }
#endif
