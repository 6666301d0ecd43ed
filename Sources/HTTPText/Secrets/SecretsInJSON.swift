/// What a name in JSON says about its value.
struct NameOfJSON {
    enum Role {
        case none
        /// The value is the name of something, as in `{"name": "password", "value": "…"}`.
        case name
        /// The value is the value of something that has a name.
        case value
    }

    let isSecret: Bool
    let isSecretNumber: Bool
    /// The shape of values that are no secrets, although the name announces one.
    let harmlessShape: SensitiveNames.HarmlessShape?
    let role: Role

    init(_ name: ArraySlice<UInt8>) {
        let plain = EscapedText(name).read(.backslash)?.bytes[...] ?? name
        isSecret = SensitiveNames.announce(plain, in: .json)
        isSecretNumber = isSecret && SensitiveNames.announce(plain, in: .json, ofNumber: true)
        harmlessShape = isSecret ? .init(of: plain) : nil
        role = NameOfJSON.role(of: plain)
    }

    /// The role of a member or an attribute.
    static func role(of name: ArraySlice<UInt8>) -> Role {
        guard name.count <= 16 else { return .none }
        let word = String(decoding: SensitiveNames.folded(name), as: UTF8.self)
        return names.contains(word) ? .name : values.contains(word) ? .value : .none
    }

    private static let names: Set<String> = [
        "name", "key", "field", "header", "param", "parameter", "property", "attribute", "variable",
        "id", "n", "k",
    ]
    private static let values: Set<String> = [
        "value", "values", "val", "v", "content", "stringvalue", "defaultvalue", "initialvalue",
    ]
}

extension SecretFinder {
    /// An open object or array.
    private struct Container {
        let isObject: Bool
        /// What the last name says about the value that comes next.
        var member: NameOfJSON?
        /// True if a member such as "name", or the first of two strings, names a secret.
        var isNamed = false
        /// The name in a secret object, which stays if it's one of a pair.
        var name: Range<Int>?
        /// Which of the values that were read belong to members such as "value".
        var values: Range<Int>?
        /// The number of elements of an array.
        var count = 0
        var second: Range<Int>?
    }

    private mutating func nameOfJSON(_ name: ArraySlice<UInt8>) -> NameOfJSON {
        if let known = names[name] { return known }
        if names.count >= 256 { names = [:] }
        let new = NameOfJSON(name)
        names[name] = new
        return new
    }

    /// Reads JSON, up to the end of its first value, or to where it isn't JSON.
    ///
    /// If it breaks off within a secret, the rest counts as that secret: of the text, or of the line if the text
    /// doesn't begin with the JSON.
    ///
    /// - Returns: Where it ends.
    mutating func readJSON(
        _ text: ArraySlice<UInt8>, from start: Int, isHidden: Bool, isAtStart: Bool
    ) -> Int {
        var scanner = JSONScanner(text[start...])
        var containers: [Container] = []
        // How many containers were open when one with a secret's name was opened; nil outside of it.
        var hidden = isHidden ? 0 : nil as Int?
        // The values that were read while a member such as "value" was open, and those that turned out to be secrets.
        var values: [(place: Range<Int>, isNumber: Bool)] = []
        var late: [Range<Int>] = []
        // The members such as "value" that are open.
        var open = 0
        var nameStart = start

        func isSecret(ofNumber isNumber: Bool = false) -> Bool {
            if hidden != nil { return true }
            guard let container = containers.last, let member = container.member else {
                return false
            }
            return (isNumber ? member.isSecretNumber : member.isSecret)
                || member.role == .value && container.isNamed
        }
        /// True for a value that is harmless by its shape; the name alone would make it a secret.
        func isSpared(_ value: ArraySlice<UInt8>) -> Bool {
            guard hidden == nil, let container = containers.last, let member = container.member,
                member.role != .value || !container.isNamed
            else { return false }
            return member.harmlessShape?.fits(value) ?? false
        }
        func endValue() {
            guard let last = containers.indices.last else { return }
            if containers[last].member?.role == .value, containers[last].values?.isEmpty == true {
                containers[last].values = containers[last].values!.lowerBound..<values.count
            }
            containers[last].member = nil
            containers[last].count += 1
        }
        func beginValue() {
            guard let last = containers.indices.last, containers[last].member?.role == .value,
                containers[last].values == nil
            else { return }
            containers[last].values = values.count..<values.count
        }
        while true {
            switch scanner.next() {
            case .open(let isObject):
                beginValue()
                if hidden == nil, isSecret() { hidden = containers.count }
                if containers.last?.member?.role == .value { open += 1 }
                containers.append(Container(isObject: isObject))
            case .close:
                let closed = containers.removeLast()
                if let name = closed.name, closed.values == nil { add(name, in: text) }
                if closed.isNamed, let range = closed.values { late.append(range) }
                if closed.isNamed, closed.count == 2, let second = closed.second {
                    add(second, in: text)
                }
                if hidden == containers.count { hidden = nil }
                if containers.last?.member?.role == .value { open -= 1 }
                endValue()
                if containers.isEmpty {
                    addLate(late, values, in: text)
                    return scanner.position
                }
            case .name(let range):
                nameStart = range.lowerBound - 1
                containers[containers.count - 1].member = nameOfJSON(text[range])
            case .string(let range):
                beginValue()
                let (value, last) = (text[range], containers.count - 1)
                guard last >= 0 else { return range.upperBound }
                if open > 0 || containers[last].member?.role == .value {
                    values.append((range, false))
                }
                let isName = containers[last].member?.role == .name
                if isName, hidden != nil, containers[last].name == nil {
                    containers[last].name = range
                } else if value.isJSONWebToken || isSecret() && !isSpared(value) {
                    add(range, in: text)
                } else {
                    if containers[last].member?.harmlessShape == .url {
                        addTokens(ofURL: value, in: text)
                    }
                    readNested(value, .backslash)
                }
                if isName || !containers[last].isObject && containers[last].count == 0 {
                    if SensitiveNames.isAnnouncing(value) { containers[last].isNamed = true }
                } else if !containers[last].isObject, containers[last].count == 1,
                    !SensitiveNames.isAnnouncing(value)
                {
                    containers[last].second = range
                }
                endValue()
            case .scalar(let range):
                beginValue()
                let isNumber = !"ntf".utf8.contains(text[range.lowerBound])
                if isNumber, isSecret(ofNumber: true) {
                    add(range, in: text, .number(isNested: isNested))
                }
                if isNumber, open > 0 || containers.last?.member?.role == .value {
                    values.append((range, true))
                }
                endValue()
            case .end, .broken:
                addLate(late, values, in: text)
                for container in containers where container.name != nil {
                    if let name = container.name { add(name, in: text) }
                }
                let start = scanner.position
                let isString = text[start...].first == UInt8(ascii: "\"")
                var value = text[start...].dropFirst(isString ? 1 : 0)
                guard !value.isEmpty,
                    isSecret(ofNumber: !isString) || isString && value.isJSONWebToken
                else { return containers.last?.member != nil ? nameStart : max(start, nameStart) }
                if !isAtStart { value = value.prefix { $0 != 10 } }
                add(value.startIndex..<value.endIndex, in: text)
                return value.endIndex
            }
        }
    }

    /// Adds the parts of a URL that look like tokens, as in the link of a mail.
    private mutating func addTokens(ofURL url: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) {
        let parts = url.split { "/\\?&#=;".utf8.contains($0) }
        for part in parts where !part.contains(UInt8(ascii: ":")) && !part.contains(0x2E) {
            let isRandom = part.count >= 20 && part.allSatisfy(\.isLetterOrDigit)
            if isRandom || part.looksLikeToken { add(part.startIndex..<part.endIndex, in: text) }
        }
    }

    /// Adds the values whose names came after them.
    private mutating func addLate(
        _ late: [Range<Int>], _ values: [(place: Range<Int>, isNumber: Bool)],
        in text: ArraySlice<UInt8>
    ) {
        var end = 0
        for range in late.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            for index in range.clamped(to: max(end, range.lowerBound)..<max(end, range.upperBound))
            {
                let (place, isNumber) = values[index]
                add(place, in: text, isNumber ? .number(isNested: isNested) : .text)
            }
            end = max(end, range.upperBound)
        }
    }
}
