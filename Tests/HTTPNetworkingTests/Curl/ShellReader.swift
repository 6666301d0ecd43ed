/// Parses the part of the shell's language that a curl command uses: words, quotes, comments, continued lines
/// and pipes (POSIX.1-2024, Shell Command Language, sections 2.2 and 2.3).
///
/// It shares no code with the code under test.
struct ShellReader {
    /// The words of each command of a pipe, in bytes.
    private(set) var commands: [[[UInt8]]] = [[]]
    private(set) var comments: [String] = []

    struct NotPlain: Error { let byte: UInt8 }

    init(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        var word: [UInt8]?
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"):
                let end = rest.firstIndex(of: byte) ?? rest.endIndex
                word = (word ?? []) + rest[..<end]
                rest = rest[end...].dropFirst()
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw NotPlain(byte: byte) }
                if next != 10 { word = (word ?? []) + [next] }
            case UInt8(ascii: "#") where word == nil:
                comments.append(String(decoding: rest.prefix { $0 != 10 }, as: UTF8.self))
                rest = rest.drop { $0 != 10 }
            case 9, 10, 32:
                if let whole = word { commands[commands.count - 1].append(whole) }
                word = nil
            case UInt8(ascii: "|"):
                if let whole = word { commands[commands.count - 1].append(whole) }
                word = nil
                commands.append([])
            case _ where "\"`$&;<>()*?[]~!{}^".utf8.contains(byte): throw NotPlain(byte: byte)
            default: word = (word ?? []) + [byte]
            }
        }
        if let word { commands[commands.count - 1].append(word) }
    }

    /// The words of the last command.
    var curl: [String] { commands.last?.map { String(decoding: $0, as: UTF8.self) } ?? [] }

    /// The bytes given for each occurrence of an option.
    func values(of option: String) -> [[UInt8]] {
        let words = commands.last ?? []
        return words.indices.dropLast().filter { words[$0] == Array(option.utf8) }
            .map { words[$0 + 1] }
    }

    /// The output of `printf` with the format that the first command gives it.
    var printed: [UInt8]? {
        guard commands.count == 2, commands[0].count == 2, commands[0][0] == Array("printf".utf8)
        else { return nil }
        var rest = commands[0][1][...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst() == byte else { return nil }
            }
            if byte == UInt8(ascii: "\\"), rest.first != byte {
                let digits = String(decoding: rest.prefix(3), as: UTF8.self)
                guard let value = UInt8(digits, radix: 8) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                if byte == UInt8(ascii: "\\") { rest.removeFirst() }
                bytes.append(byte)
            }
        }
        return bytes
    }
}
