extension MultipartReader {
    /// The limits of a reader for everything except content.
    public struct Limits {
        /// How many bytes the headers of one part may have.
        public var headerBytes: Int

        /// How many parts there may be.
        public var parts: Int

        /// How many bytes may come before the first boundary, and how many after the last.
        public var outsideBytes: Int

        /// Makes limits.
        public init(headerBytes: Int = 16_384, parts: Int = 1_000, outsideBytes: Int = 65_536) {
            self.headerBytes = headerBytes
            self.parts = parts
            self.outsideBytes = outsideBytes
        }
    }
}

extension MultipartReader.Limits: Hashable {}

extension MultipartReader.Limits: Sendable {}
