/// The types of the JSON documents that `Runner/payloads.py` makes; see README.md.
enum JSONDocuments {
    /// Escapes and text beyond ASCII, like a response of a social network.
    struct Texts: Decodable {
        var statuses: [Status]

        struct Status: Decodable {
            var id: Int
            var createdAt: String
            var text: String
            var source: String
            var truncated: Bool
            var replyTo: Int?
            var user: User
            var entities: Entities
            var retweets: Int
            var favourites: Int
            var language: String
        }

        struct User: Decodable {
            var id: Int
            var name: String
            var screenName: String
            var location: String
            var description: String
            var url: String?
            var followers: Int
            var verified: Bool
        }

        struct Entities: Decodable {
            var hashtags: [Hashtag]
            var urls: [String]
        }

        struct Hashtag: Decodable {
            var text: String
            var indices: [Int]
        }
    }

    /// Many small objects in objects, like a catalogue of events.
    struct Structure: Decodable {
        var performances: [Performance]
        var events: [String: Event]
        var topicNames: [String: String]

        struct Event: Decodable {
            var id: Int
            var name: String
            var subjectCode: String?
            var subTopicIds: [Int]
            var topicIds: [Int]
        }

        struct Performance: Decodable {
            var id: Int
            var eventId: Int
            var start: Int
            var name: String?
            var prices: [Price]
            var seatCategories: [Category]
        }

        struct Price: Decodable {
            var amount: Int
            var audienceSubCategoryId: Int
            var seatCategoryId: Int
        }

        struct Category: Decodable {
            var seatCategoryId: Int
            var areas: [Area]
        }

        struct Area: Decodable {
            var areaId: Int
            var blockIds: [Int]
        }
    }

    /// Hardly anything but doubles, like a map.
    struct Doubles: Decodable {
        var features: [Feature]
        var type: String

        struct Feature: Decodable {
            var type: String
            var properties: [String: String]
            var geometry: Geometry
        }

        struct Geometry: Decodable {
            var type: String
            var coordinates: [[[Double]]]
        }
    }
}
