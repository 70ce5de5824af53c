// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "TypedClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "bluebonnet", path: "../..")],
    targets: [
        .executableTarget(
            name: "TypedClient",
            dependencies: [.product(name: "Bluebonnet", package: "bluebonnet")],
            path: ".",
            exclude: ["expected.txt"],
            // Your program needs no such setting.
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
