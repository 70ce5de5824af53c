#if Images
    import Bluebonnet
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite struct AutoPurgingImageCacheTests {
        /// An image of so many pixels, each of four bytes.
        private func image(_ pixels: Int) throws -> Image {
            Image(try #require(Bitmap(width: pixels, height: 1)))
        }

        private func request(_ url: String) throws -> Request {
            Request(url: try #require(URL(string: url)))
        }

        @Test func `the capacities are those of AFNetworking`() {
            let cache = AutoPurgingImageCache()
            #expect(cache.memoryCapacity == 100 * 1024 * 1024)
            #expect(cache.preferredMemoryUsageAfterPurge == 60 * 1024 * 1024)
            #expect(cache.memoryUsage == 0)
        }

        @Test func `images cost the bytes of their pixels, and the oldest make room`() throws {
            let cache = AutoPurgingImageCache(memoryCapacity: 400, preferredMemoryUsageAfterPurge: 240, pressure: nil)
            for name in ["a", "b", "c"] { cache.add(try image(30), for: name) }
            #expect(cache.memoryUsage == 360)
            #expect(cache.image(for: "a") != nil)
            cache.add(try image(30), for: "d")
            #expect(cache.count == 2)
            #expect(cache.memoryUsage == 240)
            #expect(cache.image(for: "a") != nil)
            #expect(cache.image(for: "b") == nil)
            #expect(cache.remove("d"))
            #expect(!cache.remove("d"))
            #expect(cache.removeAll())
            #expect(!cache.removeAll())
        }

        @Test func `a request and an additional identifier name an image`() throws {
            let cache = AutoPurgingImageCache(pressure: nil)
            let request = try request("http://example.com/a.png")
            cache.add(try image(1), for: request)
            cache.add(try image(2), for: request, additionalIdentifier: "circle")
            #expect(cache.image(for: request)?.width == 1)
            #expect(cache.image(for: request, additionalIdentifier: "circle")?.width == 2)
            // Without anything between URL and identifier, this would be the same image.
            #expect(cache.image(for: try self.request("http://example.com/a.pngcircle")) == nil)
            #expect(cache.remove(for: request))
            #expect(cache.image(for: request, additionalIdentifier: "circle") != nil)
            #expect(cache.shouldCache(try image(1), for: request, additionalIdentifier: nil))
        }

        @Test func `a shortage of memory removes all images`() throws {
            let pressure = MemoryPressure()
            let cache = AutoPurgingImageCache(pressure: pressure)
            cache.add(try image(1), for: "a")
            pressure.signal()
            #expect(cache.count == 0)
            #expect(cache.memoryUsage == 0)
            cache.add(try image(1), for: "a")
            #expect(cache.count == 1)
        }

        @Test func `a cache that was released is not told any more`() throws {
            let pressure = MemoryPressure()
            weak var released: AutoPurgingImageCache?
            do {
                let cache = AutoPurgingImageCache(pressure: pressure)
                cache.add(try image(1), for: "a")
                released = cache
            }
            #expect(released == nil)
            pressure.signal()
        }
    }
#endif
