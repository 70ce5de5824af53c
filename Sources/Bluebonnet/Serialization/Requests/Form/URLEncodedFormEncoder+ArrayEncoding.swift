extension URLEncodedFormEncoder {
    /// How the name of an array's element is made from the name of the array.
    public enum ArrayEncoding: Sendable {
        /// Brackets after the name: `a[]=1&a[]=2`.
        case brackets
        /// The name as it is: `a=1&a=2`.
        case noBrackets
        /// Brackets with the index, from 0 on: `a[0]=1&a[1]=2`. Elements that ``NilEncoding/dropKey`` drops do not count.
        case indexInBrackets
        /// What the closure makes of the whole unescaped name of the array and the index of the element.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }
}
