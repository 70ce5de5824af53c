import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct ThemeTests {
    /// The relative luminance of a colour of the palette of 256 (WCAG 2.1).
    private func luminance(_ number: Int) -> Double {
        let levels = [0, 95, 135, 175, 215, 255]
        let index = number - 16
        let parts = [index / 36, index / 6 % 6, index % 6].map { level -> Double in
            let value = Double(levels[level]) / 255
            return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private func colors(of theme: Theme) throws -> [Double] {
        try Paint.Part.allCases.filter { $0 != .faint }.map { part in
            luminance(try #require(theme.code(of: part).split(separator: ";").last.flatMap { Int($0) }))
        }
    }

    @Test func `each colour of the balanced theme can be read on black and on white`() throws {
        for luminance in try colors(of: .balanced) {
            #expect((luminance + 0.05) / 0.05 >= 3.8)
            #expect(1.05 / (luminance + 0.05) >= 3.8)
        }
    }

    @Test func `the dark theme can be read on black, and the light one on white`() throws {
        for luminance in try colors(of: .dark) { #expect((luminance + 0.05) / 0.05 >= 5) }
        for luminance in try colors(of: .light) { #expect(1.05 / (luminance + 0.05) >= 5) }
    }

    @Test func `the mono theme has no colours`() {
        #expect(Paint.Part.allCases.allSatisfy { ["", "1", "2"].contains(Theme.mono.code(of: $0)) })
    }
}
