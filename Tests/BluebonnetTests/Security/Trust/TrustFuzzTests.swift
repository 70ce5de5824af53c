import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Chains that were changed at random: no crash, no hang, and nothing that was changed is trusted.
///
/// `BLUEBONNET_FUZZ_SECONDS` sets the time, and `BLUEBONNET_FUZZ_SEED` the seed.
@Suite(.timeLimit(.minutes(60)))
struct TrustFuzzTests {
    @Test func `no certificate is trusted after what its authority has signed was changed`() throws {
        let shop = try TrustWorkshop.shared()
        let scenes = try (GoodTrustCases.all + BadTrustCases.all.filter { $0.rule != .chainSize }).map {
            try $0.make(shop)
        }
        let donors = scenes.flatMap { $0.shown.map(\.der) }.filter { $0.count < 4096 }
        let bodies = Set(scenes.flatMap { ($0.shown + $0.trusted).map(\.body) })
        let seed = ProcessInfo.processInfo.environment["BLUEBONNET_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        var random = SeededGenerator(seed: seed)
        var (count, trusted) = (0, 0)
        for _ in FuzzRounds(3000) {
            guard let scene = scenes.randomElement(using: &random), !scene.shown.isEmpty else { continue }
            var changed = scene
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: changed.shown.indices, using: &random)
                Self.change(&changed.shown[place].der, with: donors, &random)
            }
            if Bool.random(using: &random) { changed.shown[1...].shuffle(using: &random) }
            count += 1
            let start = ContinuousClock.now
            let result = changed.result(at: shop.now)
            #expect(ContinuousClock.now - start < .seconds(10), "seed \(seed), round \(count)")
            guard result.isTrusted else { continue }
            trusted += 1
            // The change was in a certificate that is not needed, or has repaired a bad one: the
            // signed part of each, which is behind the four bytes of the outer header, is known.
            let path = result.path.map(\.fields.bytes)
            let isKnown = path.allSatisfy { bytes in bodies.contains { bytes.dropFirst(4).starts(with: $0) } }
            #expect(isKnown, "seed \(seed), round \(count)")
            #expect(path.last.map { scene.trusted.map(\.der).contains($0) } == true, "seed \(seed), round \(count)")
        }
        #expect(count > 0 && trusted < count)
        print("trust-fuzz: \(count) chains, \(trusted) of them still good, seed \(seed)")
    }

    /// Changes a certificate: bytes, lengths, or a piece of another one.
    private static func change(_ bytes: inout [UInt8], with donors: [[UInt8]], _ random: inout SeededGenerator) {
        guard bytes.count > 8 else { return bytes = donors.randomElement(using: &random) ?? [] }
        let place = Int.random(in: bytes.indices, using: &random)
        let length = min(Int.random(in: 1...64, using: &random), bytes.count - place)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 4: bytes.removeLast(length)
        case 5:
            // The same place of another certificate: often a whole field.
            guard let donor = donors.randomElement(using: &random), donor.count > place + length else { return }
            bytes.replaceSubrange(place..<place + length, with: donor[place..<place + length])
        default:
            // The signature of another certificate.
            guard let donor = donors.randomElement(using: &random), donor.count > 80 else { return }
            bytes.replaceSubrange(max(0, bytes.count - 72)..., with: donor.suffix(72))
        }
    }
}
