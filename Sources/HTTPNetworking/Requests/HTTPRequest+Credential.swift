extension HTTPRequest {
    /// A header that a middleware has added to a request for a user.
    package struct Credential {
        /// The header's name.
        package let header: String

        /// The value that was added.
        ///
        /// If the request's header has another value now, that belongs to another user.
        package fileprivate(set) var value: String

        /// The bytes of the value; nil for the UTF-8 of its text.
        private(set) var bytes: [UInt8]?

        /// The user of the header.
        package let principal: Principal

        /// The origins that it may be sent to; nil for only the origin of the request that it was
        /// added to.
        package let origins: HTTPOrigins?

        /// Makes a credential.
        package init(
            header: String, value: String, principal: Principal, origins: HTTPOrigins?
        ) {
            self.header = header
            self.value = value
            self.principal = principal
            self.origins = origins
        }

        /// Makes a credential whose value has bytes of a server.
        package init(
            header: String, bytes: [UInt8], principal: Principal, origins: HTTPOrigins?
        ) {
            self.init(
                header: header, value: HTTPHeaders.text(ofValue: bytes), principal: principal,
                origins: origins)
            self.bytes = bytes
        }

        /// Whether it may be sent to another origin than that of its request.
        func isFor(_ other: HTTPOrigin) -> Bool { origins?.contains(other) ?? false }
    }

    /// The same with a header, which replaces the earlier one of any user.
    package func adding(_ credential: Credential) -> HTTPRequest {
        var request = self
        if let bytes = credential.bytes {
            request.headers.set(bytes: bytes, for: credential.header)
        } else {
            request.headers.set(credential.value, for: credential.header)
        }
        for index in context.credentials.indices
        where context.credentials[index].header == credential.header {
            request.context.credentials[index].value = credential.value
        }
        request.context.credentials.append(credential)
        return request
    }
}

extension HTTPRequest.Credential: Sendable {}
