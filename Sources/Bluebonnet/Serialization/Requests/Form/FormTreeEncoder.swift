/// The encoder of one value, which becomes a ``FormValue``.
///
/// Where a value asks for containers of two kinds, the last kind counts.
final class FormTreeEncoder: Encoder {
    let scope: FormScope
    var value: FormValue = .nothing

    init(_ scope: FormScope) {
        self.scope = scope
    }

    var codingPath: [any CodingKey] { scope.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object(let object) = value.resolved {
            return KeyedEncodingContainer(FormKeyedContainer(scope: scope, object: object))
        }
        let object = FormObject()
        value = .object(object)
        return KeyedEncodingContainer(FormKeyedContainer(scope: scope, object: object))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array(let array) = value.resolved { return FormUnkeyedContainer(scope: scope, array: array) }
        let array = FormArray()
        value = .array(array)
        return FormUnkeyedContainer(scope: scope, array: array)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        FormSingleValueContainer(encoder: self)
    }
}
