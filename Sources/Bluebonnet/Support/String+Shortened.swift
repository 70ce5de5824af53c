extension StringProtocol {
    /// The text for a message: at most 60 characters of it. What a server sends can be as long as the document
    /// it is in, and messages end in logs. Unicode scalars are counted, since any number of them can be one
    /// `Character`.
    package var shortened: String {
        let scalars = unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 60, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return String(self) }
        return String(self[..<end]) + "…"
    }
}
