extension TraceContext {
    /// The members of a `tracestate`: entries of tracing systems about a trace, the newest first.
    ///
    /// There are 32 members at most, each key once, and 512 characters in all. A longer state is cut as the
    /// specification requires: whole members are removed, first those of more than 128 characters, then from
    /// the end.
    public struct TraceState {
        /// The entry of one tracing system.
        public struct Member: Hashable, Sendable {
            /// The tracing system: up to 256 letters in lower case, digits, and `_`, `-`, `*`, `/` and `@`; the
            /// first is a letter or a digit.
            public let key: String

            /// Its text: up to 256 printable characters of ASCII without `,` and `=`, the last not a space.
            public let value: String
        }

        /// The members, the newest first.
        public private(set) var members: [Member] = []

        /// Makes a state without members.
        public init() {}

        /// Reads the values of the header `tracestate`.
        ///
        /// Empty members are skipped. Of members with the same key, the first is kept, which is the newest.
        ///
        /// - Parameter lines: The values, in the order of their lines; together they are one list.
        /// - Returns: Nil if a key or a value is invalid, or if there are more than 32 members.
        public init?(_ lines: [String]) {
            for line in lines {
                for part in Array(line.utf8).split(separator: UInt8(ascii: ",")) {
                    let part = part.withoutOuterSpace
                    if part.isEmpty { continue }
                    guard let member = Member(part), members.count < Self.memberLimit else {
                        return nil
                    }
                    members.append(member)
                }
            }
            var keys: Set<String> = []
            members = members.filter { keys.insert($0.key).inserted }
            cut()
        }

        /// The value of a key; nil if there is none.
        public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

        /// The same with a value for a key as the first member; it replaces the key's former member.
        ///
        /// If there are too many, members at the end are removed.
        ///
        /// - Returns: Nil if the key or the value is invalid.
        public func setting(_ value: String, for key: String) -> TraceState? {
            guard Member.isKey(key.utf8), Member.isValue(value.utf8) else { return nil }
            var state = self
            state.members.removeAll { $0.key == key }
            state.members.insert(Member(key: key, value: value), at: 0)
            state.members = Array(state.members.prefix(Self.memberLimit))
            state.cut()
            return state
        }

        private static let memberLimit = 32
        private static let lengthLimit = 512
        private static let longMember = 128

        /// Removes whole members until the rest is short enough.
        private mutating func cut() {
            // With a comma after each member; the last has none.
            var length = members.reduce(-1) { $0 + $1.length + 1 }
            while length > Self.lengthLimit, let last = members.indices.last {
                let long = members.lastIndex { $0.length > Self.longMember }
                length -= members.remove(at: long ?? last).length + 1
            }
        }
    }
}

extension TraceContext.TraceState.Member {
    /// Reads a key and a value with an equals sign between; there is no white space around them.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let (key, value) = (bytes[..<sign], bytes[(sign + 1)...])
        guard Self.isKey(key), Self.isValue(value) else { return nil }
        self.init(
            key: String(decoding: key, as: UTF8.self), value: String(decoding: value, as: UTF8.self)
        )
    }

    /// How many characters it takes.
    fileprivate var length: Int { key.utf8.count + 1 + value.utf8.count }

    fileprivate static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= 256 else { return false }
        return isLetterOrDigit(first)
            && bytes.allSatisfy { isLetterOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    fileprivate static func isValue(_ bytes: some Collection<UInt8>) -> Bool {
        (1...256).contains(bytes.count) && Array(bytes).last != UInt8(ascii: " ")
            && bytes.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension TraceContext.TraceState: CustomStringConvertible {
    /// The value of the header: the members with commas between, without white space.
    public var description: String {
        members.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}

extension TraceContext.TraceState: Hashable, Sendable {}
