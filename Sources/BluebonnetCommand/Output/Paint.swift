/// ANSI colours, or nothing at all.
struct Paint: Sendable {
    /// The parts of the output that have a colour.
    enum Part: String, Sendable {
        case name = "36"
        case key = "34"
        case string = "32"
        case number = "33"
        /// true, false and null.
        case word = "35"
        case faint = "2"
        case success = "1;32"
        case redirection = "1;33"
        case failure = "1;31"
    }

    let isOn: Bool

    /// The text in the colour of a part.
    func callAsFunction(_ text: String, _ part: Part) -> String {
        isOn ? "\u{1B}[\(part.rawValue)m\(text)\u{1B}[0m" : text
    }
}
