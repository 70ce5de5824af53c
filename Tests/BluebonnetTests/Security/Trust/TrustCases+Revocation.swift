import Foundation
import LocalServer

@testable import Bluebonnet

/// Chains beside lists of revoked certificates: good ones, and those that must be refused.
enum RevocationCases {
    /// The usual chain, with the lists of its two authorities, which name the numbers.
    private static func scene(
        _ shop: TrustWorkshop,
        servers: [[UInt8]] = [],
        authorities: [[UInt8]] = [],
        areRequired: Bool = true,
        lists change: (inout [RevocationListMint]) throws -> Void = { _ in },
        leaf changeLeaf: TrustWorkshop.Change = { _ in },
        middle changeMiddle: TrustWorkshop.Change = { _ in }
    ) throws -> TrustScene {
        var scene = try shop.scene(middle: changeMiddle, leaf: changeLeaf)
        var lists = [
            RevocationListMint(servers, by: scene.shown[1], at: shop.now),
            RevocationListMint(authorities, by: shop.root, at: shop.now),
        ]
        try change(&lists)
        var settings = TLSSettings.RevocationLists.pem(try lists.map { try $0.madePEM() }.joined())
        settings.areRequired = areRequired
        scene.revocationLists = settings
        return scene
    }

    static let good: [TrustCase] = [
        TrustCase("lists that do not name it") { shop in try scene(shop, servers: [[2], [3, 1]], authorities: [[7]]) },
        TrustCase("empty lists") { shop in try scene(shop) },
        TrustCase("a list that has expired and does not name it") { shop in
            try scene(shop, areRequired: false) { $0[0].nextUpdate = shop.now.addingTimeInterval(-60) }
        },
        TrustCase("a list with its name and another signature") { shop in
            try scene(shop, servers: [[1]], areRequired: false) { $0[0].breaksSignature = true }
        },
        TrustCase("a list by another authority, with its number") { shop in
            try scene(shop, areRequired: false) { lists in
                lists[0] = RevocationListMint([[1]], by: try shop.authority("Another", 5), at: shop.now)
            }
        },
        TrustCase("lists for servers and for authorities") { shop in
            try scene(shop) { lists in
                lists[0].extensions = [.scope([1])]
                lists[1].extensions = [.scope([2])]
            }
        },
        TrustCase("a list for some places, one of which it names") { shop in
            try scene(
                shop,
                lists: { $0[0].extensions = [.scope(point: "http://crl.example.com/7")] },
                leaf: { $0.extensions.append(.point("http://crl.example.com/7")) }
            )
        },
    ]

    static let bad: [TrustCase] = [
        TrustCase("revoked", .revocation) { shop in try scene(shop, servers: [[9], [1]]) },
        TrustCase("revoked, where lists are not required", .revocation) { shop in
            try scene(shop, servers: [[1]], areRequired: false) { $0.removeLast() }
        },
        TrustCase("an authority that was revoked", .revocation) { shop in try scene(shop, authorities: [[1]]) },
        TrustCase("revoked in a list that has expired", .revocation) { shop in
            try scene(shop, servers: [[1]]) { $0[0].nextUpdate = shop.now.addingTimeInterval(-60) }
        },
        TrustCase("revoked in a list that is not valid yet", .revocation) { shop in
            try scene(shop, servers: [[1]]) { $0[0].thisUpdate = shop.now.addingTimeInterval(3600) }
        },
        TrustCase("revoked with a long number", .revocation) { shop in
            let number: [UInt8] = [0, 0xD1] + Array(repeating: 0xAB, count: 17)
            return try scene(shop, servers: [[1], number], leaf: { $0.serialNumber = number })
        },
        TrustCase("no list for the server's certificate", .revocationUnknown) { shop in
            try scene(shop) { $0.removeFirst() }
        },
        TrustCase("no list for an authority", .revocationUnknown) { shop in try scene(shop) { $0.removeLast() } },
        TrustCase("a list that has expired", .revocationUnknown) { shop in
            try scene(shop) { $0[0].nextUpdate = shop.now.addingTimeInterval(-60) }
        },
        TrustCase("a list without an end", .revocationUnknown) { shop in try scene(shop) { $0[0].nextUpdate = nil } },
        TrustCase("a list that is not valid yet", .revocationUnknown) { shop in
            try scene(shop) { $0[0].thisUpdate = shop.now.addingTimeInterval(3600) }
        },
        TrustCase("a list with a wrong signature", .revocationUnknown) { shop in
            try scene(shop) { $0[0].breaksSignature = true }
        },
        TrustCase("a list by an authority that must not sign lists", .revocationUnknown) { shop in
            try scene(shop, middle: { $0.replace(.keyUsage(0x04)) })
        },
        TrustCase("a list for authorities in place of servers", .revocationUnknown) { shop in
            try scene(shop) { $0[0].extensions = [.scope([2])] }
        },
        TrustCase("a list for a place that it does not name", .revocationUnknown) { shop in
            try scene(
                shop,
                lists: { $0[0].extensions = [.scope(point: "http://crl.example.com/8")] },
                leaf: { $0.extensions.append(.point("http://crl.example.com/7")) }
            )
        },
    ]
}
