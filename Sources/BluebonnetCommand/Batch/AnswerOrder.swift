/// Puts answers back into the order of their lines.
struct AnswerOrder: Sendable {
    private var next = 1
    private var held: [Int: [UInt8]] = [:]

    /// Takes an answer and gives back what may be written now.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - number: The number of its line, from 1.
    /// - Returns: The answers whose turn it is.
    mutating func add(_ answer: [UInt8], at number: Int) -> [[UInt8]] {
        held[number] = answer
        var ready: [[UInt8]] = []
        while let answer = held.removeValue(forKey: next) {
            ready.append(answer)
            next += 1
        }
        return ready
    }
}
