import Foundation
@testable import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PictureEndpointsTests {
    @Test(arguments: [("", 100), ("?count=0", 0), ("?count=3", 3)])
    func `a list has as many pictures as were asked for`(query: String, count: Int) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/v1/pictures\(query)", from: server)
            let pictures = try #require(
                JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]]
            )
            #expect(pictures.count == count)
            #expect(pictures.compactMap { $0["id"] as? Int } == Array(1..<count + 1))
            #expect(Set(pictures.compactMap { $0["title"] as? String }).count == count)
            if let last = pictures.last { #expect(last["url"] as? String == "/v1/pictures/\(count).png") }
        }
    }

    @Test func `each picture is a PNG, the same each time and like no other`() async throws {
        try await LocalServer.run { server in
            var seen: Set<[UInt8]> = []
            for number in 1...20 {
                let target = "/v1/pictures/\(number).png?width=16"
                let response = try await RawResponse.fetch(target, from: server)
                #expect(response.status == 200)
                #expect(response.value(of: "content-type") == "image/png")
                #expect(response.value(of: "cache-control") == "public, max-age=3600")
                #expect(try await RawResponse.fetch(target, from: server).body == response.body)
                seen.insert(response.body)
            }
            #expect(seen.count == 20)
        }
    }

    @Test func `pictures that were made are kept within a limit`() {
        var files = PictureEndpoints.Files()
        let file = [UInt8](repeating: 1, count: PictureEndpoints.Files.mostBytes / 4)
        for number in 1...5 {
            for _ in 0..<2 { files.keep(file, for: PictureEndpoints.Files.Key(number: number, width: 4)) }
            #expect(files.byteCount == (number == 5 ? 1 : number) * file.count)
        }
        #expect(files[PictureEndpoints.Files.Key(number: 1, width: 4)] == nil)
        #expect(files[PictureEndpoints.Files.Key(number: 5, width: 4)] == file)
    }

    @Test(
        arguments: [
            ("/v1/pictures?count=-1", 400), ("/v1/pictures?count=10001", 400), ("/v1/pictures?count=x", 400),
            ("/v1/pictures/1.png?width=3", 400), ("/v1/pictures/1.png?width=1025", 400),
            ("/v1/pictures/0.png", 404), ("/v1/pictures/-1.png", 404), ("/v1/pictures/10001.png", 404),
            ("/v1/pictures/\(Int.max).png", 404), ("/v1/pictures/1.jpg", 404), ("/v1/pictures/.png", 404),
        ]
    )
    func `a picture that there is not is refused`(target: String, status: Int) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == status)
        }
    }
}
