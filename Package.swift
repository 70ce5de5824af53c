// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "bluebonnet",
    platforms: [.macOS(.v15)],
    // Only libraries, and none of them may need more packages than Bluebonnet does: who depends on
    // this package resolves every dependency that a product here can reach, wanted or not. Without
    // a product for the command, SwiftPM leaves out what only the command, the embedded server, the
    // tests and the documentation use. In this package itself SwiftPM makes the executable
    // BluebonnetCommand all the same, and `make command` installs it as bluebonnet.
    // `scripts/consumer` holds the list of packages.
    products: [
        .library(name: "Bluebonnet", targets: ["Bluebonnet"]),
        .library(name: "BluebonnetFoundation", targets: ["BluebonnetFoundation"]),
        .library(name: "BluebonnetGTK", targets: ["BluebonnetGTK"]),
        .library(name: "BluebonnetImages", targets: ["BluebonnetImages"]),
        .library(name: "BluebonnetServices", targets: ["BluebonnetServices"]),
        .library(name: "BluebonnetStores", targets: ["BluebonnetStores"]),
        .library(name: "BluebonnetTesting", targets: ["BluebonnetTesting"]),
    ],
    traits: [
        .trait(name: "Brotli", description: "Undoes the content coding br; needs libbrotlidec."),
        .trait(
            name: "GTK",
            description: "BluebonnetGTK: widgets of GTK 4 that follow requests; needs libgtk-4.",
            enabledTraits: ["Images"]
        ),
        .trait(name: "Images", description: "BluebonnetImages: images through gdk-pixbuf."),
        .trait(name: "Logging", description: "BluebonnetServices: logs through swift-log."),
        .trait(name: "Metrics", description: "BluebonnetServices: measurements through swift-metrics."),
        .trait(name: "Redis", description: "BluebonnetStores: a cache shared by machines, in Redis; needs libhiredis."),
        .trait(name: "ServiceLifecycle", description: "BluebonnetServices: a session as a service."),
        .trait(name: "Stores", description: "BluebonnetStores: transfers, cookies and a cache in SQLite."),
        .trait(name: "Tracing", description: "BluebonnetServices: traces through swift-distributed-tracing."),
        .trait(
            name: "WebKitGTK",
            description: "BluebonnetGTK: a web view that loads through a session; needs libwebkitgtk-6.0.",
            enabledTraits: ["GTK"]
        ),
        .trait(name: "Zstd", description: "Undoes the content coding zstd; needs libzstd."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.32.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.10.0"),
    ],
    targets: [
        .target(
            name: "Bluebonnet",
            dependencies: [
                "CNetlink",
                "CZlib",
                .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
                .target(name: "CZstd", condition: .when(traits: ["Zstd"])),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .systemLibrary(name: "CNetlink"),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        .systemLibrary(
            name: "CGdkPixbuf",
            pkgConfig: "gdk-pixbuf-2.0",
            providers: [.apt(["libgdk-pixbuf-2.0-dev"]), .brew(["gdk-pixbuf"])]
        ),
        .systemLibrary(
            name: "CGtk4",
            pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]
        ),
        .systemLibrary(
            name: "CWebKitGTK",
            pkgConfig: "webkitgtk-6.0",
            providers: [.apt(["libwebkitgtk-6.0-dev"])]
        ),
        .systemLibrary(
            name: "CHiredis",
            pkgConfig: "hiredis",
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        .target(name: "BluebonnetFoundation", dependencies: ["Bluebonnet"]),
        .target(
            name: "BluebonnetGTK",
            dependencies: [
                "Bluebonnet",
                .target(name: "BluebonnetImages", condition: .when(traits: ["GTK"])),
                .target(name: "CGtk4", condition: .when(traits: ["GTK"])),
                .target(name: "CWebKitGTK", condition: .when(traits: ["WebKitGTK"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "BluebonnetImages",
            dependencies: [
                "Bluebonnet",
                .target(name: "CGdkPixbuf", condition: .when(traits: ["Images"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "BluebonnetServices",
            dependencies: [
                "Bluebonnet",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])
                ),
                .product(
                    name: "Tracing",
                    package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])
                ),
            ]
        ),
        .target(
            name: "BluebonnetStores",
            dependencies: [
                "Bluebonnet",
                .target(name: "CHiredis", condition: .when(traits: ["Redis"])),
                .target(name: "CSQLite", condition: .when(traits: ["Stores"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Stores", "Redis"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Redis"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Redis"])),
            ]
        ),
        .target(
            name: "BluebonnetTesting",
            dependencies: [
                "Bluebonnet",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "LocalServer",
            dependencies: [
                "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "_CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "BluebonnetCommand",
            dependencies: [
                "Bluebonnet",
                .target(name: "BluebonnetImages", condition: .when(traits: ["Images"])),
                "BluebonnetStores",
                "LocalServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluebonnetTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetTesting",
                "LocalServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "BluebonnetFoundationTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFoundation",
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // GTK belongs to the main thread of a process, which the test runner does not give to its
        // tests: they run this program, which has that thread.
        .executableTarget(
            name: "WidgetTestProgram",
            dependencies: [
                "Bluebonnet",
                "BluebonnetGTK",
                .target(name: "BluebonnetImages", condition: .when(traits: ["GTK"])),
                .target(name: "CGdkPixbuf", condition: .when(traits: ["GTK"])),
                .target(name: "CGtk4", condition: .when(traits: ["GTK"])),
                .target(name: "CWebKitGTK", condition: .when(traits: ["WebKitGTK"])),
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/WidgetTestProgram"
        ),
        .testTarget(
            name: "BluebonnetGTKTests",
            dependencies: [
                "Bluebonnet",
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "BluebonnetImagesTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetImages",
                "BluebonnetStores",
                "BluebonnetTesting",
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "BluebonnetServicesTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetServices",
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(
                    name: "InMemoryLogging",
                    package: "swift-log",
                    condition: .when(traits: ["Logging"])
                ),
                .product(
                    name: "InMemoryTracing",
                    package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])
                ),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "MetricsTestKit",
                    package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])
                ),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])
                ),
                .product(
                    name: "ServiceLifecycleTestKit",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])
                ),
                .product(
                    name: "Tracing",
                    package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])
                ),
            ]
        ),
        .testTarget(
            name: "BluebonnetStoresTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetStores",
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluebonnetTestingTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "LocalServerTests",
            dependencies: [
                "LocalServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "BluebonnetCommandTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetCommand",
                "LocalServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFoundation",
                .target(name: "BluebonnetImages", condition: .when(traits: ["Images"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            exclude: ["Corpus"]
        ),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "Bluebonnet",
                "LocalServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
            ],
            exclude: ["Servers"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.type != .plugin {
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
