/// Where an expression is evaluated (XPath 1.0 §1).
struct XPathContext {
    var node: Int
    var position = 1
    var size = 1
}
