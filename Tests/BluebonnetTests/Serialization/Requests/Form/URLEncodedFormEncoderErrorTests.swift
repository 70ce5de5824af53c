import Bluebonnet
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct URLEncodedFormEncoderErrorTests {
    private struct Silent: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    private func failure(_ value: some Encodable) -> NetworkingError? {
        #expect(throws: NetworkingError.self) { try URLEncodedFormEncoder().encode(value) }
    }

    @Test(
        arguments: [
            ([1, 2], "an array"), ([Int](), "an array"), (Set([1]), "a set"), ("text", "a single value"),
            (1, "a single value"), (true, "a single value"), (Date(), "a single value"), (Data(), "a single value"),
            (Silent(), "a value that encodes nothing"), ([1] as JSONValue, "an array"),
            (false as JSONValue, "a single value"),
        ] as [(any Encodable & Sendable, String)]
    )
    func `form-encoding a value without keys is an error that says so`(
        _ value: any Encodable & Sendable,
        _ what: String
    ) {
        let error = failure(value)
        #expect(error?.code == .requestSerializationFailed)
        #expect(
            error?.message
                == "The parameters cannot be written as a form: The top level is \(what). "
                + "A form needs an object, so that every value has a name."
        )
        #expect(error?.underlying is EncodingError)
    }

    @Test(arguments: [["a"], [], "text", 1, true] as [JSONValue])
    func `form-encoding JSON without keys is an error`(_ value: JSONValue) {
        let error = #expect(throws: NetworkingError.self) { try URLEncodedFormEncoder().encode(value) }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.underlying is EncodingError)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `form-encoding a number that is not finite is an error that says where`(_ number: Double) throws {
        struct Item: Encodable {
            var price: Double
        }
        struct Order: Encodable {
            var items: [Item]
        }
        let order = Order(items: [Item(price: 1), Item(price: number)])
        let error = failure(["order": order])
        #expect(
            error?.message
                == "The parameters cannot be written as a form, at order.items[1].price: "
                + "\(number) is not a number that a form can have."
        )
        for (error, place) in [
            (failure(["a": [1, number]]), "a[1]"), (failure(["a": [Float(number)]]), "a[0]"),
            (failure(["a": ["b": Float?(Float(number))]]), "a.b"),
            (failure(["a": [JSONValue.number(JSONNumber(number))]]), "a[0]"),
            (failure(["a": [nil, ["b": .number(JSONNumber(number))]]] as JSONValue), "a[1].b"),
        ] {
            #expect(error?.message.contains("form, at \(place): \(number) is") == true)
        }
        #expect(failure(["d": Decimal.nan])?.message.contains("form, at d: NaN is") == true)
    }

    @Test func `the form encoder gives types the right coding path`() throws {
        let encodings = Counter()
        struct Probe: Encodable {
            let encodings: Counter

            func encode(to encoder: any Encoder) throws {
                encodings.increment()
                #expect(encoder.codingPath.map(\.stringValue) == ["a", "Index 1"])
                #expect(encoder.codingPath.map(\.intValue) == [nil, 1])
                #expect(encoder.userInfo.isEmpty)
                let keyed = encoder.container(keyedBy: OneKey.Key.self)
                #expect(keyed.codingPath.count == 2)
                var list = encoder.unkeyedContainer()
                let nested = list.nestedContainer(keyedBy: OneKey.Key.self)
                #expect(nested.codingPath.map(\.stringValue) == ["a", "Index 1", "Index 0"])
                #expect(list.nestedUnkeyedContainer().codingPath.last?.intValue == 1)
                #expect(list.superEncoder().codingPath.last?.intValue == 2)
                #expect(encoder.singleValueContainer().codingPath.count == 2)
            }
        }
        enum Either: Encodable {
            case number
            case probe(Counter)

            func encode(to encoder: any Encoder) throws {
                switch self {
                case .number: try 1.encode(to: encoder)
                case .probe(let encodings): try Probe(encodings: encodings).encode(to: encoder)
                }
            }
        }
        #expect(try URLEncodedFormEncoder().encode(["a": [Either.number, .probe(encodings)]]) == "a%5B%5D=1")
        #expect(encodings.value == 1)
    }

    @Test func `an error thrown by a type is the underlying error of the form encoder's error`() {
        struct Refusal: Error {}
        struct Value: Encodable {
            func encode(to encoder: any Encoder) throws { throw Refusal() }
        }
        let error = failure(["a": Value()])
        #expect(error?.message == "The parameters cannot be written as a form: Refusal()")
        #expect(error?.underlying is Refusal)
    }
}
