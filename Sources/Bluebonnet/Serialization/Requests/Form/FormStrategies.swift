/// How values become text; one reference for a whole encoding.
final class FormStrategies: Sendable {
    let bool: URLEncodedFormEncoder.BoolEncoding
    let data: URLEncodedFormEncoder.DataEncoding
    let date: URLEncodedFormEncoder.DateEncoding

    init(_ encoder: URLEncodedFormEncoder) {
        bool = encoder.boolEncoding
        data = encoder.dataEncoding
        date = encoder.dateEncoding
    }
}
