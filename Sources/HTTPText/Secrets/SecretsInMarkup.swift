extension SecretFinder {
    /// Reads the tags of XML or HTML.
    ///
    /// All text in an element with a secret's name is a secret, also in the elements within. If such an element isn't
    /// closed, it's the text up to the next tag. A tag, or an element such as `<name>`, may also name the value beside
    /// it, as in `<input name="token" value="…">`.
    mutating func readMarkup(_ text: ArraySlice<UInt8>) {
        let tags = MarkupTag.all(in: text)
        var closings: [ArraySlice<UInt8>: Int] = [:]
        for (index, tag) in tags.enumerated() where tag.kind == .closing {
            closings[tag.name] = index
        }
        // The element with a secret's name, and how many of that name are open.
        var hidden: (name: ArraySlice<UInt8>, isInside: Bool, depth: Int)?
        // The last tag's name, if it's the end of an element that names a secret.
        var isNamed = false
        for (index, tag) in tags.enumerated() {
            var isSecret = hidden != nil
            let isSame = hidden?.name == tag.name && hidden?.isInside == tag.isInside
            let end = index + 1 < tags.count ? tags[index + 1].range.lowerBound : text.endIndex
            switch tag.kind {
            case .opening where hidden == nil:
                let isValue = isNamed && tag.isValue
                guard isValue || names(tag, in: text) || readAttributes(of: tag, in: text) else {
                    break
                }
                if closings[tag.name] ?? 0 > index { hidden = (tag.name, tag.isInside, 1) }
                isSecret = true
            case .empty where hidden == nil: _ = readAttributes(of: tag, in: text)
            case .opening where isSame: hidden?.depth += 1
            case .closing where isSame:
                hidden?.depth -= 1
                if hidden?.depth == 0 { (hidden, isSecret) = (nil, false) }
            default: break
            }
            isNamed =
                tag.kind == .closing && index > 0 && tag.isName && tags[index - 1].name == tag.name
                && SensitiveNames.isAnnouncing(
                    text[tags[index - 1].range.upperBound..<tag.range.lowerBound].withoutBlanks)
            let content = tag.range.upperBound..<end
            if isSecret, text[content].contains(where: { $0 > 32 }) { add(content, in: text) }
        }
    }

    private func names(_ tag: MarkupTag, in text: ArraySlice<UInt8>) -> Bool {
        SensitiveNames.announce(tag.localName, in: .line)
    }

    /// Reads the attributes of a tag, of which one may name the others' secret.
    ///
    /// - Returns: True if the text behind the tag is that secret.
    private mutating func readAttributes(of tag: MarkupTag, in text: ArraySlice<UInt8>) -> Bool {
        let (attributes, isHidden) = tag.attributes(in: text)
        guard !attributes.isEmpty else { return false }
        let name = attributes.first { attribute in
            NameOfJSON.role(of: attribute.name) == .name
                && SensitiveNames.isAnnouncing(attribute.value)
        }
        for attribute in attributes where NameOfJSON.role(of: attribute.name) == .value {
            guard name != nil || isHidden && attribute.value.looksLikeToken else { continue }
            add(attribute.value.startIndex..<attribute.value.endIndex, in: text)
        }
        guard let name, !name.name.elementsEqual("id".utf8) else { return false }
        return !MarkupTag.ofPages.contains(String(decoding: tag.name, as: UTF8.self).lowercased())
    }
}

/// A tag in XML; or the beginning or the end of a comment or a CDATA section.
private struct MarkupTag {
    enum Kind { case opening, closing, empty, other }

    let kind: Kind
    /// From "<" to the byte after ">".
    let range: Range<Int>
    let name: ArraySlice<UInt8>
    /// True within a comment or a CDATA section, whose tags say nothing about the elements around it.
    let isInside: Bool

    /// The name without its namespace.
    var localName: ArraySlice<UInt8> {
        name[(name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.startIndex)...]
    }

    var isName: Bool { NameOfJSON.role(of: localName) == .name }

    /// True for the elements that follow a `<name>` or, in property lists, a `<key>`.
    var isValue: Bool {
        NameOfJSON.role(of: localName) == .value
            || ["string", "data", "integer"].contains(String(decoding: localName, as: UTF8.self))
    }

    /// Elements of HTML whose name says nothing about their text.
    static let ofPages: Set<String> = [
        "a", "body", "button", "details", "div", "fieldset", "form", "iframe", "input", "label",
        "map", "meta", "object", "output", "section", "select", "slot", "span",
    ]

    private static let sections: [(open: [UInt8], close: [UInt8])] = [
        (Array("<![CDATA[".utf8), Array("]]>".utf8)), (Array("<!--".utf8), Array("-->".utf8)),
    ]

    static func all(in source: ArraySlice<UInt8>) -> [MarkupTag] {
        var tags: [MarkupTag] = []
        var section: [UInt8]?
        var start = source.startIndex
        func add(_ kind: Kind, _ end: Int, _ name: ArraySlice<UInt8> = []) {
            let isInside = section != nil
            tags.append(MarkupTag(kind: kind, range: start..<end, name: name, isInside: isInside))
            start = end
        }
        while start < source.endIndex {
            let rest = source[start...]
            if let close = section, rest.first == close[0], rest.starts(with: close) {
                section = nil
                add(.other, start + close.count)
            } else if rest.first != UInt8(ascii: "<") {
                start += 1
            } else if section == nil,
                let found = sections.first(where: { rest.starts(with: $0.open) })
            {
                add(.other, start + found.open.count)
                section = found.close
            } else {
                // A "<" is text if the next "<", or the end of the text, comes before the next ">".
                let end = rest.dropFirst().firstIndex { "<>".utf8.contains($0) }
                guard let end, source[end] == UInt8(ascii: ">") else {
                    start += 1
                    continue
                }
                let isClosing = source[start + 1] == UInt8(ascii: "/")
                let name = source[(start + 1)..<end].dropFirst(isClosing ? 1 : 0)
                    .prefix { $0 > 32 && $0 != UInt8(ascii: "/") }
                let isEmpty = source[end - 1] == UInt8(ascii: "/")
                let kind: Kind = isClosing ? .closing : isEmpty ? .empty : .opening
                add(name.isEmpty ? .other : kind, end + 1, name)
            }
        }
        return tags
    }

    /// The attributes, and whether the tag is a field that a page doesn't show.
    func attributes(
        in text: ArraySlice<UInt8>
    ) -> (all: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)], isHidden: Bool) {
        var all: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        var isHidden = false
        var rest = text[name.endIndex..<range.upperBound - 1]
        while let sign = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<sign].withoutBlanks
            let value = rest[(sign + 1)...].drop { $0 <= 32 }
            let quote = value.first.flatMap { "\"'".utf8.contains($0) ? $0 : nil }
            let content =
                if let quote { value.dropFirst().prefix { $0 != quote } } else {
                    value.prefix { $0 > 32 }
                }
            rest = text[content.endIndex..<rest.endIndex].dropFirst(quote == nil ? 0 : 1)
            let word = name[(name.lastIndex { $0 <= 32 }.map { $0 + 1 } ?? name.startIndex)...]
            all.append((word, content))
            if word.elementsEqual("type".utf8) {
                isHidden = ["hidden", "password"].contains(
                    String(decoding: content, as: UTF8.self).lowercased())
            }
        }
        return (all, isHidden)
    }
}
