// swift-tools-version: 6.2

import PackageDescription

// One executable per client library, so that the processor time and the memory of a process belong
// to that library alone. `scripts/bench` builds this package and runs it; README.md says what is
// measured.
let package = Package(
    name: "bluebonnet-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bench-bluebonnet", targets: ["BluebonnetClient"]),
        .executable(name: "soak", targets: ["Soak"]),
        .executable(name: "bench-ahc", targets: ["AHCClient"]),
        .executable(name: "bench-images", targets: ["ImagesClient"]),
        .executable(name: "bench-nio", targets: ["NIOClient"]),
        .executable(name: "bench-urlsession", targets: ["URLSessionClient"]),
        .executable(name: "get-ahc", targets: ["AHCGet"]),
        .executable(name: "get-urlsession", targets: ["URLSessionGet"]),
        .executable(name: "bench-launcher", targets: ["Launcher"]),
        .executable(name: "bench-echo", targets: ["EchoServer"]),
        .executable(name: "bench-sink", targets: ["UploadSink"]),
    ],
    dependencies: [
        .package(
            name: "bluebonnet",
            path: "..",
            traits: ["Images", "Logging", "Metrics", "Redis", "Stores", "Tracing"]
        ),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .target(name: "BenchmarkSupport"),
        .target(name: "BenchmarkNIO", dependencies: [.product(name: "NIOCore", package: "swift-nio")]),
        .executableTarget(
            name: "BluebonnetClient",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetServices", package: "bluebonnet"),
                .product(name: "BluebonnetStores", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "AHCClient",
            dependencies: [
                "BenchmarkNIO",
                "BenchmarkSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .executableTarget(
            name: "NIOClient",
            dependencies: [
                "BenchmarkNIO",
                "BenchmarkSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        // A program of its own: the libraries for images would be part of the memory of the others.
        .executableTarget(
            name: "ImagesClient",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "BluebonnetImages", package: "bluebonnet"),
            ]
        ),
        .executableTarget(name: "URLSessionClient", dependencies: ["BenchmarkSupport"]),
        .executableTarget(
            name: "AHCGet",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(name: "URLSessionGet"),
        .executableTarget(name: "Launcher"),
        .executableTarget(name: "EchoServer"),
        .executableTarget(name: "UploadSink"),
    ],
    swiftLanguageModes: [.v6]
)

let cTargets: Set<String> = ["EchoServer", "Launcher", "UploadSink"]

for target in package.targets where !cTargets.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
        ]
}
