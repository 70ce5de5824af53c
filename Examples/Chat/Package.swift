// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Chat",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "bluebonnet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Chat",
            dependencies: [.product(name: "Bluebonnet", package: "bluebonnet")],
            path: ".",
            exclude: ["expected.txt"],
            // Your program needs no such setting.
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
