import Bluebonnet
import BluebonnetImages
import FoundationEssentials

/// A photo of the server.
struct Photo: Decodable, Sendable {
    var id: Int
    var title: String
    /// The URL of the picture, relative to that of the server.
    var url: String
}

/// The photos of a server, and their pictures.
@MainActor
final class PhotoLibrary {
    /// The pictures in memory, at most 100 MiB.
    let cache = AutoPurgingImageCache()
    let downloader: ImageDownloader
    private let api: HTTPSessionManager
    private let count: Int

    /// Makes the library of a server.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - count: The number of photos.
    init(server: String, count: Int) {
        api = HTTPSessionManager(baseURL: server, configuration: ImageDownloader.sessionConfiguration)
        // Pictures use the session of the lists, and so its connections.
        downloader = ImageDownloader(session: api.session, cache: cache)
        self.count = count
    }

    /// The session of all requests.
    var session: SessionManager { api.session }

    /// A task for the list of photos.
    func list() throws(NetworkingError) -> DataTask<[Photo]> {
        // No stored response: who asks again wants to know what is new.
        try api.dataTask(
            .get,
            "v1/pictures",
            parameters: ["count": count],
            options: [.cachePolicy(.noCache)],
            as: .decodable([Photo].self)
        )
    }

    /// The request for the picture of a photo.
    ///
    /// The picture gets the size and the round corners with which it is shown, not on the main
    /// thread. So a large one takes no more memory, and each frame draws it as it is.
    ///
    /// - Parameters:
    ///   - photo: The photo.
    ///   - size: The size of its place, in pixels.
    ///   - radius: The radius of the corners, in pixels.
    /// - Returns: The request; nil where the URL of the photo is not one.
    func request(for photo: Photo, size: ImageSize, radius: Double) -> ImageRequest? {
        guard let url = URL(string: photo.url, relativeTo: api.baseURL) else { return nil }
        return ImageRequest(
            url: url.absoluteURL,
            processors: [.resized(to: size, mode: .filling, enlarges: true), .roundedCorners(radius: radius)]
        )
    }
}
