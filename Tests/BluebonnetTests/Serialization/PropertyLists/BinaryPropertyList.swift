import Foundation

/// Binary property lists made by hand, valid or not. The target `FuzzTests` has this file through a
/// link.
enum BinaryPropertyList {
    /// The size of references and of offsets, in bytes.
    static let width = 4

    /// A list of these objects, and a table whose `entries` are numbers of objects. The first entry
    /// is the top.
    static func list(_ objects: [[UInt8]], entries: [Int]? = nil) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        let entries = entries ?? Array(objects.indices)
        for entry in entries { bytes += number(offsets[entry], width) }
        bytes += trailer(entries: entries.count, table: table)
        return Data(bytes)
    }

    /// The end of a list: the sizes of offsets and references, the number of entries, the top, and
    /// the offset of the table.
    static func trailer(entries: Int, table: Int) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, UInt8(width), UInt8(width)] + number(entries, 8) + number(0, 8) + number(table, 8)
    }

    static func number(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The beginning of an object: its kind and its count.
    static func counted(_ kind: UInt8, _ count: Int) -> [UInt8] { [kind << 4 | 0xF, 0x12] + number(count, 4) }

    static func references(_ references: some Sequence<Int>) -> [UInt8] { references.flatMap { number($0, width) } }

    static func array(_ elements: some Collection<Int>) -> [UInt8] {
        counted(0xA, elements.count) + references(elements)
    }

    /// A dictionary: the references to its keys, and those to its values.
    static func dictionary(_ keys: some Collection<Int>, _ values: some Collection<Int>) -> [UInt8] {
        counted(0xD, keys.count) + references(keys) + references(values)
    }

    static func text(_ count: Int) -> [UInt8] {
        counted(5, count) + [UInt8](repeating: UInt8(ascii: "a"), count: count)
    }
}
