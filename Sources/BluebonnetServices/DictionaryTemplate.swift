#if Logging || Tracing
    /// A dictionary with known keys, to be copied and filled: a copy computes no hash and does not
    /// grow, which is most of the cost of filling a new one.
    struct DictionaryTemplate<Value> {
        private let dictionary: [String: Value]
        /// The place of each key, in the order in which they were given.
        private let places: [[String: Value].Index]

        /// - Parameters:
        ///   - keys: Different keys.
        ///   - spare: How many keys can be added to a copy before it grows.
        ///   - value: The value of all keys until a copy is filled.
        init(_ keys: [String], spare: Int, value: Value) {
            var dictionary = [String: Value](minimumCapacity: keys.count + spare)
            for key in keys { dictionary[key] = value }
            self.dictionary = dictionary
            places = keys.compactMap(dictionary.index)
        }

        /// A copy with these values, in the order of the keys.
        func filled(_ values: (inout Filling) -> Void) -> [String: Value] {
            var filling = Filling(dictionary: dictionary, places: places)
            values(&filling)
            return filling.dictionary
        }

        /// A copy of the template while it is filled.
        struct Filling {
            fileprivate var dictionary: [String: Value]
            fileprivate let places: [[String: Value].Index]

            /// The value of the key at a place in the order of the keys.
            subscript(_ key: Int) -> Value {
                get { dictionary.values[places[key]] }
                set { dictionary.values[places[key]] = newValue }
            }
        }
    }

    extension DictionaryTemplate: Sendable where Value: Sendable {}
#endif
