import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages

/// Reads values from bytes that may be damaged.
///
/// If they end early, or aren't what a writer wrote, the reader is damaged, and all further values are empty.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>
    private var isDamaged = false
    /// Identifies the process that reads.
    private let process: UInt64

    init(_ bytes: ArraySlice<UInt8>, process: UInt64 = CacheProcess.number) {
        rest = bytes
        self.process = process
    }

    /// True if everything was read and nothing was damaged.
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

    /// A number of seconds that's small enough to add to another one.
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

    /// How many values follow.
    ///
    /// Each takes at least a byte, so a wrong number can't reserve much memory.
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
        // A response of another process gets a number below all numbers of this process.
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
