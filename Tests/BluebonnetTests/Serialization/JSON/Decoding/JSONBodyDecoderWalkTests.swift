import Foundation
import Testing

@testable import Bluebonnet

/// Types that call the decoder at random get the same results from this one and from Foundation's.
struct JSONBodyDecoderWalkTests {
    private static let seed = CodingUserInfoKey(rawValue: "seed")

    @Test(arguments: 0..<3)
    func `random calls to the JSON decoder return what Foundation's decoder returns`(strategy: Int) async throws {
        let strategies: [JSONDecoder.KeyDecodingStrategy] = [
            .useDefaultKeys, .convertFromSnakeCase, .custom { Key("\($0[$0.count - 1].stringValue)!\($0.count)") },
        ]
        let key = try #require(Self.seed)
        var generator = JSONGenerator(seed: UInt64(20 + strategy))
        for _ in 0..<60 {
            await Task.yield()
            let document = Data(generator.walked(depth: 4).utf8)
            var ours = JSONBodyDecoder()
            let theirs = JSONDecoder()
            ours.keyDecodingStrategy = strategies[strategy]
            theirs.keyDecodingStrategy = strategies[strategy]
            ours.userInfo[key] = generator.next()
            theirs.userInfo[key] = ours.userInfo[key]
            let expected = try theirs.decode(Walk.self, from: document).log
            let log = try ours.decode(Walk.self, from: document).log
            let first = zip(log, expected).first { $0 != $1 }
            #expect(log == expected, "\(first.map { "\($0)" } ?? "") in \(String(decoding: document, as: UTF8.self))")
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }

        init(stringValue: String) { self.init(stringValue) }

        init?(intValue: Int) { nil }
    }

    /// Opens containers, keeps them, and reads from one of them after the other.
    private final class Walk: Decodable {
        var log: [String] = []
        private var generator: JSONGenerator
        private var objects: [KeyedDecodingContainer<Key>] = []
        private var arrays: [any UnkeyedDecodingContainer] = []

        init(from decoder: any Decoder) throws {
            let seed = JSONBodyDecoderWalkTests.seed.flatMap { decoder.userInfo[$0] as? UInt64 } ?? 0
            let depth = decoder.codingPath.count
            generator = JSONGenerator(seed: seed &+ UInt64(depth))
            open(decoder)
            for _ in 0..<(depth == 0 ? 150 : 20) where !objects.isEmpty || !arrays.isEmpty {
                if arrays.isEmpty || !objects.isEmpty && !generator.once(in: 4) { readObject() } else { readArray() }
            }
        }

        private func open(_ decoder: any Decoder) {
            note("open") {
                objects.append(try decoder.container(keyedBy: Key.self))
                return "object"
            }
            note("open") {
                arrays.append(try decoder.unkeyedContainer())
                return "array"
            }
        }

        private func readObject() {
            let container = generator.pick(objects)
            let key = generator.key()
            let converted = Key(generator.once(in: 2) ? "\(key)!\(container.codingPath.count + 1)" : key)
            let question = "\(path(container.codingPath)) \(converted.stringValue)"
            switch generator.next() % 11 {
            case 0: note(question) { "\(container.contains(converted))" }
            case 1: note(question) { "\(try container.decodeNil(forKey: converted))" }
            case 2:
                note(question) {
                    "\(container.allKeys.map(\.stringValue).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })"
                }
            case 3, 4: note(question) { "\(try container.decode(Int.self, forKey: converted))" }
            case 5: note(question) { "\(try container.decodeIfPresent(Int.self, forKey: converted) ?? -1)" }
            case 6: note(question) { "\(try container.decode([Int].self, forKey: converted))" }
            case 7: note(question) { "\(try container.decode(Walk.self, forKey: converted).log)" }
            case 8:
                note(question) {
                    objects.append(try container.nestedContainer(keyedBy: Key.self, forKey: converted))
                    return "nested"
                }
            case 9:
                note(question) {
                    arrays.append(try container.nestedUnkeyedContainer(forKey: converted))
                    return "nested"
                }
            default:
                if container.contains(converted), let decoder = try? container.superDecoder(forKey: converted) {
                    open(decoder)
                }
            }
        }

        private func readArray() {
            let position = Int(generator.next() % UInt64(arrays.count))
            let question = "\(path(arrays[position].codingPath)) \(arrays[position].currentIndex)"
            switch generator.next() % 6 {
            case 0: note(question) { "\(arrays[position].isAtEnd) \(arrays[position].count ?? -1)" }
            case 1: note(question) { "\(try arrays[position].decode(Int.self))" }
            case 2: note(question) { "\(try arrays[position].decode(Walk.self).log)" }
            case 3: note(question) { "\(try arrays[position].decode([Int?].self))" }
            case 4:
                note(question) {
                    objects.append(try arrays[position].nestedContainer(keyedBy: Key.self))
                    return "nested"
                }
            default:
                note(question) {
                    arrays.append(try arrays[position].nestedUnkeyedContainer())
                    return "nested"
                }
            }
        }

        private func path(_ path: [any CodingKey]) -> String {
            path.map(\.stringValue).joined(separator: "/")
        }

        private func note(_ question: String, _ result: () throws -> String) {
            do {
                log.append("\(question): \(try result())")
            } catch let error as DecodingError {
                log.append("\(question): error at \(error.path.joined(separator: "/"))")
            } catch {
                log.append("\(question): \(error)")
            }
        }
    }
}

extension JSONGenerator {
    fileprivate mutating func key() -> String {
        let number = next() % 40
        return pick(["k\(number)", "k\(number)", "k_\(number)", "k\(number)_a", "é\(number)", "e\u{301}\(number)"])
    }

    /// A document of objects and arrays, some of them large, whose keys differ.
    fileprivate mutating func walked(depth: Int) -> String {
        guard depth > 0, depth > 2 || !once(in: 3) else {
            return pick(["1", "2", "null", "\"x\"", "[1,2]", "{}", "[]"])
        }
        if once(in: 4) {
            return "[\((0..<Int(next() % 12)).map { _ in walked(depth: depth - 1) }.joined(separator: ","))]"
        }
        var keys: [String] = []
        for _ in 0..<(once(in: 2) ? 50 : 6) {
            let key = key()
            if !keys.contains(where: { $0 == key }) { keys.append(key) }
        }
        let members = keys.map { key in
            let written = once(in: 6) ? key.replacing("k", with: "\\u006b") : key
            return "\"\(written)\":\(walked(depth: depth - (keys.count > 6 ? 2 : 1)))"
        }
        return "{\(members.joined(separator: ","))}"
    }
}
