/// The elements that an unkeyed container has taken.
///
/// A reference, because containers are values that several parties may hold.
final class FormArray {
    var elements: [FormValue] = []
    /// Whether the elements come from a set, so that their order means nothing.
    var isSet = false
}
