#if AsyncHTTPClient

extension AHCTransport.TLS {
    /// A file that does not hold the certificates or the key in PEM that it should.
    public struct Unreadable: Error {
        /// The file.
        public let file: URL

        /// What was wrong with it.
        public let cause: any Error

        /// Calls a function, and throws an error that names the file if the function fails.
        static func naming<Output>(
            _ file: URL, _ read: () throws -> Output
        ) throws(Unreadable) -> Output {
            do {
                return try read()
            } catch {
                throw Unreadable(file: file, cause: error)
            }
        }
    }
}

extension AHCTransport.TLS.Unreadable: CustomStringConvertible {
    /// The file, and what it should contain.
    public var description: String {
        "\(file.path) cannot be read as certificates or a key in PEM: \(cause)"
    }
}

extension AHCTransport.TLS.Unreadable: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
#endif
