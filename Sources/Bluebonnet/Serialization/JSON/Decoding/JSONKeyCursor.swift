/// Where a key was last found: types ask for their keys in the order in which servers write them, mostly.
struct JSONKeyCursor {
    /// The object, or -1.
    var owner = -1
    /// The index of the key after the one that was found.
    var index = 0
    /// The position of that key among the object's keys, where a shape is used.
    var position = 0
    /// How many keys were passed to no purpose; when they are too many, the keys are indexed.
    var wasted = 0
    /// The object's keys, where they are not compared as they are written.
    var shape: JSONKeyShape?
}
