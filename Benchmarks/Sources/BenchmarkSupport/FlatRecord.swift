/// One record of the JSON document of the `json-100k` workload.
public struct FlatRecord: Codable, Sendable {
    /// The record's number, counted from 0.
    public var id: Int
    /// A unique text of 36 characters.
    public var guid: String
    /// A person's name.
    public var name: String
    /// An address for mail.
    public var email: String
    /// A place.
    public var city: String
    /// A postal code.
    public var zip: String
    /// A number with a fraction.
    public var balance: Double
    /// A small number.
    public var age: Int
    /// A flag.
    public var active: Bool
    /// A date as text.
    public var registered: String
}
