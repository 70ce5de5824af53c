// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "RetryInterceptor",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "bluebonnet", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "RetryInterceptor",
            dependencies: [
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
