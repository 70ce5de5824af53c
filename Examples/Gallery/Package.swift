// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Gallery",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "bluebonnet", path: "../..", traits: ["GTK"])],
    targets: [
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "CGtk",
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetGTK", package: "bluebonnet"),
                .product(name: "BluebonnetImages", package: "bluebonnet"),
            ],
            path: ".",
            exclude: ["CGtk", "arguments.txt", "expected.txt"],
            // Your program needs no such setting.
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // GTK itself, for which any binding will do.
        .systemLibrary(
            name: "CGtk",
            path: "CGtk",
            pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]
        ),
    ],
    swiftLanguageModes: [.v6]
)
