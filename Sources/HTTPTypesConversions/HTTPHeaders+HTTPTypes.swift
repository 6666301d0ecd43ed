#if HTTPTypes
public import PledgeHTTPNetworking
public import HTTPTypes

extension HTTPHeaders {
    /// Makes headers from the fields of HTTPTypes: the same names in the same case, each value, in order.
    ///
    /// Three things are lost, since `HTTPHeaders` cannot store them. A value that is not UTF-8 is read as
    /// ISO-8859-1; its text is kept, and the inverse conversion writes it as UTF-8. White space around a
    /// value, which only `HTTPField(name:lenientValue:)` allows, is dropped. A field's indexing strategy is
    /// dropped as well: a field that must never be indexed (RFC 7541, section 7.1.3) has to be marked again.
    ///
    /// Complexity: linear in the size of the fields.
    ///
    /// - Parameter fields: The fields. `HTTPFields` holds no pseudo fields.
    public init(_ fields: HTTPFields) {
        self.init(
            fields.lazy.map { field in
                let text = field.withUnsafeBytesOfValue { HTTPHeaders.text(ofValue: $0) }
                return (field.name.rawName, text)
            })
    }
}

extension HTTPFields {
    /// Makes fields from the headers of Pledge: the same names in the same case, each value as UTF-8, in
    /// order.
    ///
    /// Nothing is lost. The fields have the automatic indexing strategy, and several Cookie fields are not
    /// joined.
    ///
    /// Complexity: linear in the size of the headers.
    ///
    /// - Parameter headers: The headers.
    /// - Throws: ``ConversionError/invalidFieldName(_:)``, ``ConversionError/invalidFieldValue(name:)`` if
    ///   `HTTPField` would change the value, and ``ConversionError/tooManyFields(_:)``.
    public init(_ headers: HTTPHeaders) throws(ConversionError) {
        // The method `append` traps for more fields.
        guard headers.count < UInt16.max else { throw .tooManyFields(headers.count) }
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let fieldName = HTTPField.Name(name) else { throw .invalidFieldName(name) }
            guard HTTPField.isValidValue(value) else { throw .invalidFieldValue(name: name) }
            append(HTTPField(name: fieldName, value: value))
        }
    }
}
#endif
