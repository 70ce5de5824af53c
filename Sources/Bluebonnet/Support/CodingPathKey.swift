/// A key or an index in a coding path.
///
/// Three words, which an existential holds without a box: paths have as many keys as a document has levels.
struct CodingPathKey: CodingKey {
    static let `super` = CodingPathKey(stringValue: "super")

    /// Stands for no index.
    private static let none = Int.min

    let stringValue: String
    private let number: Int

    var intValue: Int? { number == Self.none ? nil : number }

    init(stringValue: String) {
        self.stringValue = stringValue
        number = Self.none
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        number = intValue
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        number = index
    }
}
