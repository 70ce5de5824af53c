import FoundationEssentials

/// The JSON of a list of pins. A member that has no meaning is an error: a misspelled `pins` must
/// not mean that there are none.
struct PinListText {
    private(set) var version: Int?
    private(set) var hosts: [String: PinList.HostPins]

    init(_ text: Data) throws(NetworkingError) {
        let list: List
        do {
            list = try JSONDecoder().decode(List.self, from: text)
        } catch let problem as Problem {
            throw PinList.invalid(problem.predicate)
        } catch let error as DecodingError {
            throw PinList.invalid("is not of the right form: \(Self.sentence(error))", underlying: error)
        } catch {
            throw PinList.invalid("is not JSON", underlying: error)
        }
        version = list.version
        hosts = list.hosts
    }

    private static func sentence(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let path = context.codingPath + [last].compactMap(\.self)
            let names = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return names.isEmpty
                ? "the whole text" : "“\(ASCII.escaped(names.joined(separator: ".").utf8, limit: 120))”"
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(place(context, key)) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context): "\(place(context)) is of another type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty: "\(place(context)) cannot be read"
        default: "it is not JSON"
        }
    }

    private struct Problem: Error {
        var predicate: String
    }

    private struct Member: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private typealias Members = KeyedDecodingContainer<Member>

    private static func members(_ decoder: any Decoder, _ known: Set<String>) throws -> Members {
        let members = try decoder.container(keyedBy: Member.self)
        guard let unknown = members.allKeys.first(where: { !known.contains($0.stringValue) }) else { return members }
        let names = (decoder.codingPath + [unknown]).map(\.stringValue).joined(separator: ".")
        throw Problem(
            predicate:
                "has a member “\(ASCII.escaped(names.utf8, limit: 120))”, which has no meaning; those that have are "
                + known.sorted().map { "“\($0)”" }.joined(separator: ", ")
        )
    }

    private struct List: Decodable {
        var version: Int?
        var hosts: [String: PinList.HostPins]

        init(from decoder: any Decoder) throws {
            let members = try members(decoder, ["version", "hosts"])
            version = try members.decodeIfPresent(Int.self, forKey: Member("version"))
            hosts = try members.decode([String: Host].self, forKey: Member("hosts")).mapValues(\.pins)
        }
    }

    private struct Host: Decodable {
        var pins: PinList.HostPins

        init(from decoder: any Decoder) throws {
            let members = try members(decoder, ["pins", "backups", "expires", "reportsOnly"])
            pins = PinList.HostPins(
                keys: try Self.pins(members.decode([String].self, forKey: Member("pins"))),
                backups: try Self.pins(members.decodeIfPresent([String].self, forKey: Member("backups")) ?? []),
                expire: try members.decodeIfPresent(String.self, forKey: Member("expires")).map(Self.time),
                reportsOnly: try members.decodeIfPresent(Bool.self, forKey: Member("reportsOnly")) ?? false
            )
            guard !pins.keys.isEmpty else {
                let host = decoder.codingPath.last?.stringValue ?? ""
                throw Problem(predicate: "has no pin for “\(ASCII.escaped(host.utf8, limit: 80))”")
            }
        }

        private static func pins(_ texts: [String]) throws -> Set<PublicKeyPin> {
            var pins: Set<PublicKeyPin> = []
            for text in texts {
                guard let pin = try? PublicKeyPin(text) else {
                    throw Problem(predicate: "has “\(ASCII.escaped(text.utf8, limit: 80))” where a pin should be")
                }
                pins.insert(pin)
            }
            return pins
        }

        /// RFC 3339 §5.6, without fractions of a second.
        private static func time(_ text: String) throws -> Date {
            guard let time = try? Date(text, strategy: .iso8601) else {
                throw Problem(
                    predicate:
                        "has “\(ASCII.escaped(text.utf8, limit: 80))” where a time should be, such as 2027-12-31T00:00:00Z"
                )
            }
            return time
        }
    }
}
