import PledgeFutures
public import PledgeHTTPCaching
import PledgeHTTPMessages

extension CachedResponse {
    /// The response as bytes, for a `CacheStore` that keeps bytes.
    ///
    /// Only this version of the format can read them, and it notices if a byte is missing or different. They contain
    /// the body and the headers as they are. They don't contain the values of Authorization, Cookie or other headers
    /// that identify users: those are hashed with the cache's `partitionKey`, or with a key of this process.
    public var encoded: Data {
        var writer = ByteWriter()
        writer.add(self)
        return Data(Self.sealed(writer.bytes, as: Self.format))
    }

    /// Reads a response from the bytes of ``encoded``.
    ///
    /// - Returns: Nil if the bytes are incomplete, changed, or of another version of the format.
    public init?(encoded: Data) {
        guard let bytes = Self.opened(Array(encoded), as: Self.format) else { return nil }
        var reader = ByteReader(bytes)
        let response = reader.response()
        guard reader.isComplete else { return nil }
        self = response
    }

    /// The first bytes of an encoded response; the last of them is the version of the format.
    static let format: [UInt8] = Array("PLDG-R1\n".utf8)

    /// Returns a content with its format and a checksum before it.
    static func sealed(_ content: [UInt8], as format: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(content.count + 16)
        writer.bytes += format
        writer.add(fixed: checksum(content[...]))
        writer.bytes += content
        return writer.bytes
    }

    /// Returns the content of sealed bytes; nil if they have another format or are damaged.
    static func opened(_ bytes: [UInt8], as format: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= format.count + 8, bytes.starts(with: format) else { return nil }
        var reader = ByteReader(bytes[format.count...])
        return reader.fixed() == checksum(reader.rest) ? reader.rest : nil
    }

    /// Returns a checksum of bytes, against damage by accident: nobody but the user can write the files.
    ///
    /// Each step multiplies 64 by 64 bits and folds the product, like wyhash.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        func mix(_ word: UInt64) {
            let (high, low) = (sum ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
            // The word is added, so that a product of zero doesn't hide the words before it.
            sum = (high ^ low) &+ word.byteSwapped &+ (sum << 7 | sum >> 57)
        }
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
                offset += 8
            }
            var last: UInt64 = 0
            for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
            mix(last)
        }
        return sum
    }
}

extension CachedResponse: Codable {
    /// Reads a response from its `encoded` bytes.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the bytes are incomplete, changed, or of another version of the
    ///   format. A store then treats the response as missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let response = CachedResponse(encoded: try container.decode(Data.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a stored response of this version")
        }
        self = response
    }

    /// Writes the `encoded` bytes as one `Data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded)
    }
}

/// This process, among those that share a store.
enum CacheProcess {
    /// A number that another process has with a probability of 2⁻⁶⁴.
    static let number = UInt64.random(in: .min ... .max)
}

// MARK: - The bytes of a response

/// Writes values as bytes.
struct ByteWriter {
    var bytes: [UInt8] = []
    /// The number of the process that writes.
    var process = CacheProcess.number

    /// Adds a number in eight bytes, the least significant first.
    mutating func add(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// Adds a number in as few bytes as it needs (LEB128).
    mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func add(_ content: some Collection<UInt8>) {
        add(content.count)
        bytes += content
    }

    mutating func add(_ text: String?) {
        add(text != nil)
        if let text { add(text.utf8) }
    }

    mutating func add(_ response: CachedResponse) {
        add(response.status)
        add(response.isDoubted)
        add(response.isRefused)
        add(fixed: UInt64(bitPattern: response.requestTime.secondsSince1970))
        add(fixed: UInt64(bitPattern: response.responseTime.secondsSince1970))
        add(fixed: UInt64(bitPattern: response.initialAge))
        add(fixed: UInt64(bitPattern: response.lifetime))
        add(fixed: process)
        add(fixed: UInt64(bitPattern: Int64(response.number)))
        add(response.received != nil)
        if let (seconds, attoseconds) = response.received?.offset.components {
            add(fixed: UInt64(bitPattern: seconds))
            add(fixed: UInt64(bitPattern: attoseconds))
        }
        add(response.url?.absoluteString)
        add(response.headers)
        add(response.variant)
        add(response.body)
    }

    private mutating func add(_ headers: HTTPHeaders) {
        let fields = Array(headers)
        add(fields.count)
        for (index, field) in fields.enumerated() {
            add(field.name.utf8)
            let bytes = headers.bytes(at: index)
            add(bytes != nil)
            if let bytes { add(bytes) } else { add(field.value.utf8) }
        }
    }

    private mutating func add(_ variant: CacheVariant) {
        add(variant.fields.count)
        for field in variant.fields {
            add(field.name.utf8)
            switch field.value {
            case .none: bytes.append(0)
            case .text(let text):
                bytes.append(1)
                add(text.utf8)
            case .holder(let holder):
                bytes.append(2)
                add(holder)
            }
        }
        add(variant.mode?.rawValue)
        add(variant.partition?.members)
        add(variant.refused)
    }

    private mutating func add(_ members: Set<CachePartition.Member>?) {
        add(members != nil)
        guard let members else { return }
        add(members.count)
        for member in members {
            add(member.header.utf8)
            add(member.principal)
        }
    }

    private mutating func add(_ principal: Principal) {
        switch principal {
        case .account(let name):
            bytes.append(0)
            add(name.utf8)
        case .digest(let high, let low):
            bytes.append(1)
            add(fixed: high)
            add(fixed: low)
        case .secret(let hash):
            bytes.append(2)
            add(fixed: process)
            add(fixed: UInt64(bitPattern: Int64(hash)))
        case .signIn(let signIn):
            bytes.append(signIn.name == nil ? 4 : 3)
            if let name = signIn.name { add(name.utf8) }
        case .nobody: bytes.append(4)
        }
    }
}

/// Reads values from bytes that may be anything.
///
/// If the bytes end early, or aren't what a writer wrote, the reader is damaged, and all further values are empty.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>
    private var isDamaged = false
    /// The number of the process that reads.
    private let process: UInt64

    init(_ bytes: ArraySlice<UInt8>, process: UInt64 = CacheProcess.number) {
        rest = bytes
        self.process = process
    }

    /// True if everything was read, and all of it could be.
    var isComplete: Bool { rest.isEmpty && !isDamaged }

    private mutating func fail() {
        isDamaged = true
        rest = []
    }

    mutating func fixed() -> UInt64 {
        guard rest.count >= 8 else {
            fail()
            return 0
        }
        defer { rest = rest.dropFirst(8) }
        return rest.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self).littleEndian }
    }

    mutating func signed() -> Int64 { Int64(bitPattern: fixed()) }

    /// Reads a number of seconds with which a sum can't overflow.
    mutating func seconds() -> Int64 {
        let seconds = signed()
        if seconds.magnitude >= 1 << 60 { fail() }
        return isDamaged ? 0 : seconds
    }

    mutating func number() -> Int {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while shift < 64, let byte = rest.popFirst() {
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(truncatingIfNeeded: number) }
            shift += 7
        }
        fail()
        return 0
    }

    /// Reads a number of values, each of which takes a byte at least; so a wrong number can't reserve much memory.
    mutating func count() -> Int {
        let count = number()
        if 0...rest.count ~= count { return count }
        fail()
        return 0
    }

    mutating func flag() -> Bool {
        switch rest.popFirst() {
        case 0: return false
        case 1: return true
        default:
            fail()
            return false
        }
    }

    mutating func content() -> ArraySlice<UInt8> {
        let count = count()
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() -> String {
        if let text = String(validating: content(), as: UTF8.self) { return text }
        fail()
        return ""
    }

    /// Reads a text, or nil.
    mutating func textIfAny() -> String? { flag() ? text() : nil }

    mutating func response() -> CachedResponse {
        let all = rest
        let status = number()
        let (isDoubted, isRefused) = (flag(), flag())
        let (requestTime, responseTime) = (seconds(), seconds())
        let (initialAge, lifetime) = (seconds(), seconds())
        let isOwn = fixed() == process
        let number = Int(signed())
        let received = flag() ? instant() : nil
        let url = textIfAny()
        let (headers, variant) = (headers(), variant())
        let body = Data(content())
        if !(100...999 ~= status) || initialAge < 0 { fail() }
        // A response of another process gets a number of its own, below those of all calls of this process.
        let foreign = Int(truncatingIfNeeded: CachedResponse.checksum(all) >> 2) - Int.max
        var response = CachedResponse(
            status: status, headers: headers, body: body, url: url.flatMap { URL(string: $0) },
            variant: variant, requestTime: Date(secondsSince1970: requestTime),
            responseTime: Date(secondsSince1970: responseTime), initialAge: initialAge,
            lifetime: lifetime, received: isOwn ? received : nil,
            number: isOwn ? number : foreign, control: CacheControl(headers))
        response.isDoubted = isDoubted
        response.isRefused = isRefused
        return response
    }

    private mutating func instant() -> SchedulerInstant {
        let (seconds, attoseconds) = (seconds(), signed())
        if attoseconds.magnitude >= 1_000_000_000_000_000_000 { fail() }
        return SchedulerInstant(
            offset: isDamaged
                ? .zero : Duration(secondsComponent: seconds, attosecondsComponent: attoseconds))
    }

    private mutating func headers() -> HTTPHeaders {
        var headers = HTTPHeaders()
        for _ in 0..<count() {
            let name = text()
            if flag() {
                Array(content()).withUnsafeBytes { headers.add(received: $0, for: name) }
            } else {
                headers.add(text(), for: name)
            }
        }
        return headers
    }

    private mutating func variant() -> CacheVariant {
        var fields: [CacheVariant.Field] = []
        for _ in 0..<count() {
            let name = text()
            let value: CacheVariant.Value
            switch rest.popFirst() {
            case 1: value = .text(text())
            case 2: value = .holder(principal())
            case let kind:
                if kind != 0 { fail() }
                value = .none
            }
            fields.append(CacheVariant.Field(name: name, value: value))
        }
        let mode = textIfAny().map { HTTPCache.Mode(rawValue: $0) }
        if mode == .some(nil) { fail() }
        return CacheVariant(
            fields: fields, mode: mode ?? nil,
            partition: members().map { CachePartition(members: $0) },
            refused: members())
    }

    private mutating func members() -> Set<CachePartition.Member>? {
        guard flag() else { return nil }
        var members: Set<CachePartition.Member> = []
        for _ in 0..<count() {
            members.insert(CachePartition.Member(header: text(), principal: principal()))
        }
        return members
    }

    private mutating func principal() -> Principal {
        switch rest.popFirst() {
        case 0: return .account(text())
        case 1: return .digest(fixed(), fixed())
        case 2:
            let isOwn = fixed() == process
            let hash = Int(signed())
            return isOwn ? .secret(hash) : .nobody
        case 3: return .signIn(SignIn(named: text()))
        case 4: return .nobody
        default:
            fail()
            return .nobody
        }
    }
}
