// swift-tools-version: 6.2

import PackageDescription

/// A program in the folder of its name. Warnings are errors only here; your program needs no such
/// setting.
func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "Bluebonnet", package: "bluebonnet")],
        path: name,
        exclude: ["expected.txt"],
        swiftSettings: [.treatAllWarnings(as: .error)]
    )
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "bluebonnet", path: "..")],
    targets: [
        example("Chat"),
        example("DownloadFile"),
        example("FetchJSON"),
        example("Login"),
        example("RetryInterceptor"),
        example("StreamLines"),
        example("TypedClient"),
    ],
    swiftLanguageModes: [.v6]
)
