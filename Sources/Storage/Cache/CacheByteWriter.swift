import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages

/// Tells this process from others that share a store.
enum CacheProcess {
    /// Another process has the same number with a probability of 2⁻⁶⁴.
    static let number = UInt64.random(in: .min ... .max)
}

struct ByteWriter {
    var bytes: [UInt8] = []
    /// Identifies the process that writes.
    var process = CacheProcess.number

    /// Eight bytes, the least significant first.
    mutating func add(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// As few bytes as the number needs (LEB128).
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
